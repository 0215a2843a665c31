// The whole state behind the address of the page, so that a link or a bookmark goes on with it.

/** What the address says. */
async function recalled() {
  const asked = new URLSearchParams(location.hash.slice(1));
  const numbers = (name) => asked.get(name)?.split(",").map(Number) ?? null;
  const found = {};
  for (const name of ["method", "coordinate"]) if (asked.has(name)) found[name] = asked.get(name);
  for (const name of ["step", "speed"]) if (asked.has(name)) found[name] = Number(asked.get(name));
  for (const name of ["twin", "paused"]) found[name] = asked.has(name);
  try {
    for (const name of ["set", "options"]) if (asked.has(name)) found[name] = JSON.parse(asked.get(name));
    if (asked.has("text")) found.text = await unpacked(asked.get("text"));
  } catch {
    // An address that was cut off says nothing of them.
    found.failure = "The address of this page is damaged: a part of its state is lost.";
  }
  const [q, v] = [numbers("q"), numbers("v")];
  if (q && v && [...q, ...v].every(Number.isFinite)) found.state = { t: Number(asked.get("t") ?? 0), q, v };
  return found;
}

/** Writes a state behind the address; a page within a notebook has none. */
async function remembered({ text, set, options, method, step, speed, coordinate, twin, paused, state }) {
  if (location.protocol === "about:") return;
  const parts = new URLSearchParams();
  if (text !== null) parts.set("text", await packed(text));
  for (const [name, values] of Object.entries({ set, options })) if (values !== null) parts.set(name, JSON.stringify(values));
  const others = { method, step, speed, coordinate };
  for (const [name, value] of Object.entries(others)) if (value !== null && value !== undefined) parts.set(name, String(value));
  if (twin) parts.set("twin", "");
  if (paused) parts.set("paused", "");
  if (state) {
    parts.set("t", String(state.t));
    parts.set("q", state.q.join(","));
    parts.set("v", state.v.join(","));
  }
  history.replaceState(null, "", `#${String(parts).replaceAll("%2C", ",")}`);
}

/** Text as letters of an address. */
async function packed(text) {
  const deflated = new Blob([text]).stream().pipeThrough(new CompressionStream("deflate-raw"));
  const bytes = new Uint8Array(await new Response(deflated).arrayBuffer());
  let binary = "";
  for (const byte of bytes) binary += String.fromCharCode(byte);
  return btoa(binary).replaceAll("+", "-").replaceAll("/", "_").replaceAll("=", "");
}

async function unpacked(letters) {
  const binary = atob(letters.replaceAll("-", "+").replaceAll("_", "/"));
  const bytes = Uint8Array.from(binary, (letter) => letter.charCodeAt(0));
  return new Response(new Blob([bytes]).stream().pipeThrough(new DecompressionStream("deflate-raw"))).text();
}
