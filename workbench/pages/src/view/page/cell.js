// The cell that repeats itself: points are drawn in it wherever the run has taken them, linked ones as a whole.

/** A middle may be outside by this part of an edge: a point on the face of the cell does not jump. */
const SLACK = 0.002;

class Cell {
  /** The cell of a scene, in the units of positions; without one, points stay where they are. */
  constructor({ scene, centre, half }, points, dimension) {
    this.corners = [];
    if (!scene.cell) return;
    const place = (number) => [0, 1, 2].map((k) => [0, 1, 2].reduce((sum, row) => sum + ((number >> row) & 1) * scene.cell[row][k], -centre[k]) / half);
    this.corners = [0, 1, 2, 3, 4, 5, 6, 7].map(place);
    this.rows = scene.cell.map((row) => row.map((x) => x / half));
    const [a, b, c] = dimension === 3 ? this.rows : [this.rows[0], this.rows[1], [0, 0, 1]];
    const across = [cross(b, c), cross(c, a), cross(a, b)].slice(0, dimension);
    const volume = a.reduce((sum, x, k) => sum + x * across[0][k], 0);
    // By them a place is so many edges from the corner.
    this.inverse = across.map((row) => row.map((x) => x / volume));
    this.pieces = piecesOf(scene, points);
    this.pieceOf = new Int32Array(points);
    this.pieces.forEach((piece, number) => piece.forEach((point) => (this.pieceOf[point] = number)));
    this.shifts = new Int32Array(3 * this.pieces.length);
  }

  /** Moves every piece by whole edges until its middle is in the cell. */
  wrap(positions) {
    if (this.corners.length === 0) return positions;
    const [corner] = this.corners;
    const from = [0, 0, 0];
    this.pieces.forEach((piece, number) => {
      for (let k = 0; k < 3; k++) {
        let sum = 0;
        for (const point of piece) sum += positions[3 * point + k];
        from[k] = sum / piece.length - corner[k];
      }
      this.inverse.forEach((row, edge) => {
        const edges = Math.floor(row[0] * from[0] + row[1] * from[1] + row[2] * from[2] + SLACK);
        this.shifts[3 * number + edge] = edges;
        // A point without a place has no number of edges.
        if (!edges) return;
        for (const point of piece) for (let k = 0; k < 3; k++) positions[3 * point + k] -= edges * this.rows[edge][k];
      });
    });
    return positions;
  }

  /** Which of its images a point is drawn for; another one than before is no motion. */
  image(point) {
    return this.corners.length === 0 ? "" : this.shifts.subarray(3 * this.pieceOf[point], 3 * this.pieceOf[point] + 3).join();
  }
}

/** The points that links, surfaces and boxes hold together, piece by piece. */
function piecesOf(scene, points) {
  const parent = Int32Array.from({ length: points }, (_, point) => point);
  const root = (point) => {
    while (parent[point] !== point) point = parent[point] = parent[parent[point]];
    return point;
  };
  const boxes = scene.boxes.map(({ centre, faces }) => [centre, faces, faces + 1, faces + 2]);
  for (const [first, ...others] of [...scene.rods, ...scene.springs, ...scene.faces, ...boxes]) {
    for (const other of others) parent[root(other)] = root(first);
  }
  const pieces = new Map();
  for (let point = 0; point < points; point++) {
    const first = root(point);
    if (pieces.has(first)) pieces.get(first).push(point);
    else pieces.set(first, [point]);
  }
  return [...pieces.values()];
}
