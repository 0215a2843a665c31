// Curves that run along: energy, momenta, what is left of the constraints, the distance of two runs; and
// the phase portrait.

class Running {
  constructor(parent, portrait, theme) {
    Object.assign(this, { parent, portrait, theme });
    this.canvas = portrait.querySelector("canvas");
    this.choice = portrait.querySelector("select");
    this.strips = [];
  }

  /** Begins with a motion. */
  show(motion) {
    this.motion = motion;
    this.hasTwin = motion.hasTwin;
    this.parent.replaceChildren();
    this.strips = this.wanted().map((strip) => this.create(strip));
    // More than two stand side by side.
    this.parent.style.setProperty("--columns", this.strips.length > 2 ? 2 : 1);
    const { coordinates } = motion.opened;
    if (this.choice.dataset.of !== coordinates.join()) {
      this.choice.dataset.of = coordinates.join();
      this.choice.replaceChildren(...coordinates.map((name, k) => new Option(name, String(k))));
    }
    this.bounds = null;
  }

  /** The strips of a motion: curves of one kind and unit together. */
  wanted() {
    const { motion } = this;
    const strips = [];
    motion.curves.forEach(({ strip, name, axis }, k) => {
      const unit = axis.split(", ").slice(1).join(", ");
      const momentum = /^(?:angular_)?momentum(?=_)/.exec(name)?.[0];
      const title = { energy: "Change of the energy", residual: "Largest error of a constraint" }[strip] ?? `Change of the ${(momentum ?? name).replaceAll("_", " ")}`;
      const key = `${title}${unit ? `, ${unit}` : ""}`;
      let found = strips.find((other) => other.axis === key);
      if (!found) strips.push((found = { axis: key, change: strip !== "residual", curves: [], columns: [] }));
      found.curves.push({ name: momentum ? name.slice(momentum.length + 1) : name });
      found.columns.push(1 + 1 + k);
    });
    const table = strips.map((strip) => ({ ...strip, of: (row, k) => row[strip.columns[k]] }));
    if (motion.hasTwin) {
      const of = (row) => (row.length > 1 + motion.width ? Math.log10(motion.apart(row)) : NaN);
      table.push({ axis: "Distance of the twin, log₁₀", change: false, curves: [{ name: "" }], of });
    }
    return table;
  }

  create(strip) {
    const figure = document.createElement("figure");
    figure.className = "strip";
    const caption = document.createElement("figcaption");
    const title = document.createElement("b");
    title.textContent = strip.axis;
    const values = strip.curves.map(() => document.createElement("i"));
    const canvas = document.createElement("canvas");
    canvas.setAttribute("role", "img");
    canvas.setAttribute("aria-label", strip.axis);
    caption.append(title, ...values);
    figure.append(caption, canvas);
    this.parent.append(figure);
    return { ...strip, canvas, values, first: this.motion.rows[0] };
  }

  draw() {
    const { motion } = this;
    if (!motion) return;
    if (motion.hasTwin !== this.hasTwin) this.show(motion);
    const ratio = window.devicePixelRatio || 1;
    const all = this.strips.map((strip) => {
      const of = strip.change ? (row, k) => strip.of(row, k) - strip.of(strip.first, k) : strip.of;
      const canvas = sized(strip.canvas, ratio);
      // Differences are drawn as they are.
      return { strip, canvas, curves: new Curves(new Last(motion, of), this.theme, { ...strip, change: true }, 0) };
    });
    const rooms = all.map(({ curves, canvas }) => curves.room(canvas.getContext("2d"), ratio, canvas.height / ratio - TOP - BELOW));
    const left = Math.max(0, ...rooms);
    all.forEach(({ strip, canvas, curves }) => {
      if (canvas.height < 10) return;
      const context = canvas.getContext("2d");
      context.clearRect(0, 0, canvas.width, canvas.height);
      curves.draw(context, { left, top: TOP * ratio, width: canvas.width - left - RIGHT * ratio, height: canvas.height - (TOP + BELOW) * ratio, ratio, hasTime: false });
      const last = curves.motion.frames - 1;
      curves.drawCursor(context, ratio, last);
      strip.curves.forEach(({ name }, k) => {
        const value = written(curves.value(last, k), (curves.high - curves.low) / 2000);
        strip.values[k].textContent = strip.curves.length > 1 ? `${name} ${value}` : value;
      });
    });
    this.drawPortrait(ratio);
  }

  /** The rate of a coordinate beside its value: all moments, the last ones in colour. */
  drawPortrait(ratio) {
    const { motion, theme } = this;
    const canvas = sized(this.canvas, ratio);
    const context = canvas.getContext("2d");
    const { width, height } = canvas;
    context.clearRect(0, 0, width, height);
    if (width < 10 || height < 10 || motion.size === 0) return;
    const k = Math.min(Number(this.choice.value) || 0, motion.size - 1);
    const at = 2 + motion.curves.length + k;
    const rows = motion.rows.slice(-4 * WINDOW);
    const [x, y] = [this.scale(rows, at, [8 * ratio, width - 8 * ratio]), this.scale(rows, at + motion.size, [height - 8 * ratio, 8 * ratio])];
    context.lineWidth = ratio;
    context.strokeStyle = mixed(theme.line, theme.stage, 0.3);
    context.beginPath();
    const [zeroX, zeroY] = [x(0), y(0)];
    if (zeroX > 0 && zeroX < width) context.rect(zeroX, 0, 0, height);
    if (zeroY > 0 && zeroY < height) context.rect(0, zeroY, width, 0);
    context.stroke();
    context.lineWidth = 1.2 * ratio;
    context.lineJoin = "round";
    const trace = (from, colour) => {
      context.strokeStyle = colour;
      context.beginPath();
      rows.slice(from).forEach((row, number) => context[number === 0 ? "moveTo" : "lineTo"](x(row[at]), y(row[at + motion.size])));
      context.stroke();
    };
    trace(0, mixed(theme.accent, theme.stage, 0.6));
    trace(-TRAIL, theme.accent);
    const { last } = motion;
    context.fillStyle = theme.accent;
    context.beginPath();
    context.arc(x(last[at]), y(last[at + motion.size]), 3 * ratio, 0, 2 * Math.PI);
    context.fill();
  }

  /** From a column of numbers to pixels. */
  scale(rows, column, [from, to]) {
    const [low, high] = range(rows.map((row) => row[column]));
    const span = high > low ? high - low : 1;
    const begin = high > low ? low : low - 0.5;
    return (value) => from + ((value - begin) / span) * (to - from);
  }
}

/** A canvas with the pixels that it takes on the screen. */
function sized(canvas, ratio) {
  const [width, height] = [canvas.clientWidth, canvas.clientHeight].map((length) => Math.round(length * ratio));
  if (canvas.width !== width) canvas.width = width;
  if (canvas.height !== height) canvas.height = height;
  return canvas;
}
