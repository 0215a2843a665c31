// Puts everything together: the text, the settings, the module that computes, and what is drawn.

/** The module may compute for so many milliseconds of a frame. */
const BUDGET = 12;
/** The look ahead: its steps, milliseconds and moments. */
const AHEAD = [4000, 60, 80];
/** The time of the motion as a whole, in seconds at the usual speed. */
const WHOLE = 15;
/** An address has the state of so many coordinates at most. */
const ADDRESSED = 200;

class Live {
  constructor(head, bridge, wishes) {
    Object.assign(this, { head, bridge });
    this.element = (id) => document.getElementById(id);
    this.theme = new Theme();
    this.canvas = this.element("picture");
    this.camera = new Camera(2);
    this.editor = new Editor(() => this.open({ isEdit: true }));
    this.settings = new Settings((change) => this.change(change));
    this.running = new Running(this.element("strips"), this.element("portrait"), this.theme);
    this.hand = new Hand(this.canvas, this);
    const { set, method, options, step, speed, text, state, twin, paused } = wishes;
    this.editor.value = text ?? head.text;
    Object.assign(this, { set: set ?? { ...head.set }, method: method ?? head.method, options: options ?? (method ? {} : { ...head.options }), step: step ?? head.step, speed: speed > 0 ? speed : 1, hasTwin: twin });
    Object.assign(this, { isRunning: false, isBusy: false, isDue: true, target: 0, wished: state ?? head.state, rate: this.usualRate(head.span) });
    this.running.choice.dataset.wish = wishes.coordinate ?? "";
    this.createButtons();
    const [redraw, picture, motion] = [() => (this.isDue = true), { canvas: this.canvas }, { head: { embedded: false } }];
    Controls.prototype.listenToPointers.call({ camera: this.camera, picture, motion, redraw });
    this.theme.onChange(redraw);
    new ResizeObserver(() => this.resize()).observe(this.canvas);
    this.resize();
    this.first = this.open({ runs: !paused && !window.matchMedia("(prefers-reduced-motion: reduce)").matches }).then(() => {
      if (wishes.failure) this.fail(wishes.failure);
    });
    const frame = (now) => {
      this.frame(now);
      requestAnimationFrame(frame);
    };
    requestAnimationFrame(frame);
  }

  createButtons() {
    const { element, head } = this;
    const on = (id, act) => element(id).addEventListener("click", act);
    const shapes = { forth: "forth", trails: "trails", frame: "frame", theme: "theme", again: "loop" };
    for (const [id, name] of Object.entries(shapes)) element(id).innerHTML = shape(name);
    on("play", () => this.toggle());
    on("forth", () => this.takeStep());
    on("again", () => this.restart());
    on("twin", () => this.setTwin(!this.hasTwin));
    on("trails", () => this.toggleTrails());
    on("frame", () => this.frameAll());
    on("table", () => this.saveTable());
    on("theme", () => this.theme.toggle());
    on("defaults", () => {
      this.set = { ...head.set };
      this.open({});
    });
    on("undo", () => {
      this.editor.value = head.text;
      this.open({ isEdit: true });
    });
    element("file").textContent = head.name;
    const speed = element("speed");
    for (const value of SPEEDS) speed.add(new Option(`×${value}`, String(value)));
    if (!SPEEDS.includes(this.speed)) speed.add(new Option(`×${this.speed}`, String(this.speed)));
    speed.value = String(this.speed);
    speed.addEventListener("change", () => {
      this.speed = Number(speed.value);
      this.remember();
    });
    this.running.choice.addEventListener("change", () => {
      this.isDue = true;
      this.remember();
    });
    document.addEventListener("keydown", (event) => this.key(event, true));
    document.addEventListener("keyup", (event) => this.key(event, false));
  }

  /** A round rate at which the motion as a whole is seen. */
  usualRate(span) {
    const rate = span / WHOLE;
    const power = 10 ** Math.floor(Math.log10(rate));
    return [5, 2, 1].map((k) => k * power).find((round) => round <= rate * 1.001) ?? 1;
  }

