// The bytes of the module from LZMA, which makes them a third smaller than what browsers unpack
// themselves: the decoder of Igor Pavlov's specification (LZMA SDK, lzma-specification.txt).

/** Where the probabilities of each decision begin, in the order of the specification. */
const MATCH = 0;
const REP = MATCH + (12 << 4);
const REP_FIRST = REP + 12;
const REP_SECOND = REP_FIRST + 12;
const REP_THIRD = REP_SECOND + 12;
const REP_SHORT = REP_THIRD + 12;
const SLOT = REP_SHORT + (12 << 4);
const SPECIAL = SLOT + 4 * 64;
const ALIGN = SPECIAL + 128;
/** Two choices, two kinds of 16 trees of 3 bits, and a tree of 8 bits. */
const LENGTH = ALIGN + 16;
const REP_LENGTH = LENGTH + 2 + 2 * 128 + 256;
const LITERAL = REP_LENGTH + 2 + 2 * 128 + 256;

/** The bytes behind a header of LZMA that tells their number. */
function unpackedBytes(from) {
  const [lc, lp, pb] = [from[0] % 9, Math.floor(from[0] / 9) % 5, Math.floor(from[0] / 45)];
  const size = new DataView(from.buffer, from.byteOffset).getUint32(5, true);
  const out = new Uint8Array(size);
  const odds = new Uint16Array(LITERAL + (0x300 << (lc + lp))).fill(1024);
  let at = 18;
  let range = 0xffffffff;
  let code = new DataView(from.buffer, from.byteOffset).getUint32(14, false);

  const bit = (index) => {
    const odd = odds[index];
    const bound = (range >>> 11) * odd;
    let found = 0;
    if (code < bound) {
      range = bound;
      odds[index] = odd + ((2048 - odd) >> 5);
    } else {
      range -= bound;
      code -= bound;
      odds[index] = odd - (odd >> 5);
      found = 1;
    }
    if (range < 0x1000000) {
      range = (range << 8) >>> 0;
      code = ((code << 8) | from[at++]) >>> 0;
    }
    return found;
  };
  const tree = (index, bits) => {
    let symbol = 1;
    for (let k = 0; k < bits; k++) symbol = (symbol << 1) | bit(index + symbol);
    return symbol - (1 << bits);
  };
  /** A tree whose lowest bit comes first. */
  const reversed = (index, bits) => {
    let [symbol, found] = [1, 0];
    for (let k = 0; k < bits; k++) {
      const next = bit(index + symbol);
      symbol = (symbol << 1) | next;
      found |= next << k;
    }
    return found;
  };
  const direct = (bits) => {
    let found = 0;
    for (let k = 0; k < bits; k++) {
      range >>>= 1;
      const next = code >= range ? 1 : 0;
      if (next) code -= range;
      if (range < 0x1000000) {
        range = (range << 8) >>> 0;
        code = ((code << 8) | from[at++]) >>> 0;
      }
      found = (found << 1) | next;
    }
    return found;
  };
  const length = (index, state) => {
    if (!bit(index)) return tree(index + 2 + (state << 3), 3);
    if (!bit(index + 1)) return 8 + tree(index + 130 + (state << 3), 3);
    return 16 + tree(index + 258, 8);
  };
  const distance = (length) => {
    const slot = tree(SLOT + (Math.min(length, 3) << 6), 6);
    if (slot < 4) return slot;
    const bits = (slot >> 1) - 1;
    const begin = (2 | (slot & 1)) << bits;
    if (slot < 14) return begin + reversed(SPECIAL + begin - slot, bits);
    return begin + (direct(bits - 4) << 4) + reversed(ALIGN, 4);
  };

  let [place, state, first, second, third, fourth] = [0, 0, 0, 0, 0, 0];
  const literal = () => {
    const before = place > 0 ? out[place - 1] : 0;
    const index = LITERAL + 0x300 * (((place & ((1 << lp) - 1)) << lc) + (before >> (8 - lc)));
    let symbol = 1;
    if (state >= 7) {
      let match = out[place - first - 1];
      while (symbol < 0x100) {
        const expected = (match >> 7) & 1;
        match <<= 1;
        const next = bit(index + ((1 + expected) << 8) + symbol);
        symbol = (symbol << 1) | next;
        if (next !== expected) break;
      }
    }
    while (symbol < 0x100) symbol = (symbol << 1) | bit(index + symbol);
    out[place++] = symbol;
    state = state < 4 ? 0 : state < 10 ? state - 3 : state - 6;
  };
  while (place < size) {
    const turn = place & ((1 << pb) - 1);
    if (!bit(MATCH + (state << 4) + turn)) {
      literal();
      continue;
    }
    let count = 0;
    if (bit(REP + state)) {
      if (!bit(REP_FIRST + state)) {
        if (!bit(REP_SHORT + (state << 4) + turn)) {
          state = state < 7 ? 9 : 11;
          out[place] = out[place - first - 1];
          place++;
          continue;
        }
      } else if (!bit(REP_SECOND + state)) {
        [first, second] = [second, first];
      } else if (!bit(REP_THIRD + state)) {
        [first, second, third] = [third, first, second];
      } else {
        [first, second, third, fourth] = [fourth, first, second, third];
      }
      count = 2 + length(REP_LENGTH, turn);
      state = state < 7 ? 8 : 11;
    } else {
      [second, third, fourth] = [first, second, third];
      const found = length(LENGTH, turn);
      state = state < 7 ? 7 : 10;
      first = distance(found);
      count = 2 + found;
    }
    for (let k = 0; k < count; k++, place++) out[place] = out[place - first - 1];
  }
  return out;
}
