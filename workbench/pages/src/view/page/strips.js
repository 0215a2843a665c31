// The curves: each strip has its axis, and all have the cursor of the player.

/** The room right of the curves, and above them, in pixels of CSS. */
const RIGHT = 8;
const TOP = 5;
/** The room below curves, and where the times stand below them. */
const BELOW = 5;
const TIMES = 19;
/** The width of a strip beside others at least, and the most columns. */
const NARROW = 240;
const COLUMNS = 3;

/** Draws curves over time into a rectangle of a canvas; returns where times stand. */
class Curves {
  constructor(motion, theme, strip, first) {
    Object.assign(this, { motion, theme, strip, first });
    this.ranges = this.strip.curves.map((curve, k) => range(this.numbers(k)));
    const low = Math.min(...this.ranges.map(([low]) => low));
    const high = Math.max(...this.ranges.map(([, high]) => high));
    const isThere = low <= high;
    const room = isThere ? 0.06 * (high - low) || Math.abs(high) * 0.1 || 1 : 1;
    [this.low, this.high] = isThere ? [low - room, high + room] : [-1, 1];
  }

  /** The value of a curve at a frame, as it is shown. */
  value(frame, k) {
    const difference = this.motion.value(frame, this.first + k);
    return this.strip.change ? difference : difference + (this.strip.curves[k].first ?? 0);
  }

  *numbers(k) {
    for (let frame = 0; frame < this.motion.frames; frame++) yield this.value(frame, k);
  }

  colour(k) {
    return this.theme.colour(k);
  }

  /** The numbers at the axis of so high a strip, in pixels of CSS, with the step between them. */
  levels(height) {
    const levels = ticks(this.low, this.high, Math.max(2, height / 34));
    return [levels, levels.length > 1 ? levels[1] - levels[0] : Math.abs(this.high - this.low) / 4];
  }

  /** The room left of the curves that the numbers take. */
  room(context, ratio, height) {
    context.font = `${11 * ratio}px system-ui, sans-serif`;
    const [levels, step] = this.levels(height);
    const widths = levels.map((level) => context.measureText(written(level, step)).width);
    return Math.max(40 * ratio, ...widths.map((width) => width + 14 * ratio));
  }

  /** Draws everything but the cursor. */
  draw(context, { left, top, width, height, ratio, hasTime }) {
    const { theme, motion } = this;
    const [begin, end] = [motion.times[0], motion.times[motion.frames - 1]];
    this.place = { left, top, width, height };
    this.x = (time) => left + (end > begin ? ((time - begin) / (end - begin)) * width : width / 2);
    this.y = (value) => top + height * (1 - (value - this.low) / (this.high - this.low));
    context.font = `${11 * ratio}px system-ui, sans-serif`;
    context.lineWidth = ratio;
    context.textBaseline = "middle";
    context.textAlign = "right";
    const [levels, step] = this.levels(height / ratio);
    for (const level of levels) {
      context.strokeStyle = mixed(theme.line, theme.stage, 0.5);
      context.beginPath();
      context.moveTo(left, Math.round(this.y(level)) + 0.5);
      context.lineTo(left + width, Math.round(this.y(level)) + 0.5);
      context.stroke();
      context.fillStyle = theme.quiet;
      context.fillText(written(level, step), left - 6 * ratio, this.y(level));
    }
    if (hasTime) this.drawTimes(context, ratio, begin, end);
    context.lineJoin = "round";
    this.strip.curves.forEach((curve, k) => this.drawCurve(context, ratio, k));
    context.textBaseline = "alphabetic";
  }

  drawTimes(context, ratio, begin, end) {
    const { left, top, width, height } = this.place;
    const times = ticks(begin, end, width / ratio / 110);
    const step = times.length > 1 ? times[1] - times[0] : end - begin;
    context.fillStyle = this.theme.quiet;
    const axis = this.motion.head.time_axis;
    const room = left + width - context.measureText(axis).width - 20 * ratio;
    context.textAlign = "center";
    for (const time of times) {
      if (this.x(time) < room) context.fillText(written(time, step), this.x(time), top + height + 9 * ratio);
    }
    context.textAlign = "right";
    context.fillText(axis, left + width, top + height + 9 * ratio);
  }

