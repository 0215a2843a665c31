// Where the motion is: a place between frames that moves with the time of the model.

/** Speeds that can be chosen, as parts of the usual one. */
const SPEEDS = [0.1, 0.25, 0.5, 1, 2, 4];
/** The whole motion takes so many seconds at the usual speed, at least and at most. */
const SHORTEST = 5;
const LONGEST_PLAY = 20;

class Player {
  constructor(motion, changed) {
    Object.assign(this, { motion, changed });
    this.place = 0;
    this.speed = 1;
    this.loops = true;
    this.isPlaying = false;
    this.last = null;
    // Called where the motion stops at its end, or before.
    this.ended = null;
    const seconds = Math.min(Math.max(motion.frames / 60, SHORTEST), LONGEST_PLAY);
    // Units of time of the model in a second.
    this.rate = (motion.times[motion.frames - 1] - motion.times[0]) / seconds;
  }

  play() {
    if (this.motion.frames < 2) return;
    if (this.place >= this.motion.frames - 1) this.place = 0;
    this.isPlaying = true;
    this.last = null;
    this.changed();
  }

  pause() {
    this.stop();
    this.changed();
  }

  stop() {
    this.isPlaying = false;
    this.ended?.();
  }

  toggle() {
    if (this.isPlaying) this.pause();
    else this.play();
  }

  /** Goes to a place, and stays there. */
  seek(place) {
    this.stop();
    this.place = Math.min(Math.max(place, 0), this.motion.frames - 1);
    this.changed();
  }

  /** Is taken to a place by another motion. */
  follow(place) {
    this.isPlaying = false;
    this.place = place;
    this.changed();
  }

  step(frames) {
    this.seek((frames > 0 ? Math.floor(this.place) : Math.ceil(this.place)) + frames);
  }

  /** Moves on by the time since the last call, in milliseconds. */
  advance(now) {
    if (!this.isPlaying) return false;
    const passed = this.last === null ? 0 : Math.min(now - this.last, 250) / 1000;
    this.last = now;
    const end = this.motion.times[this.motion.frames - 1];
    let time = this.motion.time(this.place) + passed * this.rate * this.speed;
    if (time >= end) {
      if (!this.loops) {
        this.seek(this.motion.frames - 1);
        return true;
      }
      time = this.motion.times[0];
    }
    this.place = this.motion.placeAt(time);
    return true;
  }
}
