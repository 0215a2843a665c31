// The picture: points, rods, springs, surfaces and boxes, the farthest first.

/** Bodies up to this number have trails when the page opens, and may have some at all. */
const TRAILS_AT_FIRST = 12;
const TRAILS_AT_MOST = 200;
/** The pieces of a trail between two frames of a curved motion. */
const CURVED = 5;
/** The frames of a trail. */
const TRAIL = 240;
/** The camera looks at about so many positions when it frames the motion. */
const FRAMED = 5000;
/** Bodies that go so many times as far as they reach have left their first picture. */
const LEFT = 4;
/** The part of the picture that bodies take which the camera follows. */
const TAKEN = 0.6;
/** More springs than this are drawn as lines. */
const COILED = 400;
/** Depths are sorted into so many layers. */
const LAYERS = 2048;
/** More bodies than this are copied pixel by pixel. */
const MANY = 800;

class Picture {
  constructor(canvas, motion, camera, theme) {
    Object.assign(this, { canvas, motion, camera, theme });
    this.context = canvas.getContext("2d", { willReadFrequently: true });
    this.sprites = new Sprites(theme);
    this.scene = motion.head.scene;
    const count = motion.points;
    this.cell = new Cell(motion.head, count, motion.dimension);
    this.solids = new Solids(this.scene, motion.head.half);
    this.surroundings = new Surroundings(this);
    this.positions = new Float32Array(3 * count);
    // x and y in the picture, the scale there, and the depth of each point.
    this.projected = new Float32Array(4 * count);
    this.milliseconds = 0;
    this.describePoints();
    this.trails = this.bodies.length <= TRAILS_AT_FIRST;
    this.follows = this.canFollow && this.leaves();
    this.frameAll();
    this.colouring = new Colouring(this);
  }

  /** The kind, the colour and the radius of each point, found once. */
  describePoints() {
    const { scene, motion } = this;
    this.kinds = new Array(motion.points).fill("hidden");
    this.colours = new Array(motion.points).fill(null);
    this.colourNumbers = new Array(motion.points).fill(0);
    this.radii = new Float32Array(motion.points);
    this.bodies = [];
    const ofSurface = new Set(scene.faces.flat());
    const usual = this.usualRadius();
    let number = 0;
    for (const group of scene.groups) {
      const isBody = group.kind === "body";
      for (let k = 0; k < group.count; k++) {
        const point = group.first + k;
        const isSurface = ofSurface.has(point) && group.radius === undefined;
        const isInside = this.solids.covered.has(point) && group.radius === undefined && group.kind !== "hidden";
        this.kinds[point] = isSurface ? "hidden" : isInside ? "inside" : group.kind;
        if (isBody && !isSurface) this.bodies.push(point);
        this.colourNumbers[point] = number;
        if (group.colours) this.colours[point] = group.colours[k % group.colours.length];
        const radius = group.radius === undefined ? usual : group.radius / motion.head.half;
        this.radii[point] = isBody ? radius : 0.6 * usual;
      }
      if (isBody && group.count > 0) number++;
    }
  }

  /** A radius that leaves room between bodies, in half widths of the motion. */
  usualRadius() {
    const { scene, motion } = this;
    const count = scene.groups.filter((group) => group.kind === "body").reduce((sum, group) => sum + group.count, 0);
    const room = Math.min(0.045, 0.55 / Math.max(count, 1) ** (1 / motion.dimension));
    const at = motion.positions(0, this.positions);
    const lengths = [...scene.rods, ...scene.springs].map(([a, b]) => Math.hypot(...[0, 1, 2].map((k) => at[3 * a + k] - at[3 * b + k])));
    const links = lengths.filter((length) => length > 0).sort((a, b) => a - b);
    const middle = links.length > 0 ? links[links.length >> 1] : Infinity;
    return Math.max(0.006, Math.min(room, 0.24 * middle));
  }

