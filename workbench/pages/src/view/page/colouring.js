// The meaning of the colours of bodies: their groups, their species, how fast they are, or their kinetic
// energy.

/** From slow to fast, told apart by everybody, in as many steps. */
const RAMP = ["#440154", "#3b528b", "#21918c", "#5ec962", "#fde725"];
const STEPS = 32;
/** A speed is that between places so far before and behind, in frames. */
const ASIDE = 0.05;
/** The frames that are looked at for the fastest. */
const LOOKED = 100;

class Colouring {
  constructor(picture) {
    this.picture = picture;
    const { scene, motion } = picture;
    this.species = new Array(motion.points).fill(null);
    for (const { first, count, species } of scene.groups) {
      for (let k = 0; k < count && species; k++) this.species[first + k] = species[k % species.length];
    }
    this.kinds = [...new Set(this.species.filter((kind) => kind !== null))];
    this.masses = new Float32Array(motion.points).fill(NaN);
    for (const { first, count, masses } of scene.groups) {
      for (let k = 0; k < count && masses; k++) this.masses[first + k] = masses[k % masses.length];
    }
    const moves = motion.frames > 1;
    const isHeavy = this.masses.some(Number.isFinite);
    this.ways = ["group", ...(this.kinds.length > 1 ? ["species"] : []), ...(moves ? ["speed"] : []), ...(moves && isHeavy ? ["energy"] : [])];
    this.by = "group";
    this.values = new Float32Array(motion.points);
    this.highest = {};
  }

  choose(way) {
    this.by = way;
    if (this.measures) this.highest[way] ??= this.largest();
  }

  /** True if colours show a quantity. */
  get measures() {
    return this.by === "speed" || this.by === "energy";
  }

  /** The speed or the kinetic energy of each point at a place between frames, in units of the model. */
  measure(place) {
    const { motion } = this.picture;
    const ends = [Math.max(place - ASIDE, 0), Math.min(place + ASIDE, motion.frames - 1)];
    const passed = motion.time(ends[1]) - motion.time(ends[0]);
    this.ends ??= ends.map(() => new Float32Array(3 * motion.points));
    const [from, to] = ends.map((end, k) => motion.positions(end, this.ends[k]));
    for (let point = 0; point < motion.points; point++) {
      const way = Math.hypot(...[0, 1, 2].map((k) => to[3 * point + k] - from[3 * point + k]));
      const speed = (motion.head.half * way) / passed;
      this.values[point] = this.by === "speed" ? speed : 0.5 * this.masses[point] * speed * speed;
    }
    return this.values;
  }

  largest() {
    const { motion, bodies } = this.picture;
    let largest = 0;
    for (let frame = 0; frame < motion.frames; frame += Math.max(1, Math.floor(motion.frames / LOOKED))) {
      const values = this.measure(frame);
      for (const point of bodies) if (values[point] > largest) largest = values[point];
    }
    return largest || 1;
  }

  /** The colour of a body, or none where its group has it. */
  colourOf(point) {
    const { theme } = this.picture;
    if (this.by === "species" && this.species[point] !== null) return theme.colour(this.kinds.indexOf(this.species[point]));
    return this.measures && Number.isFinite(this.values[point]) ? ramp(this.values[point] / this.highest[this.by]) : null;
  }

  /** The scale in the upper right corner. */
  drawScale() {
    const { context, canvas, theme, motion } = this.picture;
    if (this.by === "group") return;
    const ratio = window.devicePixelRatio || 1;
    const [right, top] = [canvas.width - 16 * ratio, 14 * ratio];
    context.font = `${11 * ratio}px system-ui, sans-serif`;
    context.textBaseline = "middle";
    context.textAlign = "right";
    if (this.by === "species") {
      this.kinds.forEach((kind, k) => {
        const y = top + (6 + 16 * k) * ratio;
        context.fillStyle = theme.ink;
        context.fillText(kind, right - 12 * ratio, y);
        context.fillStyle = theme.colour(k);
        context.beginPath();
        context.arc(right - 4 * ratio, y, 4 * ratio, 0, 2 * Math.PI);
        context.fill();
      });
    } else {
      const wide = 120 * ratio;
      for (let k = 0; k < STEPS; k++) {
        context.fillStyle = ramp(k / (STEPS - 1));
        context.fillRect(right - wide + (k * wide) / STEPS, top, wide / STEPS + 1, 8 * ratio);
      }
      const [length, time] = [motion.head.length_axis, motion.head.time_axis].map((axis) => axis.split(", ")[1]);
      const perTime = length && time ? `${length}/${time.includes(" ") ? `(${time})` : time}` : "";
      const [name, unit] = this.by === "speed" ? ["speed", perTime] : motion.head.energy_axis.split(", ");
      const highest = this.highest[this.by];
      context.fillStyle = theme.quiet;
      context.fillText(`${name} from 0 to ${written(highest, highest / 100)} ${unit ?? ""}`.trim(), right, top + 16 * ratio);
    }
    context.textBaseline = "alphabetic";
  }
}

/** A colour from slow, 0, to fast, 1. */
function ramp(part) {
  const step = Math.round(Math.min(Math.max(part || 0, 0), 1) * (STEPS - 1)) / (STEPS - 1);
  const place = step * (RAMP.length - 1);
  const k = Math.min(Math.floor(place), RAMP.length - 2);
  return mixed(RAMP[k], RAMP[k + 1], place - k);
}
