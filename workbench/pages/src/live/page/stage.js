// The picture of a running motion: a twin in the background, and curves where there are no points.

/** Coordinates that are drawn at most where no points are. */
const DRAWN = 4;

class LivePicture extends Picture {
  /** The moments that the camera frames: those ahead of the start, and those that were shown. */
  *looks() {
    const { motion } = this;
    for (const places of motion.ahead) yield this.cell.wrap(motion.scaled(places, this.positions));
    const apart = Math.max(1, Math.floor(motion.frames / 100));
    for (let frame = 0; frame < motion.frames; frame += apart) yield this.cell.wrap(motion.positions(frame, this.positions));
  }

  draw(place) {
    if (this.motion.points === 0) return this.drawCoordinates();
    super.draw(place);
    if (this.motion.hasTwin) this.drawTwin(place);
  }

  /** The second run as outlines. */
  drawTwin(place) {
    const { context, motion, camera, theme, scene } = this;
    const at = motion.positions(place, (this.twin ??= new Float32Array(3 * motion.points)), 1);
    const seen = (point) => camera.project(at[3 * point], at[3 * point + 1], at[3 * point + 2], [0, 0, 0, 0]);
    const ratio = window.devicePixelRatio || 1;
    context.strokeStyle = theme.colour(1);
    context.lineWidth = 1.5 * ratio;
    context.globalAlpha = 0.8;
    context.beginPath();
    for (const [a, b] of [...scene.rods, ...scene.springs]) {
      context.moveTo(...seen(a).slice(0, 2));
      context.lineTo(...seen(b).slice(0, 2));
    }
    for (const point of this.bodies) {
      const [x, y, scale] = seen(point);
      const radius = Math.max(scale * this.radii[point], 2 * ratio);
      context.moveTo(x + radius, y);
      context.arc(x, y, radius, 0, 2 * Math.PI);
    }
    context.stroke();
    context.globalAlpha = 1;
  }

  /** Without points the coordinates over time are the picture. */
  drawCoordinates() {
    const { context, canvas, motion, theme } = this;
    context.fillStyle = theme.stage;
    context.fillRect(0, 0, canvas.width, canvas.height);
    const ratio = window.devicePixelRatio || 1;
    const count = Math.min(DRAWN, motion.size);
    const height = (canvas.height - 64 * ratio) / count;
    for (let k = 0; k < count; k++) {
      const name = motion.opened.coordinates[k];
      const curves = new Curves(new Last(motion, (row) => row[2 + motion.curves.length + k]), theme, { axis: name, change: true, curves: [{ name }] }, 0);
      const left = curves.room(context, ratio, (height - 22 * ratio) / ratio);
      const top = 56 * ratio + k * height;
      curves.draw(context, { left, top, width: canvas.width - left - 20 * ratio, height: height - 22 * ratio, ratio, hasTime: false });
      curves.drawCursor(context, ratio, curves.motion.frames - 1);
      context.fillStyle = theme.ink;
      context.textAlign = "left";
      context.fillText(name, left, top - 6 * ratio);
    }
  }
}
