// The camera: it turns about a point, and projects the motion onto the picture.
//
// A point p, measured from the middle of the motion in units of its half width, is turned:
// r = R (p - target). Seen from a distance d in front of it, it is at x = w/2 + s r_x, y = h/2 - s r_y
// with s = scale d / (d - r_z). In the plane d is infinite.

class Camera {
  constructor(dimension) {
    this.dimension = dimension;
    this.width = 1;
    this.height = 1;
    this.reset([-1, -1, -1, 1, 1, 1]);
  }

  /** Looks from the usual side at points, three numbers each, which all fit into the picture. */
  reset(points) {
    this.points = points;
    this.carried = [0, 0, 0];
    const [low, high] = [0, 1, 2].map((k) => range(points.filter((_, i) => i % 3 === k))).reduce(
      ([lows, highs], [low, high]) => [[...lows, low], [...highs, high]],
      [[], []],
    );
    this.target = low.map((x, k) => (x <= high[k] ? (x + high[k]) / 2 : 0));
    this.distance = this.dimension === 3 ? 6 : Infinity;
    this.turn = this.side();
    this.zoom = 1;
    this.whole = 1;
    // The middle of the picture is the middle of the visible points.
    const { x, y } = this.seen();
    if (x[0] <= x[1]) this.pan(this.width / 2 - (x[0] + x[1]) / 2, this.height / 2 - (y[0] + y[1]) / 2);
    this.usual = this.target;
    this.fit();
  }

  /** Goes along with a place, from which the points are measured. */
  carry(place) {
    this.target = this.target.map((x, k) => x + place[k] - this.carried[k]);
    this.carried = place;
  }

  /** Between which places of the picture the points are. */
  seen() {
    const [x, y, into] = [[Infinity, -Infinity], [Infinity, -Infinity], [0, 0, 0, 0]];
    for (let k = 0; k < this.points.length; k += 3) {
      this.project(this.points[k], this.points[k + 1], this.points[k + 2], into);
      [x, y].forEach((bounds, i) => {
        bounds[0] = Math.min(bounds[0], into[i]);
        bounds[1] = Math.max(bounds[1], into[i]);
      });
    }
    return { x, y };
  }

  /** The scale at which all points fit into the picture, as they are seen from the usual side. */
  fit() {
    const [turn, target, zoom] = [this.turn, this.target, this.zoom];
    Object.assign(this, { turn: this.side(), target: this.usual, zoom: 1, whole: 1 });
    const { x, y } = this.seen();
    Object.assign(this, { turn, target, zoom });
    const reach = (bounds, size) => Math.max(size / 2 - bounds[0], bounds[1] - size / 2, 1e-3);
    const margin = [0.86, 0.84];
    this.whole = Math.min((margin[0] * this.width) / 2 / reach(x, this.width), (margin[1] * this.height) / 2 / reach(y, this.height));
  }

  /** The usual side: space is seen from above, with z up. */
  side() {
    return this.dimension === 3 ? product(about(0, -1.15), about(2, -0.6)) : identity();
  }

  resize(width, height) {
    this.width = width;
    this.height = height;
    this.fit();
  }

  get scale() {
    return this.whole * this.zoom;
  }

  /** Where a point is in the picture, how large a unit is there, and how near it is. */
  project(x, y, z, into) {
    const [px, py, pz] = [x - this.target[0], y - this.target[1], z - this.target[2]];
    const t = this.turn;
    const depth = t[6] * px + t[7] * py + t[8] * pz;
    const scale = this.distance === Infinity ? this.scale : (this.scale * this.distance) / Math.max(this.distance - depth, 1e-3);
    into[0] = this.width / 2 + scale * (t[0] * px + t[1] * py + t[2] * pz);
    into[1] = this.height / 2 - scale * (t[3] * px + t[4] * py + t[5] * pz);
    into[2] = scale;
    into[3] = depth;
    return into;
  }

  /** Turns by a movement of the pointer. */
  rotate(dx, dy) {
    if (this.dimension === 3) this.turn = product(about(0, dy * 0.008), product(this.turn, about(2, dx * 0.008)));
    else this.turn = product(about(2, -dx * 0.008), this.turn);
  }

  /** Moves the picture by so many of its pixels. */
  pan(dx, dy) {
    const t = this.turn;
    const [right, up] = [dx / this.scale, -dy / this.scale];
    this.target = this.target.map((x, k) => x - (t[k] * right + t[3 + k] * up));
  }

  /** Zooms about a place of the picture. */
  zoomBy(factor, x = this.width / 2, y = this.height / 2) {
    const zoom = Math.min(Math.max(this.zoom * factor, 0.05), 400);
    const real = zoom / this.zoom;
    const [dx, dy] = [x - this.width / 2, y - this.height / 2];
    this.pan(dx * (1 / real - 1), dy * (1 / real - 1));
    this.zoom = zoom;
  }

  /** The arguments of the projection, for programs that look for a place. */
  state() {
    const { width, height, scale, distance, target, turn } = this;
    return { width, height, scale, distance: distance === Infinity ? null : distance, target: [...target], turn: [...turn] };
  }
}

function identity() {
  return [1, 0, 0, 0, 1, 0, 0, 0, 1];
}

/** A turn about an axis. */
function about(axis, angle) {
  const [c, s] = [Math.cos(angle), Math.sin(angle)];
  if (axis === 0) return [1, 0, 0, 0, c, -s, 0, s, c];
  if (axis === 1) return [c, 0, s, 0, 1, 0, -s, 0, c];
  return [c, -s, 0, s, c, 0, 0, 0, 1];
}

function product(a, b) {
  const entry = (row, column) => a[3 * row] * b[column] + a[3 * row + 1] * b[3 + column] + a[3 * row + 2] * b[6 + column];
  return identity().map((_, k) => entry(Math.floor(k / 3), k % 3));
}

function cross(u, v) {
  return [u[1] * v[2] - u[2] * v[1], u[2] * v[0] - u[0] * v[2], u[0] * v[1] - u[1] * v[0]];
}