  /** Takes a change of the settings. */
  change({ set, method, option, step }) {
    if (set) this.set[set[0]] = set[1];
    if (method) Object.assign(this, { method, options: {} });
    if (option) this.options[option[0]] = option[1];
    if (option?.[1] === "") delete this.options[option[0]];
    if (step) this.step = step;
    return this.open({});
  }

  /** Compiles the text, binds the parameters and starts, one after the other, the last of all wishes. */
  async open(wish) {
    this.wish = { ...this.wish, ...wish };
    if (this.isOpening) return;
    this.isOpening = true;
    try {
      while (this.wish) {
        const { isEdit, runs } = this.wish;
        this.wish = null;
        await this.openNow(isEdit === true, runs === true);
      }
    } finally {
      this.isOpening = false;
    }
  }

  async openNow(isEdit, runs) {
    const { head, set, method, options, step, motion } = this;
    const begin = performance.now();
    const text = this.editor.value;
    this.element("undo").hidden = text === head.text;
    const state = this.wished ?? motion?.state() ?? null;
    const open = { name: head.name, text, modules: head.modules, set, method, by: [options, step], state, of: isEdit ? (this.opened?.start ?? null) : null };
    const answer = await this.bridge.ask({ ask: { open } });
    if (answer.mistakes) return this.refuse(answer.mistakes);
    if (answer.stopped || answer.failed) {
      if (answer.stopped) this.lose();
      this.editor.tell([]);
      this.element("compiled").textContent = "";
      return this.fail(answer.stopped ? `The declaration was stopped: ${answer.stopped}.` : answer.failed);
    }
    this.wished = null;
    this.fail("");
    this.editor.tell(answer.warnings);
    await this.take(answer, state);
    const took = performance.now() - begin;
    this.element("compiled").textContent = `computed in ${Math.max(1, Math.round(took))} ms`;
    if (runs) this.run();
    this.remember();
    // Each method would begin as long.
    if (took < PATIENCE / 5) this.offer();
  }

  /** Finds the methods that start, when nothing else is asked. */
  async offer() {
    const { opened } = this;
    const answer = await this.bridge.ask({ ask: "methods" });
    if (this.opened !== opened) return;
    if (answer.stopped) this.got(answer);
    else if (answer.methods) this.settings.offer(answer.methods, this.method);
  }

  /** Shows what was opened. */
  async take(answer, asked) {
    const before = this.motion;
    const isSame = before && before.opened.coordinates.join() === answer.coordinates.join() && JSON.stringify(before.opened.facts.scene) === JSON.stringify(answer.facts.scene);
    this.opened = answer;
    if (!this.defaults) this.defaults = Object.fromEntries(answer.parameters.map(({ name, value }) => [name, this.head.defaults?.[name] ?? value]));
    this.method = answer.method.name;
    this.options = Object.fromEntries(answer.options.filter(({ value }) => value !== null).map(({ name, value }) => [name, value]));
    if (this.hasTwin) answer.numbers = (await this.bridge.ask({ ask: { twin: true } })).numbers ?? answer.numbers;
    const goesOn = isSame && asked && answer.numbers[1] === asked.t && answer.facts.curves.length === before.curves.length;
    if (goesOn) {
      before.goOn(answer);
    } else {
      const { places } = await this.bridge.ask({ ahead: AHEAD });
      const wasRunning = this.isRunning;
      this.motion = new LiveMotion(answer, (places ?? []).map((one) => one));
      const kept = isSame ? { ...this.camera } : null;
      if (isSame) Object.assign(this.motion.head, { centre: before.head.centre, half: before.head.half });
      this.camera.dimension = this.motion.dimension;
      const trails = this.picture?.trails;
      this.picture = new LivePicture(this.canvas, this.motion, this.camera, this.theme);
      if (isSame) {
        Object.assign(this.camera, kept);
        this.picture.trails = trails;
      }
      this.running.show(this.motion);
      const { choice } = this.running;
      if (choice.dataset.wish) choice.value = choice.dataset.wish;
      choice.dataset.wish = "";
      this.isRunning = wasRunning;
    }
    this.target = this.motion.last[1];
    this.settings.unit = answer.facts.time_axis.slice("time t, ".length);
    this.settings.show(answer, this.defaults);
    this.showInputs();
    this.element("title").textContent = answer.name.replace(/(?<=[a-z])(?=[A-Z])/g, " ");
    this.element("summary").textContent = firstSentence(answer.documentation);
    this.canvas.setAttribute("aria-label", `${answer.name}, ${this.motion.points} points`);
    this.element("defaults").hidden = JSON.stringify(this.set) === JSON.stringify(this.head.set);
    this.element("trails").hidden = this.picture.bodies.length === 0 || this.picture.bodies.length > TRAILS_AT_MOST;
    this.isDue = true;
  }

