// The way to the module, which computes in a worker: one question at a time, and no endless one.

/** A question takes no longer than so many milliseconds. */
const PATIENCE = 10000;

class Bridge {
  constructor() {
    this.url = URL.createObjectURL(new Blob([textOf("worker")], { type: "text/javascript" }));
    this.waiting = this.begin();
  }

  /** Starts a worker with the module of this page, which it unpacks and compiles. */
  begin() {
    this.worker = new Worker(this.url);
    return this.send({ packed: bytesOf("module") });
  }

  /** Asks when all before is answered. */
  ask(message) {
    return (this.waiting = this.waiting.then(() => this.send(message)));
  }

  send(message) {
    return new Promise((resolve) => {
      // A module that has stopped is lost with its memory.
      const lose = (reason) => {
        clearTimeout(timer);
        this.worker.terminate();
        // One that does not begin would not begin again.
        if (message.packed) resolve({ stopped: reason });
        else this.begin().then(() => resolve({ stopped: reason }));
      };
      const timer = setTimeout(() => lose(`it took longer than ${PATIENCE / 1000} seconds`), PATIENCE);
      this.worker.onmessage = ({ data }) => {
        if (data.stopped) return lose(`it asked for more than a page has: ${data.stopped}`);
        clearTimeout(timer);
        resolve(data);
      };
      this.worker.onerror = (event) => lose(event.message);
      this.worker.postMessage(message);
    });
  }
}
