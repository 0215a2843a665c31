// The moments that were shown, as far back as memory allows: what pictures and curves are drawn from.

/** The most moments, and the most numbers of all. */
const MOMENTS_KEPT = 20000;
const NUMBERS_KEPT = 8e6;
/** The moments of running curves. */
const WINDOW = 600;

/** A running motion, as pictures see one that was recorded. */
class LiveMotion {
  constructor(opened, ahead) {
    const { scene, curves } = opened.facts;
    Object.assign(this, { opened, curves, points: scene.points, dimension: scene.dimension, isCurved: false });
    this.size = opened.coordinates.length;
    this.width = 1 + curves.length + 2 * this.size + scene.points * scene.dimension;
    this.rows = [opened.numbers];
    this.ahead = [...ahead, this.places(0)];
    this.head = { ...opened.facts, ...this.extent(), embedded: false };
  }

  get frames() {
    return this.rows.length;
  }

  get last() {
    return this.rows[this.rows.length - 1];
  }

  /** Whether a second run is beside the first. */
  get hasTwin() {
    return this.last.length > 1 + this.width;
  }

  /** Takes the same motion under other settings. */
  goOn(opened) {
    this.opened = opened;
    this.curves = opened.facts.curves;
    this.push(opened.numbers);
  }

  push(row) {
    // What is at the same time replaces the moment before.
    if (row[1] === this.last[1]) this.rows.pop();
    this.rows.push(row);
    const most = Math.max(2, Math.min(MOMENTS_KEPT, NUMBERS_KEPT / row.length));
    if (this.rows.length > most) this.rows.splice(0, this.rows.length - most);
  }

  /** The middle of all places that are seen at first, and how far they are from there. */
  extent() {
    const { dimension } = this;
    const bounds = [0, 1, 2].map((k) => (k < dimension ? range(this.ahead.flatMap((places) => [...places].filter((_, i) => i % dimension === k))) : [0, 0]));
    const centre = bounds.map(([low, high]) => (low <= high ? (low + high) / 2 : 0));
    const half = Math.max(...bounds.map(([low, high], k) => high - centre[k]));
    return { centre, half: half > 0 && Number.isFinite(half) ? half : 1 };
  }

  /** The places of a moment, all components one behind the other. */
  places(frame, twin = 0) {
    const begin = 1 + twin * this.width + 1 + this.curves.length + 2 * this.size;
    return this.rows[frame].subarray(begin, begin + this.points * this.dimension);
  }

  /** Places as pictures have them: three numbers a point, from the middle, in half widths. */
  scaled(places, into) {
    const { centre, half } = this.head;
    for (let point = 0; point < this.points; point++) {
      for (let k = 0; k < 3; k++) into[3 * point + k] = k < this.dimension ? (places[point * this.dimension + k] - centre[k]) / half : 0;
    }
    return into;
  }

  /** The same at a place between moments. */
  positions(place, into, twin = 0) {
    const frame = Math.min(Math.floor(place), this.frames - 1);
    this.scaled(this.places(frame, twin), into);
    const part = place - frame;
    if (part > 0 && frame + 1 < this.frames && (twin === 0 || this.rows[frame + 1].length > 1 + this.width)) {
      const next = this.scaled(this.places(frame + 1, twin), (this.next ??= new Float32Array(3 * this.points)));
      for (let k = 0; k < into.length; k++) into[k] += part * (next[k] - into[k]);
    }
    return into;
  }

  timeOf(frame) {
    return this.rows[frame][1];
  }

  time(place) {
    const frame = Math.min(Math.floor(place), this.frames - 1);
    const next = Math.min(frame + 1, this.frames - 1);
    return this.timeOf(frame) + (place - frame) * (this.timeOf(next) - this.timeOf(frame));
  }

  /** The place at a time among the last moments. */
  placeAt(time) {
    let frame = this.frames - 1;
    while (frame > 0 && this.timeOf(frame) > time) frame--;
    const length = frame + 1 < this.frames ? this.timeOf(frame + 1) - this.timeOf(frame) : 0;
    return frame + (length > 0 ? Math.min(Math.max((time - this.timeOf(frame)) / length, 0), 1) : 0);
  }

  /** The state of a moment: its time, coordinates and rates. */
  state(row = this.last) {
    const begin = 2 + this.curves.length;
    return { t: row[1], q: [...row.slice(begin, begin + this.size)], v: [...row.slice(begin + this.size, begin + 2 * this.size)] };
  }

  /** How far both runs are apart in the coordinates; NaN without a second one. */
  apart(row) {
    const begin = 2 + this.curves.length;
    let sum = 0;
    for (let k = begin; k < begin + this.size; k++) sum += (row[k + this.width] - row[k]) ** 2;
    return Math.sqrt(sum);
  }

  /** All moments as a table. */
  csv() {
    const { coordinates } = this.opened;
    const names = ["t", ...this.curves.map(({ name }) => name), ...coordinates, ...coordinates.map((name) => `der.${name}`)];
    const quoted = names.map((name) => (/[",]/.test(name) ? `"${name.replaceAll('"', '""')}"` : name));
    const lines = this.rows.map((row) => row.subarray(1, 1 + names.length).join(","));
    return [quoted.join(","), ...lines, ""].join("\n");
  }
}

/** The last moments, as curves see a motion: some numbers of each, which a function of a row gives. */
class Last {
  constructor(motion, of) {
    this.rows = motion.rows.slice(-WINDOW);
    this.head = motion.head;
    this.frames = this.rows.length;
    this.times = this.rows.map((row) => row[1]);
    this.of = of;
  }

  value(frame, k) {
    return this.of(this.rows[frame], k);
  }

  time(place) {
    return this.times[Math.round(place)];
  }
}