  /** Tells the mistakes of the text; what ran before goes on. */
  refuse(mistakes) {
    this.editor.tell(mistakes);
    this.element("compiled").textContent = mistakes.length === 1 ? "1 mistake" : `${mistakes.length} mistakes`;
  }

  fail(text) {
    const failure = this.element("failure");
    failure.hidden = text === "";
    failure.textContent = text;
  }

  /** The module has forgotten what ran. */
  lose() {
    this.isRunning = false;
    this.opened = null;
    this.isDue = true;
  }

  /** Inputs that the arrow keys push. */
  showInputs() {
    const { inputs } = this.opened;
    const names = inputs.map(([name]) => name).join();
    const parent = this.element("inputs");
    if (parent.dataset.of === names) return;
    parent.dataset.of = names;
    parent.replaceChildren();
    this.strengths = inputs.map(([name], number) => {
      const row = document.createElement("div");
      row.className = "setting";
      const label = document.createElement("label");
      label.textContent = `${name} ${["← →", "↑ ↓"][number] ?? ""}`;
      const strength = document.createElement("input");
      Object.assign(strength, { type: "text", inputMode: "decimal", value: "1", id: `input-${number}` });
      label.htmlFor = strength.id;
      const unit = this.opened.parameters.find((parameter) => parameter.name === name)?.unit ?? "";
      row.append(label, this.pads(name, number), strength, Object.assign(document.createElement("span"), { textContent: unit }));
      parent.append(row);
      return strength;
    });
  }

  /** Buttons that push an input while they are held. */
  pads(name, number) {
    const both = document.createElement("span");
    both.className = "pads";
    for (const [sign, letter] of [[-1, "−"], [1, "+"]]) {
      const pad = Object.assign(document.createElement("button"), { type: "button", textContent: letter });
      pad.setAttribute("aria-label", `${name}, ${letter}`);
      pad.addEventListener("pointerdown", (event) => {
        pad.setPointerCapture(event.pointerId);
        this.push(number, sign);
      });
      for (const end of ["pointerup", "pointercancel"]) pad.addEventListener(end, () => this.push(number, 0));
      both.append(pad);
    }
    return both;
  }

  async push(number, sign) {
    const value = sign * Number(this.strengths[number].value);
    const { failed } = await this.bridge.ask({ ask: { input: [number, Number.isFinite(value) ? value : 0] } });
    if (failed) this.fail(failed);
  }

  run() {
    if (!this.opened) return;
    this.isRunning = true;
    this.lastFrame = null;
    this.target = this.motion.last[1];
    this.isDue = true;
  }

  pause() {
    this.isRunning = false;
    this.isDue = true;
  }

  toggle() {
    if (this.isRunning) this.pause();
    else this.run();
    this.remember();
  }

  async takeStep() {
    this.pause();
    await this.advance(1);
    this.remember();
  }