  /** Turns the camera so that all of the motion can be seen, or all of the bodies about their middle. */
  frameAll() {
    const { motion, camera } = this;
    const points = [];
    const add = (at, radius) => {
      if (!at.every(Number.isFinite)) return;
      points.push(...at.map((x, k) => (k < motion.dimension ? x - radius : 0)), ...at.map((x, k) => (k < motion.dimension ? x + radius : 0)));
    };
    const step = Math.max(1, Math.floor(motion.points / FRAMED));
    for (const at of this.looks()) {
      const middle = this.follows ? this.middle(at) : [0, 0, 0];
      const from = (point) => [0, 1, 2].map((k) => at[3 * point + k] - middle[k]);
      for (let point = 0; point < motion.points; point += step) if (!this.follows || this.goes(point)) add(from(point), this.radii[point]);
      for (const { ends, radii } of this.solids.all) ends.forEach((point, k) => add(from(point), radii[k]));
      for (const box of this.scene.boxes) boxCorners(box, at).forEach((corner) => add(corner.map((x, k) => x - middle[k]), 0));
    }
    if (!this.follows) this.surroundings.corners().forEach((corner) => add(corner, 0));
    camera.reset(points.length > 0 ? points : [-1, -1, -1, 1, 1, 1]);
    // The way is part of the picture.
    if (this.follows) camera.zoomBy(TAKEN);
  }

  /** The positions in some frames all over the motion, one after the other in the same memory. */
  *looks() {
    const { motion } = this;
    const apart = Math.max(1, Math.floor((motion.frames * motion.points) / FRAMED));
    for (let frame = 0; frame < motion.frames; frame += apart) yield this.cell.wrap(motion.positions(frame, this.positions));
  }

  /** False of a cell, in which all points stay, and where nothing goes. */
  get canFollow() {
    return this.motion.points > 0 && this.cell.corners.length === 0 && this.kinds.some((kind, point) => this.goes(point));
  }

  /** True of points that may go somewhere: places from which bodies hang stand, unless they slide. */
  goes(point) {
    return this.kinds[point] !== "mount" || (this.scene.sliding ?? []).includes(point);
  }

  /** The middle of the points that go. */
  middle(at) {
    const [sum, count] = [[0, 0, 0], [0, 0, 0]];
    for (let point = 0; point < this.motion.points; point++) {
      if (!this.goes(point)) continue;
      for (let k = 0; k < 3; k++) {
        if (!Number.isFinite(at[3 * point + k])) continue;
        sum[k] += at[3 * point + k];
        count[k]++;
      }
    }
    return sum.map((x, k) => x / Math.max(count[k], 1));
  }

  /** True if bodies stay together, leave their first picture far behind, and do not come back. */
  leaves() {
    const middles = [];
    let [own, first] = [0, 0];
    for (const at of this.looks()) {
      const middle = this.middle(at);
      at.forEach((x, i) => {
        if (!Number.isFinite(x)) return;
        const off = Math.abs(x - middle[i % 3]);
        if (middles.length === 0) first = Math.max(first, off);
        if (this.goes(Math.floor(i / 3))) own = Math.max(own, off);
      });
      middles.push(middle);
    }
    const ways = middles.map((middle) => Math.hypot(...middle.map((x, k) => x - middles[0][k])));
    const farthest = Math.max(...ways);
    // A point alone has no size, and nothing would be seen to move.
    return own > 0 && farthest > LEFT * Math.max(own, first) && ways[ways.length - 1] > 0.5 * farthest;
  }

