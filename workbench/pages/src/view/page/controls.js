// The controls of a hand: buttons, pointers on the picture, keys.

const SHAPES = {
  play: '<path d="M4 2.5v11l9-5.5z"/>',
  pause: '<path d="M4 2.5h3v11H4zM9 2.5h3v11H9z"/>',
  back: '<path d="M11.5 3v10L5 8zM3 3h1.6v10H3z"/>',
  forth: '<path d="M4.5 3v10L11 8zM11.4 3H13v10h-1.6z"/>',
  loop: '<path d="M8 3V.8L11.6 4 8 7.2V5a3.5 3.5 0 1 0 3.4 4.3h2A5.5 5.5 0 1 1 8 3z"/>',
  trails: '<path d="M1 13.2c3.400 0 4.600-2.200 5.600-4.400S8.800 4.200 11 3.600a2.200 2.200 0 1 1 .4 1.900c-1.300.6-2.200 2-3.200 4.100S5.400 14.700 1 14.700z"/>',
  frame: '<path d="M2 2h4.500v1.600H3.600v2.900H2zM9.500 2H14v4.500h-1.600V3.600H9.500zM2 9.500h1.600v2.900h2.900V14H2zM12.400 9.500H14V14H9.500v-1.600h2.900z"/>',
  follow: '<path d="M7.200 1h1.600v2.300a4.800 4.800 0 0 1 3.900 3.900H15v1.600h-2.300a4.800 4.800 0 0 1-3.900 3.900V15H7.200v-2.300a4.800 4.800 0 0 1-3.900-3.900H1V7.200h2.300a4.800 4.800 0 0 1 3.900-3.900zM8 4.800a3.200 3.200 0 1 0 0 6.400 3.200 3.200 0 0 0 0-6.400zM8 6.600a1.400 1.400 0 1 1 0 2.800 1.400 1.400 0 0 1 0-2.800z"/>',
  theme: '<path d="M8 2a6 6 0 1 0 0 12A6 6 0 0 0 8 2zm0 1.6v8.8a4.4 4.4 0 0 1 0-8.8z"/>',
};

function shape(name) {
  return `<svg viewBox="0 0 16 16" aria-hidden="true">${SHAPES[name]}</svg>`;
}

class Controls {
  constructor(motion, player, picture, camera, theme, saver, redraw) {
    Object.assign(this, { motion, player, picture, camera, theme, saver, redraw });
    this.element = (id) => document.getElementById(id);
    this.createButtons();
    this.listenToPointers();
    document.addEventListener("keydown", (event) => this.key(event));
  }

  createButtons() {
    const { motion, player, picture, theme, element } = this;
    for (const id of ["back", "forth", "loop", "trails", "frame", "follow", "theme"]) element(id).innerHTML = shape(id);
    const on = (id, act) => element(id).addEventListener("click", act);
    on("play", () => this.playOrPause());
    on("back", () => this.step(-1));
    on("forth", () => this.step(1));
    on("loop", () => this.toggleLoop());
    on("trails", () => this.toggleTrails());
    on("frame", () => this.frameAll());
    on("follow", () => this.toggleFollow());
    on("theme", () => theme.toggle());
    const scrub = element("scrub");
    scrub.max = String(motion.frames - 1);
    scrub.addEventListener("input", () => player.seek(Number(scrub.value)));
    const speed = element("speed");
    for (const value of SPEEDS) speed.add(new Option(`×${value}`, String(value), value === 1, value === 1));
    speed.title = `×1 is ${written(player.rate)} of the time of the model in a second`;
    speed.addEventListener("change", () => (player.speed = Number(speed.value)));
    const colour = element("colour");
    for (const way of picture.colouring.ways) colour.add(new Option(`by ${way}`, way));
    colour.addEventListener("change", () => {
      picture.colouring.choose(colour.value);
      this.redraw();
    });
    colour.hidden = picture.bodies.length === 0 || picture.colouring.ways.length < 2;
    const save = element("save");
    const ways = this.saver.ways();
    for (const name of ["save", ...Object.keys(ways)]) save.add(new Option(name));
    save.options[0].disabled = save.options[0].hidden = true;
    save.addEventListener("change", () => {
      const way = ways[save.value];
      save.selectedIndex = 0;
      this.say("saving");
      way().then(() => this.say("saved"));
    });
    element("trails").hidden = picture.bodies.length === 0 || picture.bodies.length > TRAILS_AT_MOST;
    element("frame").hidden = motion.points === 0;
    element("follow").hidden = !picture.canFollow;
  }

  /** Shows the state of the player. */
  show() {
    const { motion, player, picture, element } = this;
    const button = element("play");
    const name = player.isPlaying ? "pause" : "play";
    if (button.dataset.shape !== name) {
      button.dataset.shape = name;
      button.innerHTML = shape(name);
      button.setAttribute("aria-label", player.isPlaying ? "Pause" : "Play");
    }
    const frame = Math.round(player.place);
    element("scrub").value = String(frame);
    element("scrub").setAttribute("aria-valuetext", `frame ${frame + 1} of ${motion.frames}, ${this.time()}`);
    element("time").textContent = `${frame + 1} of ${motion.frames}`;
    element("clock").textContent = this.time();
    element("loop").setAttribute("aria-pressed", String(player.loops));
    element("trails").setAttribute("aria-pressed", String(picture.trails));
    element("follow").setAttribute("aria-pressed", String(picture.follows));
  }

