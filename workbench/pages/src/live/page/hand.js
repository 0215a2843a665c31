// Bodies under a pointer: they are dragged as far as the constraints let them.

/** A pointer takes the body that is at most so many pixels away. */
const NEAR = 14;
/** A finger hides what it points at. */
const NEAR_FINGER = 28;

class Hand {
  constructor(canvas, live) {
    Object.assign(this, { canvas, live });
    const listen = (type, act) => canvas.addEventListener(type, act, { capture: true });
    listen("pointerdown", (event) => this.take(event));
    listen("pointermove", (event) => this.move(event));
    listen("pointerup", (event) => this.release(event));
    listen("pointercancel", (event) => this.release(event));
  }

  /** The place of a pointer in the pixels of the picture. */
  at(event) {
    const { left, top } = this.canvas.getBoundingClientRect();
    const ratio = window.devicePixelRatio || 1;
    return [(event.clientX - left) * ratio, (event.clientY - top) * ratio];
  }

  /** The body under a pointer. */
  under(event) {
    const { picture } = this.live;
    if (!picture || picture.motion.points === 0) return null;
    const [x, y] = this.at(event);
    const ratio = window.devicePixelRatio || 1;
    const near = event.pointerType === "touch" ? NEAR_FINGER : NEAR;
    let [nearest, least] = [null, Infinity];
    for (const point of picture.bodies) {
      const [px, py, scale] = picture.projected.subarray(4 * point, 4 * point + 3);
      const distance = Math.hypot(px - x, py - y) - Math.min(scale * picture.radii[point], 40 * ratio);
      if (distance < near * ratio && distance < least) [nearest, least] = [point, distance];
    }
    return nearest;
  }

  take(event) {
    const point = this.under(event);
    if (point === null || event.button > 0 || event.shiftKey) return;
    this.own(event);
    this.canvas.setPointerCapture(event.pointerId);
    const { picture } = this.live;
    const [x, y] = this.at(event);
    this.held = { id: event.pointerId, point, from: [x, y], place: [...picture.positions.subarray(3 * point, 3 * point + 3)], scale: picture.projected[4 * point + 2] };
    this.wasRunning = this.live.isRunning;
    this.live.pause();
  }

  move(event) {
    if (!this.held) {
      this.canvas.style.cursor = this.under(event) === null ? "" : "pointer";
      return;
    }
    if (event.pointerId !== this.held.id) return;
    this.own(event);
    const { camera } = this.live;
    const { from, place, scale, point } = this.held;
    const [x, y] = this.at(event);
    const [right, up] = [(x - from[0]) / scale, -(y - from[1]) / scale];
    const { centre, half } = this.live.motion.head;
    const to = place.map((at, k) => centre[k] + half * (at + right * camera.turn[k] + up * camera.turn[3 + k]));
    this.live.drag(point, to);
  }

  release(event) {
    if (!this.held || event.pointerId !== this.held.id) return;
    this.own(event);
    this.held = null;
    if (this.wasRunning) this.live.run();
    else this.live.remember();
  }

  /** The camera hears nothing of it. */
  own(event) {
    event.stopImmediatePropagation();
    event.preventDefault();
  }
}