  /** Draws the motion at a place between frames. */
  draw(place) {
    const begin = performance.now();
    const { context, canvas, theme } = this;
    context.fillStyle = theme.stage;
    context.fillRect(0, 0, canvas.width, canvas.height);
    this.cell.wrap(this.motion.positions(place, this.positions));
    if (this.follows) this.camera.carry(this.middle(this.positions));
    this.surroundings.drawBehind();
    if (this.colouring.measures) this.colouring.measure(place);
    if (this.trails && this.bodies.length <= TRAILS_AT_MOST) this.drawTrails(place);
    this.project();
    const layers = this.sorted();
    if (this.bodies.length > MANY) this.drawMany(layers);
    else for (const layer of layers) this.drawLayer(layer, () => true);
    this.surroundings.drawBefore();
    this.colouring.drawScale();
    const took = performance.now() - begin;
    this.milliseconds += 0.1 * (took - this.milliseconds);
  }

  project() {
    const into = [0, 0, 0, 0];
    let [near, far] = [-Infinity, Infinity];
    for (let point = 0; point < this.motion.points; point++) {
      const at = 3 * point;
      this.camera.project(this.positions[at], this.positions[at + 1], this.positions[at + 2], into);
      this.projected.set(into, 4 * point);
      if (Number.isFinite(into[3])) {
        near = Math.max(near, into[3]);
        far = Math.min(far, into[3]);
      }
    }
    this.near = near;
    this.reach = Math.max(near - far, 0.3);
  }

  /** How far a depth fades into the background, from 0 to 1. */
  fading(depth) {
    return this.motion.dimension === 2 ? 0 : Math.min(Math.max((this.near - depth) / this.reach, 0), 1);
  }

  /** The layers of the drawing, the farthest first: the kind of each and its number, one behind the other. */
  sorted() {
    const { scene, projected } = this;
    const layers = Array.from({ length: LAYERS }, () => []);
    const put = (depth, what, number) => {
      if (Number.isFinite(depth)) layers[Math.min(LAYERS - 1, Math.floor((1 - this.fading(depth)) * (LAYERS - 1)))].push(what, number);
    };
    const depth = (point) => projected[4 * point + 3];
    const mean = (points) => points.reduce((sum, point) => sum + depth(point), 0) / points.length;
    scene.faces.forEach((face, k) => put(mean(face), "face", k));
    // A link lies behind the bodies at its ends.
    scene.rods.forEach((ends, k) => put(mean(ends) - 0.02 * (this.motion.dimension - 2), "rod", k));
    scene.springs.forEach((ends, k) => put(mean(ends) - 0.02 * (this.motion.dimension - 2), "spring", k));
    scene.boxes.forEach((box, k) => put(depth(box.centre), "box", k));
    this.solids.all.forEach(({ ends }, k) => put(mean(ends), "solid", k));
    this.kinds.forEach((kind, point) => {
      if (kind === "body" || kind === "mount") put(depth(point), kind, point);
    });
    return layers;
  }

  /** Draws the wanted members of a layer. */
  drawLayer(layer, isWanted) {
    const { scene } = this;
    for (let k = 0; k < layer.length; k += 2) {
      const [what, number] = [layer[k], layer[k + 1]];
      if (!isWanted(what)) continue;
      if (what === "body" || what === "mount") this.drawBall(what, number);
      else if (what === "face") this.drawFace(scene.faces[number]);
      else if (what === "box") this.drawBox(scene.boxes[number]);
      else if (what === "solid") this.solids.draw(this, number);
      else if (this.raster) this.copyLine(what === "rod" ? scene.rods[number] : scene.springs[number]);
      else if (what === "rod") this.drawRod(scene.rods[number]);
      else this.drawSpring(scene.springs[number]);
    }
  }

  /** Draws very many bodies: surfaces first, then bodies and links pixel by pixel, the farthest first. */
  drawMany(layers) {
    const isSurface = (what) => ["face", "box", "solid"].includes(what);
    layers.forEach((layer) => this.drawLayer(layer, isSurface));
    this.raster = new Raster(this.context);
    layers.forEach((layer) => this.drawLayer(layer, (what) => !isSurface(what)));
    this.raster.finish();
    this.raster = null;
  }

