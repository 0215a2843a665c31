// Bodies as small pictures of shaded balls, each drawn once and then copied: ten thousand copies a frame are cheap.

/** Steps of depth in which bodies fade into the background. */
const DEPTHS = 12;

class Sprites {
  constructor(theme) {
    this.theme = theme;
    this.all = new Map();
    theme.onChange(() => this.all.clear());
  }

  /** A ball of a colour with a radius in pixels, so far away from 0, the nearest, to DEPTHS − 1. */
  ball(colour, radius, depth, flat) {
    let ofColour = this.all.get(colour);
    // Zooming leaves many sizes behind.
    if (!ofColour || ofColour.size > 600) this.all.set(colour, (ofColour = new Map()));
    const halves = Math.max(2, Math.round(radius * 2));
    const key = 2 * (halves * DEPTHS + depth) + (flat ? 1 : 0);
    let sprite = ofColour.get(key);
    if (!sprite) ofColour.set(key, (sprite = this.draw(colour, halves / 2, depth, flat)));
    return sprite;
  }

  draw(colour, radius, depth, flat) {
    const half = Math.ceil(radius) + 1;
    const canvas = document.createElement("canvas");
    canvas.width = canvas.height = 2 * half;
    const context = canvas.getContext("2d");
    const faded = mixed(colour, this.theme.stage, (0.55 * depth) / DEPTHS);
    if (flat) {
      context.fillStyle = faded;
    } else {
      const light = context.createRadialGradient(half - 0.35 * radius, half - 0.4 * radius, 0.05 * radius, half, half, radius);
      light.addColorStop(0, mixed(faded, "#ffffff", 0.55));
      light.addColorStop(0.35, faded);
      light.addColorStop(1, mixed(faded, "#000000", 0.38));
      context.fillStyle = light;
    }
    context.beginPath();
    context.arc(half, half, radius, 0, 2 * Math.PI);
    context.fill();
    return { canvas, half, pixels: null };
  }
}

/** Copies sprites into the pixels of a picture: thousands take a tenth of the time of the context. */
class Raster {
  constructor(context) {
    this.context = context;
    const { width, height } = context.canvas;
    this.image = context.getImageData(0, 0, width, height);
    this.pixels = new Uint32Array(this.image.data.buffer);
  }

  copy(sprite, x, y) {
    const { width, height } = this.image;
    const size = 2 * sprite.half;
    sprite.pixels ??= new Uint32Array(sprite.canvas.getContext("2d").getImageData(0, 0, size, size).data.buffer);
    const [left, top] = [Math.round(x - sprite.half), Math.round(y - sprite.half)];
    const [begin, end] = [Math.max(0, -left), Math.min(size, width - left)];
    for (let row = Math.max(0, -top); row < Math.min(size, height - top); row++) {
      const from = row * size;
      const to = (top + row) * width + left;
      for (let column = begin; column < end; column++) {
        const pixel = sprite.pixels[from + column];
        const alpha = pixel >>> 24;
        if (alpha === 255) this.pixels[to + column] = pixel;
        else if (alpha > 0) this.pixels[to + column] = over(pixel, alpha, this.pixels[to + column]);
      }
    }
  }

  finish() {
    this.context.putImageData(this.image, 0, 0);
  }
}

/** A pixel laid over an opaque one. */
function over(pixel, alpha, under) {
  const channel = (shift) => {
    const below = (under >>> shift) & 255;
    return (below + ((((pixel >>> shift) & 255) - below) * alpha) / 255) << shift;
  };
  return (0xff000000 | channel(16) | channel(8) | channel(0)) >>> 0;
}
