// The numbers of the page: base64 as bytes, and positions from deflated differences.
// workbench/pages/src/view/code.rs describes the format, and has equal constants.

const GROUP = 65536;
const MISSING = -32768;
/** The quanta of a unit of the way of a velocity, as in grain.rs. */
const SLOPE = 4;

/** The text of an element of the page. */
function textOf(id) {
  return document.getElementById(id).textContent;
}

/** Bytes from base64, a piece at a time: a string of 30 MB as one would need a second one as large. */
function bytesOf(id) {
  const text = textOf(id);
  const padding = text.endsWith("==") ? 2 : text.endsWith("=") ? 1 : 0;
  const bytes = new Uint8Array((text.length / 4) * 3 - padding);
  const piece = 1 << 16;
  for (let begin = 0, at = 0; begin < text.length; begin += piece) {
    const binary = atob(text.slice(begin, begin + piece));
    for (let k = 0; k < binary.length; k++) bytes[at++] = binary.charCodeAt(k);
  }
  return bytes;
}

/** All frames of positions, one behind the other, as whole numbers of quanta. */
async function decodePositions(bytes, frames, width) {
  const inflated = new Blob([bytes]).stream().pipeThrough(new DecompressionStream("deflate-raw"));
  const planes = new Uint8Array(await new Response(inflated).arrayBuffer());
  const all = new Int16Array(frames * width);
  const group = Math.max(1, Math.floor(GROUP / width));
  for (let begin = 0; begin < frames; begin += group) {
    const count = Math.min(group, frames - begin);
    for (let k = 0; k < width; k++) {
      for (let frame = 0; frame < count; frame++) {
        const low = 2 * begin * width + k * count + frame;
        const folded = planes[low] | (planes[low + count * width] << 8);
        const difference = (folded >>> 1) ^ -(folded & 1);
        const at = (begin + frame) * width + k;
        // Zero stands before the first frame; the array takes numbers modulo 2¹⁶.
        all[at] = difference + 2 * (all[at - width] ?? 0) - (all[at - 2 * width] ?? 0);
      }
    }
  }
  return all;
}

/** A way of this part of the half width of the motion is short. */
const SHORT = 0.1;
/** A motion is back if it is so near to its start, as a part of its largest distance from there. */
const BACK = 0.05;

/** The content of the page: its head, the times of its frames, the values of its curves, its positions. */
class Motion {
  constructor(head, whole, slopes) {
    this.head = head;
    const { scene, frames } = this.head;
    this.frames = frames;
    this.points = scene.points;
    this.dimension = scene.dimension;
    this.times = new Float64Array(bytesOf("times").buffer);
    this.values = new Float32Array(bytesOf("values").buffer);
    this.curves = this.head.strips.flatMap((strip) => strip.curves);
    this.whole = whole;
    // Ways in the mean time between frames, in units of SLOPE quanta; none where nothing is recorded or
    // ways are straight.
    this.isCurved = this.head.interval !== null;
    this.slopes = slopes;
  }

  /** The motion of this page. */
  static async read() {
    const head = JSON.parse(textOf("head"));
    const numbers = (id) => decodePositions(bytesOf(id), head.frames, head.scene.points * head.scene.dimension);
    return new Motion(head, await numbers("positions"), head.interval === null ? null : await numbers("velocities"));
  }

