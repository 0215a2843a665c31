// The surroundings of bodies: axes and numbers, the cell, the ground, the spheres and curves on which
// points stay, and words.

/** Lines of the ground to either side of its middle, and its size in half widths of the motion. */
const LINES = 8;
const GROUND = 1.6;

class Surroundings {
  constructor(picture) {
    this.picture = picture;
    this.scene = picture.scene;
    this.curves = this.scene.curves.map((curve) => ({ ...curve, points: curve.points.map((at) => this.inUnits(at)) }));
  }

  /** A place from the middle of the motion, in its half widths. */
  inUnits(at) {
    const { centre, half } = this.picture.motion.head;
    return at.map((x, k) => (x - centre[k]) / half);
  }

  /** Places that are in the picture when all of the motion is. */
  corners() {
    const { half } = this.picture.motion.head;
    const spheres = this.scene.spheres.flatMap(({ centre, radius }) =>
      [0, 1, 2].flatMap((axis) => [-1, 1].map((side) => this.inUnits(centre).map((x, k) => (k === axis ? x + (side * radius) / half : x)))),
    );
    return [...spheres, ...this.curves.filter(({ closed }) => closed).flatMap(({ points }) => points), ...this.picture.cell.corners];
  }

  /** The surroundings under bodies. */
  drawBehind() {
    const { motion } = this.picture;
    if (motion.dimension === 2 && motion.points > 0) this.drawGrid();
    this.drawGrounds();
    this.drawSpheres();
    this.drawCurves();
    this.drawCell();
  }

  /** The surroundings over bodies. */
  drawBefore() {
    if (this.picture.motion.points > 0) this.drawScale();
    this.drawLabels();
  }

  drawSpheres() {
    const { context, camera, theme } = this.picture;
    for (const sphere of this.scene.spheres) {
      const [centre, radius] = [this.inUnits(sphere.centre), sphere.radius / this.picture.motion.head.half];
      const [x, y, scale] = camera.project(...centre, [0, 0, 0, 0]);
      // A sphere seen from a distance d shows the circle of its tangents.
      const ratio = camera.distance === Infinity ? 0 : radius / camera.distance;
      const drawn = (scale * radius) / Math.sqrt(Math.max(1 - ratio * ratio, 0.05));
      const light = context.createRadialGradient(x - 0.3 * drawn, y - 0.4 * drawn, 0, x, y, drawn);
      light.addColorStop(0, mixed(theme.line, theme.stage, 0.85));
      light.addColorStop(1, mixed(theme.line, theme.stage, 0.35));
      context.fillStyle = this.picture.motion.dimension === 3 ? light : "transparent";
      context.strokeStyle = theme.line;
      context.lineWidth = 1.5;
      context.beginPath();
      context.arc(x, y, drawn, 0, 2 * Math.PI);
      context.fill();
      context.stroke();
    }
  }

  drawCurves() {
    const { context, camera, theme } = this.picture;
    context.lineJoin = "round";
    for (const { points, thin } of this.curves) {
      context.strokeStyle = mixed(theme.line, theme.quiet, thin ? 0 : 0.35);
      context.lineWidth = (thin ? 1 : 2.2) * (window.devicePixelRatio || 1);
      context.beginPath();
      points.forEach((at, k) => {
        const [x, y] = camera.project(...at, [0, 0, 0, 0]);
        if (k === 0) context.moveTo(x, y);
        else context.lineTo(x, y);
      });
      context.stroke();
    }
  }

  /**
   * The ground: in the plane a line with a band under it, in space a grid about the middle of the
   * motion.
   */
  drawGrounds() {
    const { context, camera, theme, motion } = this.picture;
    const at = (place) => camera.project(...place, [0, 0, 0, 0]);
    const path = (places) => places.forEach((place, k) => context[k === 0 ? "moveTo" : "lineTo"](...at(place).slice(0, 2)));
    for (const [place, direction] of this.scene.grounds) {
      const up = direction.map((x) => x / Math.hypot(...direction));
      const height = this.inUnits(place).reduce((sum, x, k) => sum + x * up[k], 0);
      const one = motion.dimension === 2 ? [-up[1], up[0], 0] : cross(up, Math.abs(up[0]) < 0.9 ? [1, 0, 0] : [0, 1, 0]);
      const size = motion.dimension === 2 ? 1e3 : GROUND / Math.hypot(...one);
      const two = cross(up, one);
      const point = (a, b, c = 0) => up.map((x, k) => (height - c) * x + size * (a * one[k] + b * two[k]));
      context.strokeStyle = mixed(theme.line, theme.quiet, motion.dimension === 2 ? 0.6 : 0.15);
      context.fillStyle = mixed(theme.line, theme.stage, 0.5);
      context.lineWidth = (motion.dimension === 2 ? 1.5 : 0.8) * (window.devicePixelRatio || 1);
      context.beginPath();
      if (motion.dimension === 2) {
        path([point(-1, 0), point(1, 0), point(1, 0, 0.03), point(-1, 0, 0.03)]);
        context.fill();
        context.beginPath();
        path([point(-1, 0), point(1, 0)]);
      } else {
        for (let k = -LINES; k <= LINES; k++) {
          path([point(k / LINES, -1), point(k / LINES, 1)]);
          path([point(-1, k / LINES), point(1, k / LINES)]);
        }
      }
      context.stroke();
    }
  }