  /** Takes so many steps, however long they take; returns the last moment. */
  async advance(steps) {
    for (let done = 0; done < steps && this.opened; ) {
      const answer = await this.bridge.ask({ advance: [steps - done, 100] });
      this.got(answer);
      if (answer.failed || answer.stopped) break;
      done += answer.done;
    }
    return this.motion.last;
  }

  /** Starts again from the start of the model. */
  async restart() {
    const answer = await this.bridge.ask({ ask: { begin: null } });
    if (answer.failed || !this.opened) return this.fail(answer.failed ?? "");
    this.fail("");
    if (this.hasTwin) answer.numbers = (await this.bridge.ask({ ask: { twin: true } })).numbers ?? answer.numbers;
    this.motion.rows = [answer.numbers];
    this.running.show(this.motion);
    this.target = answer.numbers[1];
    this.isDue = true;
    this.remember();
  }

  async setTwin(has) {
    this.hasTwin = has;
    const answer = await this.bridge.ask({ ask: { twin: has } });
    if (answer.failed) {
      this.hasTwin = false;
      return this.fail(answer.failed);
    }
    this.motion.push(answer.numbers);
    this.isDue = true;
    this.remember();
  }

  /** Moves a body; places that come while the module computes wait, the last one alone. */
  async drag(point, to) {
    this.dragged = { point, to };
    if (this.isDragging) return;
    this.isDragging = true;
    while (this.dragged) {
      const drag = this.dragged;
      this.dragged = null;
      const answer = await this.bridge.ask({ ask: { drag } });
      if (answer.failed) this.fail(answer.failed);
      else this.got(answer);
    }
    this.isDragging = false;
  }

  /** A new moment has come. */
  got(answer) {
    if (answer.stopped) {
      this.lose();
      return this.fail(`The run was stopped: ${answer.stopped}.`);
    }
    if (answer.numbers) this.motion.push(answer.numbers);
    if (answer.failed) {
      this.pause();
      this.fail(`The run ended at t = ${short(this.motion.last[1])}: ${answer.failed}`);
    }
    this.isDue = true;
  }

  /** What belongs to a frame: steps until its time, and the picture. */
  frame(now) {
    if (this.isRunning && this.opened && !this.isOpening) {
      const passed = this.lastFrame === null ? 0 : Math.min(now - this.lastFrame, 100) / 1000;
      this.lastFrame = now;
      this.target += passed * this.rate * this.speed;
      const steps = Math.ceil((this.target - this.motion.last[1]) / this.opened.step);
      if (steps > 0 && !this.isBusy) this.go(steps);
      this.isDue = true;
    }
    if (!this.isDue || !this.picture) return;
    this.isDue = false;
    this.draw();
  }

  async go(steps) {
    this.isBusy = true;
    const asked = this.motion;
    const answer = await this.bridge.ask({ advance: [steps, BUDGET] });
    this.isBusy = false;
    if (asked !== this.motion || this.isOpening) return;
    // What takes longer than a frame goes slower than it was wished.
    this.isSlow = answer.done < steps;
    this.got(answer);
    if (this.isSlow) this.target = Math.min(this.target, this.motion.last[1]);
  }

  draw() {
    const { motion, picture, element } = this;
    const place = this.isRunning ? motion.placeAt(this.target) : motion.frames - 1;
    picture.draw(place);
    this.running.draw();
    const button = element("play");
    const name = this.isRunning ? "pause" : "play";
    if (button.dataset.shape !== name) {
      button.dataset.shape = name;
      button.innerHTML = shape(name);
      button.setAttribute("aria-label", this.isRunning ? "Pause" : "Run");
    }
    const unit = motion.head.time_axis.slice("time t, ".length);
    // A unit may begin with a number, as 48.888 fs.
    const time = `t = ${written(motion.time(place), this.rate / 100)}${/^\d/.test(unit) ? " ·" : ""} ${unit}`.trim();
    element("clock").textContent = time;
    element("time").textContent = `${motion.last[0]} steps`;
    element("pace").textContent = this.isRunning && this.isSlow ? "as fast as it can be computed here" : "";
    element("twin").setAttribute("aria-pressed", String(this.hasTwin));
    element("trails").setAttribute("aria-pressed", String(picture.trails));
  }

