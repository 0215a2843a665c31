// The settings of a run: parameters by their units, the method with its claims, and its step.

/** A slider goes so many times below and above the value that a file gives. */
const TIMES_BELOW = 10;
/** More entries of a list have no sliders. */
const ENTRIES = 6;
/** The places of a slider. */
const PLACES = 1000;

class Settings {
  constructor(changed) {
    const element = (id) => document.getElementById(id);
    Object.assign(this, { parent: element("parameters"), steps: element("steps"), method: element("method"), claims: element("claims"), options: element("options"), changed });
    this.rows = new Map();
    this.method.addEventListener("change", () => this.changed({ method: this.method.value }));
  }

  /** Shows the parameters of a model, with its defaults where these are known. */
  show(opened, defaults) {
    const isInput = (name) => opened.inputs.some(([input]) => input === name);
    const wanted = opened.parameters.filter(({ name }) => !isInput(name)).flatMap((parameter) => this.entries(parameter, defaults));
    const key = wanted.map(({ name, origin }) => `${name}=${origin}`).join();
    // Sliders that a hand holds stay where they are.
    if (this.key !== key) {
      this.key = key;
      for (const name of [...this.rows.keys()]) if (name !== "step") this.rows.delete(name);
      this.parent.replaceChildren(...wanted.map((one) => this.row(one, (value) => this.set(one, value))));
    }
    for (const { name, value } of wanted) this.rows.get(name).show(value);
    this.values = Object.fromEntries(opened.parameters.map(({ name, value }) => [name, value]));
    this.showMethod(opened);
  }

  showMethod({ method: { name, order, keeps }, options, step }) {
    if (![...this.method.options].some((option) => option.value === name)) this.method.add(new Option(name));
    this.method.value = name;
    const words = keeps.map((word) => ({ symplectic: "symplectic", symmetric: "symmetric", momenta: "keeps momenta" })[word] ?? `keeps ${word}`);
    this.claims.textContent = [`order ${order}`, ...words].join(" · ");
    if (this.steps.childElementCount === 0) {
      const one = { name: "step", label: "Step", unit: this.unit, origin: step, value: step, comment: "The time of a step" };
      this.steps.append(this.row(one, (value) => this.changed({ step: value })));
    }
    this.rows.get("step").show(step);
    if (this.options.dataset.of !== name) {
      this.options.dataset.of = name;
      this.options.replaceChildren(...options.map((option) => this.option(option)));
    }
    for (const { name, value } of options) {
      const field = document.getElementById(`option-${name}`);
      if (document.activeElement !== field) field.value = value ?? "";
    }
  }

  /** An option of the method, which has its usual value until one is given. */
  option({ name, words }) {
    const row = document.createElement("div");
    row.className = "setting";
    const title = Object.assign(document.createElement("label"), { textContent: name, htmlFor: `option-${name}` });
    const field = document.createElement(words.length > 0 ? "select" : "input");
    if (words.length > 0) field.append(new Option("usual", ""), ...words.map((word) => new Option(word)));
    else Object.assign(field, { type: "text", inputMode: "decimal", placeholder: "usual", spellcheck: false });
    field.id = `option-${name}`;
    field.addEventListener("change", () => this.changed({ option: [name, field.value.trim()] }));
    row.append(title, ...(words.length > 0 ? [] : [document.createElement("span")]), field);
    return row;
  }

  /** Shows the methods that start on a model, with their claims beside their names. */
  offer(methods, chosen) {
    const key = methods.map(({ name }) => name).join();
    if (this.offered === key) return;
    this.offered = key;
    this.method.replaceChildren(...methods.map(({ name, order }) => new Option(`${name}, order ${order}`, name)));
    this.method.value = chosen;
  }

  /** Sets a parameter, or an entry of one. */
  set({ of, index }, value) {
    const values = structuredClone(this.values[of]);
    if (index === null) this.changed({ set: [of, value] });
    else {
      values[index] = value;
      this.changed({ set: [of, values] });
    }
  }

  /** A number, or the entries of a short list of numbers; other parameters stand in the declaration. */
  entries({ name, value, unit, comment, whole }, defaults) {
    const one = (value, index) => {
      const known = defaults?.[name];
      const origin = (index === null ? known : known?.[index]) ?? value;
      const full = index === null ? name : `${name}[${index}]`;
      return { name: `parameter ${full}`, label: full, of: name, index, value, origin, unit, comment, whole: whole === true };
    };
    if (typeof value === "number") return [one(value, null)];
    if (Array.isArray(value) && value.length <= ENTRIES && value.every((entry) => typeof entry === "number")) return value.map((entry, k) => one(entry, k));
    return [];
  }

  /** A slider with its number. */
  row({ name, label, origin, unit, comment, whole }, changed) {
    const row = document.createElement("div");
    row.className = "setting";
    row.title = comment ?? "";
    const id = `setting-${name.replace(/\W/g, "-")}`;
    const title = document.createElement("label");
    title.htmlFor = id;
    title.textContent = label;
    const slider = document.createElement("input");
    Object.assign(slider, { type: "range", min: "0", max: String(PLACES), step: "1", id });
    const number = document.createElement("input");
    Object.assign(number, { type: "text", inputMode: "decimal", spellcheck: false });
    number.setAttribute("aria-label", `${label}, as a number`);
    const symbol = document.createElement("span");
    symbol.textContent = unit ?? "";
    row.append(title, slider, number, symbol);
    const scale = scaled(origin, whole);
    slider.addEventListener("input", () => {
      const value = scale.value(Number(slider.value) / PLACES);
      number.value = shortest(value);
      changed(value);
    });
    number.addEventListener("change", () => {
      const value = Number(number.value.replace("−", "-").replace(",", "."));
      if (Number.isFinite(value) && number.value.trim() !== "") changed(whole ? Math.round(value) : value);
    });
    const show = (value) => {
      if (document.activeElement !== number) number.value = shortest(value);
      if (document.activeElement !== slider) slider.value = String(Math.round(PLACES * scale.place(value)));
    };
    this.rows.set(name, { show });
    return row;
  }
}

/** From the places of a slider, between 0 and 1, to values about one of a file, and back. */
function scaled(origin, whole) {
  const size = Math.abs(origin);
  if (whole) {
    const most = Math.max(10 * size, 10);
    return { value: (place) => Math.max(1, Math.round(most ** place)), place: (value) => within(Math.log(Math.max(value, 1)) / Math.log(most)) };
  }
  if (size === 0) return { value: (place) => rounded(2 * place - 1, 0.001), place: (value) => within((value + 1) / 2) };
  const sign = Math.sign(origin);
  return {
    // The middle is the value of the file, to the bit.
    value: (place) => (place === 0.5 ? origin : rounded(origin * TIMES_BELOW ** (2 * place - 1))),
    place: (value) => (sign * value > 0 ? within(0.5 + 0.5 * (Math.log(value / origin) / Math.log(TIMES_BELOW))) : 0),
  };
}

function within(place) {
  return Math.min(Math.max(place, 0), 1);
}

/** A number of three digits. */
function rounded(value) {
  return Number(value.toPrecision(3));
}

/** A number as it is read back, in few letters. */
function shortest(value) {
  return String(value);
}