  drawLabels() {
    const { context, theme, projected, radii } = this.picture;
    const ratio = window.devicePixelRatio || 1;
    context.font = `600 ${12 * ratio}px system-ui, sans-serif`;
    context.textAlign = "left";
    context.textBaseline = "middle";
    context.lineJoin = "round";
    for (const { point, text } of this.scene.labels) {
      const [x, y, scale] = projected.subarray(4 * point, 4 * point + 3);
      if (!Number.isFinite(x + y)) continue;
      const left = x + scale * radii[point] + 5 * ratio;
      context.lineWidth = 3 * ratio;
      context.strokeStyle = theme.stage;
      context.strokeText(text, left, y);
      context.fillStyle = theme.ink;
      context.fillText(text, left, y);
    }
    context.textBaseline = "alphabetic";
  }

  drawCell() {
    const { context, camera, theme } = this.picture;
    const corners = this.picture.cell.corners.map(([x, y, z]) => camera.project(x, y, z, [0, 0, 0, 0]));
    if (corners.length === 0) return;
    context.strokeStyle = theme.line;
    context.lineWidth = 1.5;
    context.beginPath();
    corners.forEach((from, number) => {
      for (const bit of [1, 2, 4]) {
        if (number & bit) continue;
        const to = corners[number | bit];
        context.moveTo(from[0], from[1]);
        context.lineTo(to[0], to[1]);
      }
    });
    context.stroke();
  }

  /** Lines at round numbers behind a motion in the plane, as long as it is not turned. */
  drawGrid() {
    const { context, camera, theme, canvas } = this.picture;
    if (camera.turn.some((x, k) => x !== identity()[k])) return;
    const { centre, half } = this.picture.motion.head;
    const ratio = window.devicePixelRatio || 1;
    const length = (k, pixels) => centre[k] + half * (camera.target[k] + pixels / camera.scale);
    const spans = [
      [length(0, -canvas.width / 2), length(0, canvas.width / 2), canvas.width],
      [length(1, -canvas.height / 2), length(1, canvas.height / 2), canvas.height],
    ];
    const about = Math.max(2, canvas.width / ratio / 130);
    const across = ticks(spans[0][0], spans[0][1], about);
    const step = across.length > 1 ? across[1] - across[0] : spans[0][1] - spans[0][0];
    const up = ticks(spans[1][0], spans[1][1], (about * canvas.height) / canvas.width);
    context.strokeStyle = mixed(theme.line, theme.stage, 0.55);
    context.lineWidth = ratio;
    context.fillStyle = theme.quiet;
    context.font = `${11 * ratio}px system-ui, sans-serif`;
    context.beginPath();
    for (const x of across) {
      const pixel = Math.round(((x - spans[0][0]) / (spans[0][1] - spans[0][0])) * canvas.width) + 0.5;
      context.moveTo(pixel, 0);
      context.lineTo(pixel, canvas.height);
      // Beside the line, which would strike it out.
      context.textAlign = "left";
      if (pixel > 60 * ratio && pixel < canvas.width - 190 * ratio) context.fillText(written(x, step), pixel + 4 * ratio, canvas.height - 8 * ratio);
    }
    for (const y of up) {
      const pixel = Math.round((1 - (y - spans[1][0]) / (spans[1][1] - spans[1][0])) * canvas.height) + 0.5;
      context.moveTo(0, pixel);
      context.lineTo(canvas.width, pixel);
      context.textAlign = "left";
      if (pixel < canvas.height - 24 * ratio && pixel > 40 * ratio) context.fillText(written(y, step), 8 * ratio, pixel - 4 * ratio);
    }
    context.stroke();
  }

  /** A bar of round length with its unit, and in space the axes. */
  drawScale() {
    const { context, camera, theme, canvas } = this.picture;
    const { half, length_axis: axis } = this.picture.motion.head;
    const ratio = window.devicePixelRatio || 1;
    const pixels = camera.scale / half;
    const length = ticks(0, (150 * ratio) / pixels, 2).find((tick) => tick * pixels > 45 * ratio) ?? (100 * ratio) / pixels;
    const [right, bottom] = [canvas.width - 16 * ratio, canvas.height - 14 * ratio];
    const unit = axis.slice("length".length).replace(/^,? /, "");
    context.strokeStyle = theme.quiet;
    context.fillStyle = theme.quiet;
    context.lineWidth = 1.5 * ratio;
    context.lineCap = "butt";
    context.beginPath();
    context.moveTo(right - length * pixels, bottom - 4 * ratio);
    context.lineTo(right - length * pixels, bottom);
    context.lineTo(right, bottom);
    context.lineTo(right, bottom - 4 * ratio);
    context.stroke();
    context.font = `${11 * ratio}px system-ui, sans-serif`;
    context.textAlign = "right";
    context.fillText(`${written(length, length)} ${unit}`.trim(), right, bottom - 8 * ratio);
    if (this.picture.motion.dimension === 3) this.drawAxes(ratio);
  }

  drawAxes(ratio) {
    const { context, camera, canvas, theme } = this.picture;
    const [x, y, size] = [38 * ratio, canvas.height - 38 * ratio, 26 * ratio];
    const t = camera.turn;
    context.lineWidth = 1.5 * ratio;
    context.textAlign = "center";
    for (const k of [0, 1, 2]) {
      const [dx, dy] = [t[k] * size, -t[3 + k] * size];
      context.strokeStyle = context.fillStyle = mixed(theme.quiet, theme.stage, t[6 + k] < 0 ? 0.45 : 0);
      context.beginPath();
      context.moveTo(x, y);
      context.lineTo(x + dx, y + dy);
      context.stroke();
      context.fillText("xyz"[k], x + 1.3 * dx, y + 1.3 * dy + 4 * ratio);
    }
  }
}
