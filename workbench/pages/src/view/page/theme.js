// Colours: light and dark, as the system has it until somebody chooses.

/** Colours of groups and curves, of about one lightness, distinct also for eyes that confuse red and green. */
const PALETTE = {
  light: ["#2f6fde", "#d1652c", "#1f9d8a", "#8b56c9", "#c2922d", "#c2467d", "#52708f", "#6f8f2f"],
  dark: ["#7aa7ff", "#f19a66", "#4fcbb5", "#b78cf0", "#e2bd62", "#ee86b3", "#9db6d0", "#aacb66"],
};

class Theme {
  constructor() {
    this.listeners = [];
    const dark = window.matchMedia("(prefers-color-scheme: dark)");
    this.set(dark.matches ? "dark" : "light");
    dark.addEventListener("change", () => this.set(dark.matches ? "dark" : "light"));
    // Paper is white.
    window.addEventListener("beforeprint", () => {
      this.onScreen = this.name;
      this.set("light");
    });
    window.addEventListener("afterprint", () => this.set(this.onScreen));
  }

  /** Calls back whenever the colours have changed. */
  onChange(listener) {
    this.listeners.push(listener);
  }

  toggle() {
    this.set(this.name === "dark" ? "light" : "dark");
  }

  set(name) {
    this.name = name;
    document.documentElement.dataset.theme = name;
    const style = getComputedStyle(document.documentElement);
    const read = (variable) => style.getPropertyValue(variable).trim();
    this.stage = read("--stage");
    this.ink = read("--ink");
    this.quiet = read("--quiet");
    this.line = read("--line");
    this.accent = read("--accent");
    for (const listener of this.listeners) listener();
  }

  /** The colour of a number, again and again the same ones. */
  colour(number) {
    const all = PALETTE[this.name];
    return all[number % all.length];
  }
}

/** Red, green and blue of any colour of CSS, from 0 to 255. */
function rgb(colour) {
  if (!rgb.known) {
    rgb.known = new Map();
    rgb.context = document.createElement("canvas").getContext("2d", { willReadFrequently: true });
  }
  if (!rgb.known.has(colour)) {
    rgb.context.fillStyle = "#888888";
    rgb.context.fillStyle = colour;
    rgb.context.fillRect(0, 0, 1, 1);
    rgb.known.set(colour, [...rgb.context.getImageData(0, 0, 1, 1).data].slice(0, 3));
  }
  return rgb.known.get(colour);
}

/** A colour between two, as CSS writes it. */
function mixed(one, other, part) {
  const [a, b] = [rgb(one), rgb(other)];
  const channel = (k) => Math.round(a[k] + part * (b[k] - a[k]));
  return `rgb(${channel(0)}, ${channel(1)}, ${channel(2)})`;
}
