// The declaration beside the picture: lines with their numbers, colours of words, and marks of mistakes.

/** Mistakes are shown when nothing was typed for so many milliseconds; what is right runs at once. */
const THOUGHT = 500;
/** The words of Rust, and those of declarations. */
const WORDS = /(\/\/[^\n]*)|(#!?\[[^\]\n]*\])|("(?:[^"\\\n]|\\.)*")|\b(as|const|else|fn|for|if|impl|in|let|match|mod|move|mut|pub|return|self|Self|struct|use|where|while|loop)\b|\b(\d[\d_]*(?:\.\d[\d_]*)?(?:e[+-]?\d+)?(?:_?(?:f64|usize))?)\b|\b([A-Z]\w*)\b/g;
const KINDS = ["remark", "mark", "string", "word", "number", "type"];

class Editor {
  constructor(edited) {
    const element = (id) => document.getElementById(id);
    Object.assign(this, { text: element("text"), lines: element("lines"), coloured: element("coloured"), marks: element("marks"), messages: element("messages"), edited });
    this.text.addEventListener("input", () => {
      this.paint();
      this.edited();
    });
    this.text.addEventListener("scroll", () => this.scroll());
    this.text.addEventListener("keydown", (event) => this.key(event));
  }

  get value() {
    return this.text.value;
  }

  set value(text) {
    this.text.value = text;
    this.paint();
    this.scroll();
  }

  /** Colours the words, and numbers the lines. */
  paint() {
    const text = this.value;
    const parts = document.createDocumentFragment();
    let at = 0;
    for (const found of text.matchAll(WORDS)) {
      parts.append(text.slice(at, found.index));
      const part = document.createElement("span");
      part.className = KINDS[found.slice(1).findIndex((group) => group !== undefined)];
      part.textContent = found[0];
      parts.append(part);
      at = found.index + found[0].length;
    }
    parts.append(`${text.slice(at)}\n`);
    this.coloured.replaceChildren(parts);
    const count = text.split("\n").length;
    if (this.count !== count) {
      this.count = count;
      this.number([]);
    }
  }

  number(faults) {
    const line = (_, k) => {
      const number = document.createElement("span");
      number.textContent = `${k + 1}\n`;
      if (faults.includes(k + 1)) number.className = "fault";
      return number;
    };
    this.lines.replaceChildren(...Array.from({ length: this.count }, line));
  }

  scroll() {
    const { scrollTop, scrollLeft } = this.text;
    this.lines.scrollTop = scrollTop;
    for (const layer of [this.coloured, this.marks]) layer.style.transform = `translate(${-scrollLeft}px, ${-scrollTop}px)`;
  }

  /** Tells mistakes: at their lines, and below in words. */
  tell(mistakes) {
    clearTimeout(this.thinking);
    const show = () => {
      this.marks.replaceChildren(...mistakes.filter(({ line }) => line > 0).map((mistake) => this.mark(mistake)));
      this.number(mistakes.map(({ line }) => line));
      this.messages.replaceChildren(...mistakes.map((mistake) => this.message(mistake)));
    };
    if (mistakes.length === 0) show();
    else this.thinking = setTimeout(show, this.messages.childElementCount > 0 ? 0 : THOUGHT);
  }

  /** A line below the word of a mistake. */
  mark({ line, column, length }) {
    const mark = document.createElement("i");
    mark.style.top = `calc(${line - 1} * var(--row))`;
    mark.style.left = `${Math.max(column - 1, 0)}ch`;
    mark.style.width = `${Math.max(length, 1)}ch`;
    return mark;
  }

  message({ message, help, line, column, file }) {
    const item = document.createElement("li");
    const place = document.createElement("button");
    place.type = "button";
    place.textContent = line > 0 ? `line ${line}` : (file ?? "here");
    place.disabled = !(line > 0);
    place.addEventListener("click", () => this.go(line, column));
    item.append(place, ` ${message}`);
    if (help) {
      const remedy = document.createElement("small");
      remedy.textContent = `help: ${help}`;
      item.append(remedy);
    }
    return item;
  }

  go(line, column) {
    const before = this.value.split("\n").slice(0, line - 1);
    const at = before.reduce((sum, text) => sum + text.length + 1, 0) + Math.max(column - 1, 0);
    this.text.focus();
    this.text.setSelectionRange(at, at);
    this.text.scrollTop = Math.max(0, (line - 5) * Number.parseFloat(getComputedStyle(this.text).lineHeight));
  }

  /** Tabulators are four blanks; Escape leaves the editor, as a tabulator does elsewhere. */
  key(event) {
    if (event.key === "Escape") this.text.blur();
    if (event.key !== "Tab" || event.shiftKey) return;
    event.preventDefault();
    const { selectionStart, selectionEnd } = this.text;
    this.text.setRangeText("    ", selectionStart, selectionEnd, "end");
    this.paint();
    this.edited();
  }
}