  /** A link as a row of dots in the pixels. */
  copyLine(ends) {
    const [[ax, ay], [bx, by]] = this.visibleEnds(ends);
    const depth = Math.floor(this.fading(this.projected[4 * ends[0] + 3]) * (DEPTHS - 1));
    const radius = Math.max(1, this.thickness(ends) / 2);
    const dot = this.sprites.ball(mixed(this.theme.quiet, this.theme.ink, 0.25), radius, depth, true);
    const steps = Math.ceil(Math.hypot(bx - ax, by - ay) / radius);
    if (!Number.isFinite(steps)) return;
    for (let k = 0; k <= steps; k++) this.raster.copy(dot, ax + ((bx - ax) * k) / steps, ay + ((by - ay) * k) / steps);
  }

  colourOf(point) {
    return this.colouring.colourOf(point) ?? this.colours[point] ?? this.theme.colour(this.colourNumbers[point]);
  }

  drawBall(kind, point) {
    const at = 4 * point;
    const radius = Math.min(Math.max(this.projected[at + 2] * this.radii[point], 1.5), 400);
    const step = Math.floor(this.fading(this.projected[at + 3]) * (DEPTHS - 1));
    const isMount = kind === "mount";
    const colour = isMount ? mixed(this.theme.quiet, this.theme.ink, 0.3) : this.colourOf(point);
    const sprite = this.sprites.ball(colour, radius, step, isMount);
    const [x, y] = [this.projected[at], this.projected[at + 1]];
    if (this.scene.sliding?.includes(point) && this.motion.dimension === 2) this.drawCart(x, y, radius);
    if (this.raster) this.raster.copy(sprite, x, y);
    else this.context.drawImage(sprite.canvas, x - sprite.half, y - sprite.half);
  }

  /** A cart at a point that slides, from which a rod hangs. */
  drawCart(x, y, radius) {
    const { context, theme } = this;
    context.fillStyle = mixed(theme.quiet, theme.stage, 0.35);
    context.beginPath();
    context.roundRect(x - 3.4 * radius, y - 1.6 * radius, 6.8 * radius, 3.2 * radius, 0.5 * radius);
    for (const side of [-2, 2]) context.roundRect(x + (side - 0.8) * radius, y + 1.6 * radius, 1.6 * radius, 1.6 * radius, 0.8 * radius);
    context.fill();
  }

  at(point) {
    return [this.projected[4 * point], this.projected[4 * point + 1]];
  }

  /** The colour of lines at a depth. */
  lineColour(depth) {
    return mixed(mixed(this.theme.quiet, this.theme.ink, 0.25), this.theme.stage, 0.6 * this.fading(depth));
  }

  thickness(ends) {
    const [a, b] = ends;
    const radius = Math.min(this.radii[a] || Infinity, this.radii[b] || Infinity);
    return Math.min(Math.max(0.5 * radius * this.projected[4 * a + 2], 1.2), 14);
  }

  /** The places in the picture where a link leaves the surfaces of the bodies at its ends. */
  visibleEnds([a, b]) {
    const at = (point) => [0, 1, 2].map((k) => this.positions[3 * point + k]);
    const [from, to] = [at(a), at(b)];
    const along = to.map((x, k) => x - from[k]);
    const length = Math.hypot(...along) || 1;
    const leave = (point, place, sign) => {
      const shift = this.kinds[point] === "hidden" || this.kinds[point] === "inside" ? 0 : (sign * 0.9 * Math.min(this.radii[point], 0.4 * length)) / length;
      return this.camera.project(...place.map((x, k) => x + shift * along[k]), [0, 0, 0, 0]);
    };
    return [leave(a, from, 1), leave(b, to, -1)];
  }

