// What the colours of bodies say: their groups, their species, or how fast they are.

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
    this.ways = ["group", ...(this.kinds.length > 1 ? ["species"] : []), ...(motion.frames > 1 ? ["speed"] : [])];
    this.by = "group";
    this.speeds = new Float32Array(motion.points);
    this.fastest = null;
  }

  choose(way) {
    this.by = way;
    if (way === "speed") this.fastest ??= this.highest();
  }

  /** The speed of each point at a place between frames, in lengths by times of the model. */
  measure(place) {
    const { motion } = this.picture;
    const ends = [Math.max(place - ASIDE, 0), Math.min(place + ASIDE, motion.frames - 1)];
    const passed = motion.time(ends[1]) - motion.time(ends[0]);
    this.ends ??= ends.map(() => new Float32Array(3 * motion.points));
    const [from, to] = ends.map((end, k) => motion.positions(end, this.ends[k]));
    for (let point = 0; point < motion.points; point++) {
      const way = Math.hypot(...[0, 1, 2].map((k) => to[3 * point + k] - from[3 * point + k]));
      this.speeds[point] = (motion.head.half * way) / passed;
    }
    return this.speeds;
  }

  highest() {
    const { motion, bodies } = this.picture;
    let fastest = 0;
    for (let frame = 0; frame < motion.frames; frame += Math.max(1, Math.floor(motion.frames / LOOKED))) {
      const speeds = this.measure(frame);
      for (const point of bodies) if (speeds[point] > fastest) fastest = speeds[point];
    }
    return fastest || 1;
  }

  /** The colour of a body, or none where its group has it. */
  colourOf(point) {
    const { theme } = this.picture;
    if (this.by === "species" && this.species[point] !== null) return theme.colour(this.kinds.indexOf(this.species[point]));
    if (this.by !== "speed") return null;
    return ramp(this.speeds[point] / this.fastest);
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
      const unit = length && time ? ` ${length}/${time.includes(" ") ? `(${time})` : time}` : "";
      context.fillStyle = theme.quiet;
      context.fillText(`speed from 0 to ${written(this.fastest, this.fastest / 100)}${unit}`, right, top + 16 * ratio);
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
