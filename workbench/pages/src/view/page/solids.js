// Bodies of revolution: cylinders, cones and discs, whose visible sides are drawn.

/** The sides of a body. */
const SIDES = 28;

class Solids {
  /** The bodies of a scene, by the half width of its motion. */
  constructor({ solids }, half) {
    const inUnits = ({ ends, radii, length }) => ({ ends, radii: radii.map((radius) => radius / half), length: length === undefined ? null : length / half });
    this.all = solids.map(inUnits);
    // A point at the end of a body is within it, but for one that the axis of a disc points to.
    this.covered = new Set(this.all.flatMap(({ ends, length }) => (length === null ? ends : ends.slice(0, 1))));
  }

  /** Both ends of a body, and two directions across its axis. */
  frame({ ends, length }, positions) {
    const [from, to] = ends.map((point) => [0, 1, 2].map((k) => positions[3 * point + k]));
    const along = to.map((x, k) => x - from[k]);
    const size = Math.hypot(...along);
    if (!(size > 0)) return null;
    const axis = along.map((x) => x / size);
    const other = Math.abs(axis[2]) < 0.9 ? [0, 0, 1] : [1, 0, 0];
    const across = cross(axis, other);
    const one = across.map((x) => x / Math.hypot(...across));
    const two = cross(axis, one);
    const end = (part) => from.map((x, k) => x + part * axis[k]);
    return { axis, one, two, middles: length === null ? [from, to] : [end(-length / 2), end(length / 2)] };
  }

  /** The places of the rims, the first one behind the other. */
  rims(solid, positions) {
    const frame = this.frame(solid, positions);
    if (frame === null) return null;
    const rim = (middle, radius) =>
      Array.from({ length: SIDES }, (_, k) => {
        const [c, s] = [radius * Math.cos((2 * Math.PI * k) / SIDES), radius * Math.sin((2 * Math.PI * k) / SIDES)];
        return middle.map((x, i) => x + c * frame.one[i] + s * frame.two[i]);
      });
    return { ...frame, rims: frame.middles.map((middle, end) => rim(middle, solid.radii[end])) };
  }

  /** Draws a body into a picture: its sides and ends, as far as they look towards the eye. */
  draw(picture, number) {
    const solid = this.all[number];
    const body = this.rims(solid, picture.positions);
    if (body === null) return;
    const { camera, projected, theme } = picture;
    const at = (place) => camera.project(...place, [0, 0, 0, 0]).slice(0, 2);
    const depth = (projected[4 * solid.ends[0] + 3] + projected[4 * solid.ends[1] + 3]) / 2;
    const point = solid.ends[solid.length === null ? 1 : 0];
    const colour = picture.kinds[point] === "mount" ? mixed(theme.quiet, theme.ink, 0.3) : picture.colourOf(point);
    const faces = [];
    const [first, last] = body.rims;
    for (let k = 0; k < SIDES; k++) {
      const next = (k + 1) % SIDES;
      faces.push([first[k], first[next], last[next], last[k]]);
    }
    faces.push([...first].reverse(), [...last]);
    for (const face of faces) {
      const corners = face.map(at);
      // Corners that go around to the left are seen from outside; ends of radius zero have no area.
      const area = corners.reduce((sum, [x, y], k) => {
        const [nx, ny] = corners[(k + 1) % corners.length];
        return sum + x * ny - nx * y;
      }, 0);
      if (area < -0.01) picture.fill(corners, colour, picture.turnedAlong(cross(...edges(face))), depth, false);
    }
  }
}

/** Two edges of a face that are not one behind the other. */
function edges(face) {
  const step = Math.max(1, Math.floor(face.length / 3));
  const [a, b, c] = [face[0], face[step], face[2 * step]];
  const difference = (p, q) => p.map((x, k) => x - q[k]);
  const [u, v] = [difference(b, a), difference(c, a)];
  return Math.hypot(...u) > 1e-9 ? [u, v] : [difference(c, a), difference(face[face.length - 1], a)];
}