  /** A curve; where a pixel has many frames, their lowest and highest value. */
  drawCurve(context, ratio, k) {
    const { motion } = this;
    context.strokeStyle = this.colour(k);
    context.lineWidth = 1.4 * ratio;
    context.beginPath();
    const group = Math.max(1, Math.floor(motion.frames / (2 * this.place.width)));
    let isDown = false;
    const go = (frame) => {
      const value = this.value(frame, k);
      if (!Number.isFinite(value)) {
        isDown = false;
        return;
      }
      const [x, y] = [this.x(motion.times[frame]), this.y(value)];
      if (isDown) context.lineTo(x, y);
      else context.moveTo(x, y);
      isDown = true;
    };
    for (let begin = 0; begin < motion.frames; begin += group) {
      let [lowest, highest] = [begin, begin];
      for (let frame = begin; frame < Math.min(begin + group, motion.frames); frame++) {
        if (this.value(frame, k) < this.value(lowest, k)) lowest = frame;
        if (this.value(frame, k) > this.value(highest, k)) highest = frame;
      }
      for (const frame of new Set([begin, Math.min(lowest, highest), Math.max(lowest, highest)])) go(frame);
    }
    context.stroke();
  }

  /** The cursor, with a dot on each curve. */
  drawCursor(context, ratio, place) {
    const { left, top, width, height } = this.place;
    const { motion, theme } = this;
    const x = this.x(motion.time(place));
    context.strokeStyle = theme.ink;
    context.lineWidth = ratio;
    context.beginPath();
    context.moveTo(x, top);
    context.lineTo(x, top + height);
    context.stroke();
    this.strip.curves.forEach((curve, k) => {
      const value = this.between(place, k);
      if (!Number.isFinite(value)) return;
      context.fillStyle = this.colour(k);
      context.beginPath();
      context.arc(Math.min(Math.max(x, left), left + width), this.y(value), 3 * ratio, 0, 2 * Math.PI);
      context.fill();
    });
  }

  /** The value of a curve between frames. */
  between(place, k) {
    const frame = Math.floor(place);
    const next = Math.min(frame + 1, this.motion.frames - 1);
    const from = this.value(frame, k);
    return from + (place - frame) * (this.value(next, k) - from);
  }
}

/** All strips below the picture. */
class Strips {
  constructor(parent, motion, theme, seek, besidePicture) {
    Object.assign(this, { motion, theme, parent });
    let first = 0;
    this.all = [];
    motion.head.strips.forEach((strip) => {
      const curves = new Curves(motion, theme, strip, first);
      first += strip.curves.length;
      if (!besidePicture(strip)) this.all.push(this.create(parent, curves, seek));
    });
    // The numbers of all stand in a column as wide as the widest.
    this.margin = 0;
    theme.onChange(() => this.forget());
    this.sizes = new ResizeObserver(() => this.forget());
    this.columns = 1;
    const around = new ResizeObserver(() => this.arrange());
    [parent.parentElement, parent.previousElementSibling].forEach((element) => around.observe(element));
    for (const { canvas } of this.all) this.sizes.observe(canvas);
  }

