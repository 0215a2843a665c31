// The side of the module: a worker of its own, so that the page stays awake whatever is computed.
// Messages come one at a time, and each has one answer.

"use strict";

/** A batch of steps takes about so many milliseconds, after which the clock is asked. */
const BATCH = 2;

let module = null;
// How many steps a batch has.
let batch = 1;

const memory = () => module.memory.buffer;

/** Asks the module, in JSON. */
function ask(request) {
  const bytes = new TextEncoder().encode(JSON.stringify(request));
  const at = module.room(bytes.length);
  new Uint8Array(memory(), at, bytes.length).set(bytes);
  module.ask();
  return answer();
}

/** The answer to the last request, or why the last steps failed. */
function answer() {
  const bytes = new Uint8Array(memory(), module.answer(), module.answered());
  return JSON.parse(new TextDecoder().decode(bytes));
}

/** The numbers of the state. */
function measured() {
  const at = module.measure();
  return new Float64Array(memory(), at, module.measured()).slice();
}

/** Takes at most so many steps in at most so many milliseconds. */
function advance(steps, milliseconds) {
  const end = performance.now() + milliseconds;
  let done = 0;
  while (done < steps) {
    const begin = performance.now();
    if (begin > end) break;
    const count = Math.min(batch, steps - done);
    const taken = module.advance(count);
    done += taken;
    if (taken < count) return { ...answer(), done, numbers: measured() };
    const took = performance.now() - begin;
    if (took < BATCH / 2) batch = Math.min(2 * batch, 1 << 16);
    else if (took > 2 * BATCH) batch = Math.max(1, batch >> 1);
  }
  return { done, numbers: measured() };
}

/** Places in at most so many milliseconds and steps, one moment behind the other. */
function ahead(steps, milliseconds, moments) {
  const end = performance.now() + milliseconds;
  const places = [];
  const stride = Math.max(1, Math.floor(steps / moments));
  for (let k = 0; k < moments && performance.now() < end; k++) {
    const { goes, places: now } = ask({ ahead: stride });
    if (!goes) break;
    places.push(now);
  }
  return { places };
}

onmessage = ({ data }) => {
  const begin = performance.now();
  let told;
  try {
    if (data.packed) {
      const compiled = new WebAssembly.Module(unpackedBytes(data.packed));
      // The module asks for nothing: what it names belongs to tools that are not used.
      const imports = {};
      for (const { module: from, name } of WebAssembly.Module.imports(compiled)) {
        (imports[from] ??= {})[name] = () => {
          throw new Error("the module calls what a page does not have");
        };
      }
      const { exports } = new WebAssembly.Instance(compiled, imports);
      // Names end in a mark of the build.
      module = Object.fromEntries(Object.entries(exports).map(([name, value]) => [name.replace(/_[0-9a-f]{16}$/, ""), value]));
      told = {};
    } else if (data.advance) {
      told = advance(...data.advance);
    } else if (data.ahead) {
      told = ahead(...data.ahead);
    } else {
      told = ask(data.ask);
      if (!told.mistakes && !told.failed) told.numbers = measured();
    }
  } catch (error) {
    told = { stopped: error.message };
  }
  told.took = performance.now() - begin;
  postMessage(told, told.numbers ? [told.numbers.buffer] : []);
};