  drawRod(ends) {
    const { context } = this;
    const [[ax, ay], [bx, by]] = this.visibleEnds(ends);
    context.strokeStyle = this.lineColour((this.projected[4 * ends[0] + 3] + this.projected[4 * ends[1] + 3]) / 2);
    context.lineWidth = this.thickness(ends);
    context.lineCap = ends.some((point) => this.kinds[point] === "hidden") ? "round" : "butt";
    context.beginPath();
    context.moveTo(ax, ay);
    context.lineTo(bx, by);
    context.stroke();
  }

  drawSpring(ends) {
    const { context } = this;
    const [[ax, ay], [bx, by]] = this.visibleEnds(ends);
    const [dx, dy] = [bx - ax, by - ay];
    const length = Math.hypot(dx, dy);
    context.strokeStyle = this.lineColour((this.projected[4 * ends[0] + 3] + this.projected[4 * ends[1] + 3]) / 2);
    context.lineWidth = Math.max(1, 0.45 * this.thickness(ends));
    context.lineJoin = "round";
    context.beginPath();
    context.moveTo(ax, ay);
    if (this.scene.springs.length <= COILED && length > 12) {
      const coils = 9;
      const wide = Math.min(0.16 * length, Math.max(3, 1.1 * this.thickness(ends)));
      const [nx, ny] = [(-dy / length) * wide, (dx / length) * wide];
      for (let k = 0; k < 2 * coils; k++) {
        const along = 0.12 + (0.76 * (k + 0.5)) / (2 * coils);
        const side = k % 2 === 0 ? 1 : -1;
        context.lineTo(ax + along * dx + side * nx, ay + along * dy + side * ny);
      }
    }
    context.lineTo(bx, by);
    context.stroke();
  }

  drawFace(face) {
    const turned = face.map((point) => this.turned(point));
    const normal = cross(...[1, 2].map((k) => turned[k].map((x, i) => x - turned[0][i])));
    this.fill(face.map((point) => this.at(point)), this.theme.colour(this.colourNumbers[face[0]]), normal, this.projected[4 * face[0] + 3]);
  }

  /** A point as the camera sees it, x to the right, y up, z towards the eye. */
  turned(point) {
    return this.turnedAlong(this.positions.subarray(3 * point, 3 * point + 3));
  }

  /** The same of a direction. */
  turnedAlong(v) {
    const t = this.camera.turn;
    return [0, 1, 2].map((row) => t[3 * row] * v[0] + t[3 * row + 1] * v[1] + t[3 * row + 2] * v[2]);
  }

  /**
   * A flat piece of surface, lit from above the left shoulder; one of a round body has no edges to be
   * seen.
   */
  fill(corners, colour, normal, depth, hasEdges = true) {
    const { context } = this;
    const size = Math.hypot(...normal) || 1;
    const facing = normal[2] < 0 ? -1 : 1;
    const light = (facing * (-0.35 * normal[0] + 0.55 * normal[1] + 0.76 * normal[2])) / size;
    const lit = light > 0.6 ? mixed(colour, "#ffffff", light - 0.6) : mixed(colour, "#000000", 0.55 * (0.6 - Math.max(light, 0)));
    const shown = mixed(lit, this.theme.stage, 0.35 * this.fading(depth));
    context.fillStyle = shown;
    context.strokeStyle = hasEdges ? mixed(shown, this.theme.ink, 0.18) : shown;
    context.lineWidth = 0.8;
    context.lineJoin = "round";
    context.beginPath();
    corners.forEach(([x, y], k) => (k === 0 ? context.moveTo(x, y) : context.lineTo(x, y)));
    context.closePath();
    context.fill();
    context.stroke();
  }