  create(parent, curves, seek) {
    const figure = document.createElement("figure");
    figure.className = "strip";
    const canvas = document.createElement("canvas");
    canvas.setAttribute("role", "img");
    const caption = document.createElement("figcaption");
    const title = document.createElement("b");
    title.textContent = curves.strip.axis;
    const values = curves.strip.curves.map(() => document.createElement("i"));
    caption.append(title, ...values);
    if (curves.strip.change) {
      const first = curves.strip.curves[0].first;
      const from = document.createElement("span");
      from.textContent = `from ${short(first ?? NaN)}`;
      caption.append(from);
    }
    figure.append(caption, canvas);
    parent.append(figure);
    const go = (event) => {
      const { left, width } = canvas.getBoundingClientRect();
      const margin = this.margin / (window.devicePixelRatio || 1);
      const part = (event.clientX - left - margin) / (width - margin - RIGHT);
      const [begin, end] = [this.motion.times[0], this.motion.times[this.motion.frames - 1]];
      seek(this.motion.placeAt(begin + Math.min(Math.max(part, 0), 1) * (end - begin)));
    };
    canvas.addEventListener("pointerdown", (event) => {
      canvas.setPointerCapture(event.pointerId);
      go(event);
    });
    canvas.addEventListener("pointermove", (event) => {
      if (event.buttons > 0) go(event);
    });
    return { curves, canvas, values, widths: values.map(() => 0), drawn: null };
  }

  /** Puts strips into as few columns as leave half of the window to the picture. */
  arrange() {
    const { parent } = this;
    const most = Math.max(1, Math.min(COLUMNS, Math.floor(parent.clientWidth / NARROW)));
    for (this.columns = 1; this.columns <= most; this.columns++) {
      parent.style.setProperty("--columns", this.columns);
      if (parent.scrollHeight <= parent.clientHeight + 1) return;
    }
    this.columns = most;
  }

  /** Everything is drawn anew the next time. */
  forget() {
    this.all.forEach((strip) => (strip.drawn = null));
    this.isForgotten?.();
  }

  draw(place) {
    const ratio = window.devicePixelRatio || 1;
    // Times stand under the last strip of a column.
    const isLast = (number) => number + this.columns >= this.all.length;
    const below = (number) => (isLast(number) ? TIMES : BELOW);
    const sizes = this.all.map(({ canvas }) => [canvas.clientWidth, canvas.clientHeight].map((length) => Math.round(length * ratio)));
    if (this.all.some((strip) => !strip.drawn)) {
      const rooms = this.all.map(({ curves, canvas }, k) => curves.room(canvas.getContext("2d"), ratio, sizes[k][1] / ratio - TOP - below(k)));
      this.margin = Math.max(...rooms);
    }
    this.all.forEach((strip, number) => {
      const { curves, canvas, values } = strip;
      const [width, height] = sizes[number];
      if (width === 0 || height === 0) return;
      if (!strip.drawn) {
        Object.assign(canvas, { width, height });
        strip.drawn = document.createElement("canvas");
        Object.assign(strip.drawn, { width, height });
        curves.draw(strip.drawn.getContext("2d"), {
          left: this.margin,
          top: TOP * ratio,
          width: width - this.margin - RIGHT * ratio,
          height: height - (TOP + below(number)) * ratio,
          ratio,
          hasTime: isLast(number),
        });
        canvas.setAttribute("aria-label", this.words(curves));
      }
      const context = canvas.getContext("2d");
      context.clearRect(0, 0, width, height);
      context.drawImage(strip.drawn, 0, 0);
      curves.drawCursor(context, ratio, place);
      curves.strip.curves.forEach((curve, k) => {
        const name = curves.strip.curves.length > 1 ? `${curve.name} ` : "";
        const value = written(curves.between(place, k), (curves.high - curves.low) / 2000);
        // A value that grows by a sign or a digit does not move the others.
        strip.widths[k] = Math.max(strip.widths[k], value.length);
        values[k].textContent = name + value.padStart(strip.widths[k], "\u2007");
      });
    });
  }

  /** A strip in words, for readers who cannot see it. */
  words(curves) {
    const ends = curves.strip.curves.map((curve, k) => {
      const [low, high] = curves.ranges[k];
      return `${curve.name} between ${written(low)} and ${written(high)}`;
    });
    return `${curves.strip.axis}: ${ends.join("; ")}`;
  }
}
