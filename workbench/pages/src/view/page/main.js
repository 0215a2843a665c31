// Puts everything together, and draws when something has changed.

async function start() {
  const motion = await beforeLoad(Motion.read());
  // Behind the name of the file: `#picture` shows the picture alone, as on a slide;
  // `#t=2.5` stands at a time.
  const wishes = new URLSearchParams(location.hash.slice(1));
  document.documentElement.classList.toggle("embedded", motion.head.embedded);
  document.documentElement.classList.toggle("alone", wishes.has("picture"));
  const theme = new Theme();
  const camera = new Camera(motion.dimension);
  const canvas = document.getElementById("picture");
  const picture = new Picture(canvas, motion, camera, theme);
  let isDue = true;
  const redraw = () => (isDue = true);

  const player = new Player(motion, redraw);
  // Without points the curves of the coordinates are the picture.
  const coordinates = motion.points === 0 ? motion.head.strips.filter((strip) => strip.coordinate) : [];
  const strips = new Strips(document.getElementById("strips"), motion, theme, (place) => player.seek(place), (strip) => strip.rounding || coordinates.includes(strip));
  // A canvas of a new size is empty or stretched, and would be shown so before the next frame.
  strips.isForgotten = () => draw(player.place);
  const large = coordinates.map((strip) => new Curves(motion, theme, strip, firstCurve(motion, strip)));
  const saver = new Saver(motion, player, canvas, () => draw(player.place));
  const controls = new Controls(motion, player, picture, camera, theme, saver, redraw);
  fillPanel(motion, theme, picture);
  canvas.setAttribute("aria-label", wordsFor(motion, picture));

  const draw = (place) => {
    picture.draw(place);
    large.forEach((curves, number) => drawLarge(canvas, picture.context, curves, number, large.length, place));
    strips.draw(place);
    controls.show();
  };
  // At once: a page that is printed has no time for another frame.
  theme.onChange(() => {
    fillPanel(motion, theme, picture);
    draw(player.place);
  });
  const resize = () => {
    const ratio = window.devicePixelRatio || 1;
    const [width, height] = [canvas.clientWidth, canvas.clientHeight].map((length) => Math.max(1, Math.round(length * ratio)));
    if (width !== canvas.width || height !== canvas.height) {
      canvas.width = width;
      canvas.height = height;
      camera.resize(width, height);
      draw(player.place);
    }
  };
  new ResizeObserver(resize).observe(canvas);
  strips.arrange();
  resize();

  const frame = (now) => {
    if (player.advance(now)) isDue = true;
    if (isDue) {
      isDue = false;
      draw(player.place);
    }
    requestAnimationFrame(frame);
  };
  requestAnimationFrame(frame);
  // In a report the reader begins it.
  const isStill = motion.head.embedded || window.matchMedia("(prefers-reduced-motion: reduce)").matches;
  const time = Number.parseFloat(wishes.get("t"));
  if (Number.isFinite(time)) player.seek(motion.placeAt(time));
  else if (!isStill) player.play();

  // The picture alone has no button.
  if (wishes.has("picture")) canvas.addEventListener("click", () => player.toggle());

  // For programs: the motion, and its places in the picture.
  window.leastAction = { motion, player, camera, picture, strips, saver, draw: () => draw(player.place) };
}

/** The value of a promise; the page counts as loaded after it, for programs that print pages and take pictures. */
async function beforeLoad(promise) {
  // A document that is open for writing holds the load event of the page around it.
  const frame = document.body.appendChild(document.createElement("iframe"));
  frame.hidden = true;
  frame.contentDocument.open();
  try {
    return await promise;
  } finally {
    frame.contentDocument.close();
    frame.remove();
  }
}

/** The number of the first curve of a strip among all. */
function firstCurve(motion, strip) {
  const before = motion.head.strips.slice(0, motion.head.strips.indexOf(strip));
  return before.reduce((sum, one) => sum + one.curves.length, 0);
}

/** Curves in place of a picture, one above the other. */
function drawLarge(canvas, context, curves, number, count, place) {
  const ratio = window.devicePixelRatio || 1;
  const height = (canvas.height - 60 * ratio) / count;
  const top = 36 * ratio + number * height;
  const isLast = number === count - 1;
  const left = curves.room(context, ratio, (height - 22 * ratio) / ratio);
  curves.draw(context, {
    left,
    top: top + 14 * ratio,
    width: canvas.width - left - 22 * ratio,
    height: height - 22 * ratio,
    ratio,
    hasTime: isLast,
  });
  context.fillStyle = curves.theme.ink;
  context.textAlign = "left";
  context.fillText(curves.strip.axis, left, top + 6 * ratio);
  curves.drawCursor(context, ratio, place);
}

/** The picture in words, for readers who cannot see it. */
function wordsFor(motion, picture) {
  const { scene, title } = motion.head;
  const parts = [
    [picture.bodies.length, "bodies"],
    [scene.rods.length, "rods"],
    [scene.springs.length, "springs"],
    [scene.faces.length, "triangles of surfaces"],
    [scene.boxes.length, "boxes"],
    [scene.solids.length, "round bodies"],
  ];
  const shown = parts.filter(([count]) => count > 0).map(([count, what]) => `${count} ${what}`);
  const what = shown.length > 0 ? shown.join(", ") : "curves over time";
  return `${title}: ${what}, ${motion.dimension === 3 ? "in space" : "in the plane"}, ${motion.frames} frames`;
}

start().catch((error) => {
  const failure = document.getElementById("failure");
  failure.hidden = false;
  failure.textContent = `The motion cannot be shown: ${error.message}. A browser of 2023 or later is needed.`;
  throw error;
});