  /** A box by its centre and the middles of three faces: its three visible faces, and the axes of the body. */
  drawBox({ centre, faces }) {
    const at = (point) => [...this.positions.subarray(3 * point, 3 * point + 3)];
    const middle = at(centre);
    const axes = [0, 1, 2].map((k) => at(faces + k).map((x, i) => x - middle[i]));
    if (![...middle, ...axes.flat()].every(Number.isFinite)) return;
    const into = [0, 0, 0, 0];
    const corner = (signs) => {
      const [x, y, z] = [0, 1, 2].map((i) => middle[i] + signs[0] * axes[0][i] + signs[1] * axes[1][i] + signs[2] * axes[2][i]);
      return this.camera.project(x, y, z, into).slice(0, 2);
    };
    const turn = (v) => this.turnedAlong(v);
    const depth = this.projected[4 * centre + 3];
    const eye = [0, 0, this.camera.distance].map((x, k) => x - turn(middle.map((y, i) => y - this.camera.target[i]))[k]);
    axes.forEach((axis, k) => {
      const normal = turn(axis);
      for (const side of [-1, 1]) {
        // A face is seen from its outside alone.
        const outwards = normal.reduce((sum, x, i) => sum + side * x * (eye[i] - side * x), 0);
        if (outwards <= 0) continue;
        const around = [[1, 1], [1, -1], [-1, -1], [-1, 1]].map(([a, b]) => {
          const signs = [a, b];
          signs.splice(k, 0, side);
          return corner(signs);
        });
        const colour = mixed(this.theme.colour(k), side === 1 ? "#ffffff" : "#000000", side === 1 ? 0.12 : 0.2);
        this.fill(around, colour, normal.map((x) => side * x), depth);
      }
    });
  }

  drawTrails(place) {
    const { context, motion, camera } = this;
    const last = Math.floor(place);
    const first = Math.max(0, last - TRAIL);
    const at = (this.trailPositions ??= new Float32Array(3 * motion.points));
    const into = [0, 0, 0, 0];
    const paths = this.bodies.map(() => []);
    const images = [];
    // Of curved ways, several places between two frames.
    const parts = motion.isCurved ? CURVED : 1;
    for (let step = first * parts; step < (last + 1) * parts + 1; step++) {
      this.cell.wrap(motion.positions(Math.min(step / parts, place), at));
      this.bodies.forEach((point, k) => {
        const image = this.cell.image(point);
        // A line breaks where it would lead through the cell to another image.
        if (images[k] !== undefined && images[k] !== image) paths[k].push(NaN, NaN);
        images[k] = image;
        camera.project(at[3 * point], at[3 * point + 1], at[3 * point + 2], into);
        paths[k].push(into[0], into[1]);
      });
    }
    context.lineWidth = 1.6 * (window.devicePixelRatio || 1);
    context.lineCap = "butt";
    const pieces = 12;
    paths.forEach((path, k) => {
      context.strokeStyle = this.colourOf(this.bodies[k]);
      const count = path.length / 2 - 1;
      for (let piece = 0; piece < pieces; piece++) {
        const [from, to] = [piece, piece + 1].map((part) => Math.floor((count * part) / pieces));
        context.globalAlpha = 0.05 + (0.6 * (piece + 1)) / pieces;
        context.beginPath();
        let isDown = false;
        for (let i = from; i <= to; i++) {
          const [x, y] = [path[2 * i], path[2 * i + 1]];
          if (!Number.isFinite(x + y)) isDown = false;
          else if (isDown) context.lineTo(x, y);
          else {
            context.moveTo(x, y);
            isDown = true;
          }
        }
        context.stroke();
      }
    });
    context.globalAlpha = 1;
  }

}

/** The corners of a box that has its centre and the middles of three faces among these positions. */
function boxCorners({ centre, faces }, at) {
  const axes = [0, 1, 2].map((axis) => [0, 1, 2].map((k) => at[3 * (faces + axis) + k] - at[3 * centre + k]));
  const signs = (number) => [0, 1, 2].map((axis) => (((number >> axis) & 1) === 1 ? 1 : -1));
  const corner = (signs) => [0, 1, 2].map((k) => signs.reduce((sum, sign, axis) => sum + sign * axes[axis][k], at[3 * centre + k]));
  return [0, 1, 2, 3, 4, 5, 6, 7].map((number) => corner(signs(number)));
}