  /**
   * Positions at a place between frames, on the cubic with the places and the velocities of both, or on
   * the line: three numbers for each point, NaN where a place is unknown. They are measured from the
   * middle of the motion in units of its half width.
   */
  positions(place, into) {
    const { points, dimension, slopes } = this;
    const frame = Math.min(Math.floor(place), this.frames - 1);
    const next = Math.min(frame + 1, this.frames - 1);
    const part = place - frame;
    const isCurved = this.isCurved && part > 0;
    const rest = 1 - part;
    const ways = isCurved ? (SLOPE * (this.times[next] - this.times[frame])) / this.head.interval : 0;
    const weights = [(1 + 2 * part) * rest * rest, part * part * (3 - 2 * part), ways * part * rest * rest, -ways * part * part * rest];
    const unit = this.head.quantum / this.head.half;
    const small = SHORT / unit;
    const one = frame * points * dimension;
    const other = next * points * dimension;
    for (let point = 0; point < points; point++) {
      const isKnown = isCurved && this.isKnown(one + point * dimension, other + point * dimension, ways, small);
      for (let k = 0; k < 3; k++) {
        if (k >= dimension) {
          into[3 * point + k] = 0;
          continue;
        }
        const at = point * dimension + k;
        const [from, to] = [this.whole[one + at], this.whole[other + at]];
        const is = from !== MISSING && (part === 0 || to !== MISSING);
        let now = from + part * (to - from);
        if (isKnown) {
          now = weights[0] * from + weights[1] * to + weights[2] * slopes[one + at] + weights[3] * slopes[other + at];
        }
        into[3 * point + k] = is ? unit * now : NaN;
      }
    }
    return into;
  }

  /**
   * True if a cubic knows the way of a point between two frames: its velocities are known, and it has not turned by
   * more than half, or moves little.
   */
  isKnown(from, to, ways, small) {
    let [chord, before, after] = [0, 0, 0];
    for (let k = 0; k < this.dimension; k++) {
      const [one, other] = [this.slopes[from + k], this.slopes[to + k]];
      if (one === MISSING || other === MISSING) return false;
      const along = this.whole[to + k] - this.whole[from + k];
      chord += along * along;
      before += (ways * one - along) ** 2;
      after += (ways * other - along) ** 2;
    }
    return Math.max(before, after) <= Math.max(4 * chord, small * small);
  }

  /** The time at a place between frames. */
  time(place) {
    const frame = Math.min(Math.floor(place), this.frames - 1);
    const next = Math.min(frame + 1, this.frames - 1);
    return this.times[frame] + (place - frame) * (this.times[next] - this.times[frame]);
  }

  /** The place between frames at a time. */
  placeAt(time) {
    let [low, high] = [0, this.frames - 1];
    if (this.frames < 2 || time <= this.times[0]) return 0;
    if (time >= this.times[high]) return high;
    while (high - low > 1) {
      const middle = (low + high) >> 1;
      if (this.times[middle] <= time) low = middle;
      else high = middle;
    }
    const length = this.times[high] - this.times[low];
    return low + (length > 0 ? (time - this.times[low]) / length : 0);
  }

  /** The time until points are back where they began, and go as they went then; null if they never are. */
  period() {
    const { whole, frames, times } = this;
    const width = this.points * this.dimension;
    const distance = (difference) => {
      let sum = 0;
      for (let k = 0; k < width; k++) sum += difference(k) ** 2;
      return Math.sqrt(sum);
    };
    const way = (frame, k) => whole[(frame + 1) * width + k] - whole[frame * width + k];
    const far = Array.from({ length: frames }, (_, frame) => distance((k) => whole[frame * width + k] - whole[k]));
    const largest = far.reduce((most, one) => Math.max(most, one), 0);
    const longest = Array.from({ length: frames - 1 }, (_, frame) => distance((k) => way(frame, k))).reduce((most, one) => Math.max(most, one), 0);
    let hasLeft = false;
    for (let frame = 1; frame + 1 < frames; frame++) {
      hasLeft ||= far[frame] > 0.5 * largest;
      const isNear = far[frame] < Math.max(BACK * largest, 0.5 * longest) && far[frame] <= far[frame - 1] && far[frame] <= far[frame + 1];
      if (hasLeft && isNear && distance((k) => way(frame, k) - way(0, k)) < 0.5 * longest) return times[frame] - times[0];
    }
    return null;
  }

  /** The difference of a curve to its first value, at a frame. */
  value(frame, curve) {
    return this.values[frame * this.curves.length + curve];
  }
}
