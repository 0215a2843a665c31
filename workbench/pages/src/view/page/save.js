// Files to take away: a picture, a strip of some moments, a film.
// The browser makes them, and nothing is sent anywhere.

/** The moments of a strip, the pixels between them, and the most that it is wide. */
const MOMENTS = 6;
const BETWEEN = 6;
const WIDEST = 3600;
/**
 * The pictures of a film in a second, and the formats of which the first that the browser writes is
 * taken.
 */
const RATE = 30;
const FORMATS = ["video/webm;codecs=vp9", "video/webm", "video/mp4"];

class Saver {
  constructor(motion, player, canvas, draw) {
    Object.assign(this, { motion, player, canvas, draw });
  }

  /** The choices, with their names. */
  ways() {
    const isWritten = typeof MediaRecorder !== "undefined" && FORMATS.some((format) => MediaRecorder.isTypeSupported(format));
    const film = isWritten && this.motion.frames > 1 ? { "film (WebM)": () => this.film() } : {};
    return { "picture (PNG)": () => this.picture(), "film strip (PNG)": () => this.strip(), ...film };
  }

  picture() {
    return this.png(this.canvas);
  }

  /** Moments at equal distances, side by side: of a motion that repeats itself, within its first turn. */
  strip() {
    const { motion, player, canvas } = this;
    const scale = Math.min(1, WIDEST / (MOMENTS * canvas.width));
    const [width, height] = [canvas.width, canvas.height].map((size) => Math.round(scale * size));
    const strip = document.createElement("canvas");
    Object.assign(strip, { width: MOMENTS * (width + BETWEEN) - BETWEEN, height });
    const context = strip.getContext("2d");
    const place = player.place;
    const [begin, period] = [motion.times[0], motion.period()];
    const length = period === null ? motion.times[motion.frames - 1] - begin : (period * (MOMENTS - 1)) / MOMENTS;
    for (let k = 0; k < MOMENTS; k++) {
      const time = begin + (length * k) / (MOMENTS - 1);
      player.place = motion.placeAt(time);
      this.draw();
      context.drawImage(canvas, k * (width + BETWEEN), 0, width, height);
      context.fillStyle = getComputedStyle(document.documentElement).getPropertyValue("--quiet");
      context.font = "13px system-ui, sans-serif";
      context.fillText(document.getElementById("clock").textContent, k * (width + BETWEEN) + 8, 18);
    }
    player.place = place;
    this.draw();
    return this.png(strip);
  }

  /** Plays the motion once, as fast as it is set, and keeps its pictures. */
  film() {
    const { player, canvas } = this;
    // One film at a time.
    if (player.ended) return Promise.resolve(null);
    const mimeType = FORMATS.find((format) => MediaRecorder.isTypeSupported(format));
    const recorder = new MediaRecorder(canvas.captureStream(RATE), { mimeType, videoBitsPerSecond: 8e6 });
    const pieces = [];
    recorder.ondataavailable = ({ data }) => pieces.push(data);
    const { loops } = player;
    Object.assign(player, { loops: false, place: 0 });
    return new Promise((done) => {
      recorder.onstop = () => {
        const blob = new Blob(pieces, { type: mimeType });
        this.download(blob, mimeType.includes("mp4") ? "mp4" : "webm");
        done(blob);
      };
      player.ended = () => {
        player.ended = null;
        player.loops = loops;
        // The last picture is seen for a moment.
        setTimeout(() => recorder.stop(), 200);
      };
      recorder.start();
      player.play();
    });
  }

  png(canvas) {
    return new Promise((done) =>
      canvas.toBlob((blob) => {
        this.download(blob, "png");
        done(blob);
      }),
    );
  }

  /** Gives a file to the browser, under the name of the page. */
  download(blob, ending) {
    const link = document.createElement("a");
    link.href = URL.createObjectURL(blob);
    link.download = `${this.motion.head.title.replace(/[^\p{L}\p{N}]+/gu, "-")}.${ending}`;
    link.click();
    setTimeout(() => URL.revokeObjectURL(link.href), 60000);
  }
}