  /** The time in words, with its unit. */
  time() {
    const { motion, player } = this;
    const span = motion.times[motion.frames - 1] - motion.times[0];
    const unit = motion.head.time_axis.slice("time t, ".length);
    // A unit may begin with a number, as 48.888 fs.
    const between = unit === "" ? "" : /^\d/.test(unit) ? " · " : " ";
    return `t = ${written(motion.time(player.place), span / 1000)}${between}${unit}`;
  }

  /** Tells the listeners. */
  say(text) {
    this.element("spoken").textContent = text;
  }

  playOrPause() {
    this.player.toggle();
    this.say(this.player.isPlaying ? "playing" : `paused at ${this.time()}`);
  }

  step(frames) {
    this.player.step(frames);
    this.say(this.time());
  }

  toggleLoop() {
    this.player.loops = !this.player.loops;
    this.redraw();
  }

  toggleTrails() {
    this.picture.trails = !this.picture.trails;
    this.redraw();
  }

  toggleFollow() {
    const { picture } = this;
    picture.follows = picture.canFollow && !picture.follows;
    this.frameAll();
  }

  frameAll() {
    this.picture.frameAll();
    this.redraw();
  }

  /** One pointer turns, or moves a plane motion; with Shift or another button it moves; two zoom and move. */
  listenToPointers() {
    const { camera, picture } = this;
    const { canvas } = picture;
    const pointers = new Map();
    const ratio = () => window.devicePixelRatio || 1;
    const position = (event) => [event.clientX, event.clientY];
    canvas.addEventListener("pointerdown", (event) => {
      canvas.setPointerCapture(event.pointerId);
      pointers.set(event.pointerId, position(event));
    });
    const lift = (event) => pointers.delete(event.pointerId);
    canvas.addEventListener("pointerup", lift);
    canvas.addEventListener("pointercancel", lift);
    canvas.addEventListener("pointermove", (event) => {
      const before = pointers.get(event.pointerId);
      if (!before) return;
      const now = position(event);
      const [dx, dy] = [now[0] - before[0], now[1] - before[1]];
      if (pointers.size === 2) {
        const [other] = [...pointers].filter(([id]) => id !== event.pointerId).map(([, at]) => at);
        const { left, top } = canvas.getBoundingClientRect();
        const distance = (at) => Math.hypot(at[0] - other[0], at[1] - other[1]);
        const middle = [(now[0] + other[0]) / 2 - left, (now[1] + other[1]) / 2 - top];
        camera.pan((dx / 2) * ratio(), (dy / 2) * ratio());
        if (distance(before) > 0) camera.zoomBy(distance(now) / distance(before), middle[0] * ratio(), middle[1] * ratio());
      } else if (camera.dimension === 2 || event.shiftKey || event.buttons > 1) {
        camera.pan(dx * ratio(), dy * ratio());
      } else {
        camera.rotate(dx, dy);
      }
      pointers.set(event.pointerId, now);
      this.redraw();
    });
    canvas.addEventListener("contextmenu", (event) => event.preventDefault());
    canvas.addEventListener(
      "wheel",
      (event) => {
        // In a report the wheel goes on in the text until the picture was chosen.
        if (this.motion.head.embedded && document.activeElement !== canvas) return;
        event.preventDefault();
        const { left, top } = canvas.getBoundingClientRect();
        const lines = event.deltaMode === 1 ? 30 : 1;
        camera.zoomBy(Math.exp(-0.0015 * lines * event.deltaY), (event.clientX - left) * ratio(), (event.clientY - top) * ratio());
        this.redraw();
      },
      { passive: false },
    );
  }

  key(event) {
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    const { player, camera, motion } = this;
    // Elements of forms use these keys themselves.
    const own = event.target.tagName;
    if (own === "SELECT" || (own === "BUTTON" && [" ", "Enter"].includes(event.key))) return;
    if (own === "INPUT" && (event.key.startsWith("Arrow") || ["Home", "End"].includes(event.key))) return;
    const [turn, move] = [12, 40 * (window.devicePixelRatio || 1)];
    const moves = event.shiftKey || camera.dimension === 2;
    const go = (x, y) => (moves ? camera.pan(-x * move, -y * move) : camera.rotate(x * turn, y * turn));
    const acts = {
      " ": () => this.playOrPause(),
      ",": () => this.step(-1),
      ".": () => this.step(1),
      Home: () => player.seek(0),
      End: () => player.seek(motion.frames - 1),
      ArrowLeft: () => go(-1, 0),
      ArrowRight: () => go(1, 0),
      ArrowUp: () => go(0, -1),
      ArrowDown: () => go(0, 1),
      "+": () => camera.zoomBy(1.25),
      "=": () => camera.zoomBy(1.25),
      "-": () => camera.zoomBy(0.8),
      f: () => this.frameAll(),
      c: () => this.toggleFollow(),
      t: () => this.toggleTrails(),
      l: () => this.toggleLoop(),
    };
    const act = acts[event.key] ?? acts[event.key.toLowerCase()];
    if (!act) return;
    event.preventDefault();
    act();
    this.redraw();
  }
}