  resize() {
    const ratio = window.devicePixelRatio || 1;
    const { canvas } = this;
    const [width, height] = [canvas.clientWidth, canvas.clientHeight].map((length) => Math.max(1, Math.round(length * ratio)));
    if (width === canvas.width && height === canvas.height) return;
    Object.assign(canvas, { width, height });
    this.camera.resize(width, height);
    if (this.picture) this.draw();
  }

  toggleTrails() {
    this.picture.trails = !this.picture.trails;
    this.isDue = true;
  }

  frameAll() {
    this.picture.frameAll();
    this.isDue = true;
  }

  saveTable() {
    const link = document.createElement("a");
    link.href = URL.createObjectURL(new Blob([this.motion.csv()], { type: "text/csv" }));
    link.download = `${this.head.name.replace(/\.rs$/, "")}.csv`;
    link.click();
    setTimeout(() => URL.revokeObjectURL(link.href), 1000);
  }

  /** Writes the state behind the address, when nothing has changed for a moment. */
  remember() {
    clearTimeout(this.remembering);
    this.remembering = setTimeout(() => this.rememberNow(), 300);
  }

  rememberNow() {
    if (!this.opened) return Promise.resolve();
    const { head, set, speed, motion, editor, running } = this;
    const other = (value, known) => (value === known ? null : value);
    return remembered({
      text: other(editor.value, head.text),
      set: JSON.stringify(set) === JSON.stringify(head.set) ? null : set,
      method: other(this.method, head.method),
      options: JSON.stringify(this.options) === JSON.stringify(this.method === head.method ? head.options : {}) ? null : this.options,
      step: other(this.step, head.step),
      speed: other(speed, 1),
      coordinate: other(running.choice.value, "0"),
      twin: this.hasTwin,
      paused: !this.isRunning,
      state: !this.isRunning && motion.size <= ADDRESSED ? motion.state() : null,
    });
  }

  key(event, isDown) {
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    const own = event.target.tagName;
    if (["SELECT", "TEXTAREA", "INPUT"].includes(own) || (own === "BUTTON" && [" ", "Enter"].includes(event.key))) return;
    const pushes = { ArrowLeft: [0, -1], ArrowRight: [0, 1], ArrowDown: [1, -1], ArrowUp: [1, 1] }[event.key];
    if (pushes && this.opened && pushes[0] < this.opened.inputs.length) {
      event.preventDefault();
      if (!event.repeat) this.push(pushes[0], isDown ? pushes[1] : 0);
      return;
    }
    if (!isDown) return;
    const acts = { " ": () => this.toggle(), ".": () => this.takeStep(), r: () => this.restart(), f: () => this.frameAll(), t: () => this.toggleTrails() };
    const act = acts[event.key.toLowerCase()];
    if (!act) return;
    event.preventDefault();
    act();
  }
}

/** The first sentence of a documentation, without the marks of code. */
function firstSentence(text) {
  const [first] = text.split("\n\n");
  return first.replaceAll("\n", " ").replaceAll("`", "").replace(/(\.) .*$/s, "$1");
}

/** Tells why nothing runs. */
function giveUp(reason) {
  const failure = document.getElementById("failure");
  failure.hidden = false;
  failure.textContent = `Nothing can be computed: ${reason}`;
}

async function begin() {
  if (textOf("module") === "") return giveUp(`${document.getElementById("module").getAttribute("src")} is not beside this page.`);
  const head = JSON.parse(textOf("head"));
  const live = new Live(head, new Bridge(), await recalled());
  await live.first;
  // For programs.
  window.leastAction = live;
}

begin().catch((error) => {
  giveUp(`${error.message}. A browser of 2023 or later is needed.`);
  throw error;
});
