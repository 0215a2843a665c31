// Numbers at axes: round ones, and as few digits as tell them apart.

/** Round numbers in an interval, about so many. */
function ticks(low, high, about) {
  const span = high - low;
  if (!(span > 0) || !Number.isFinite(span)) return Number.isFinite(low) ? [low] : [];
  const rough = span / about;
  const power = 10 ** Math.floor(Math.log10(rough));
  const step = [1, 2, 5, 10].map((k) => k * power).find((step) => step >= rough * 0.999);
  const first = Math.ceil(low / step - 1e-9);
  const count = Math.floor(high / step + 1e-9) - first + 1;
  return Array.from({ length: Math.max(count, 0) }, (_, k) => (first + k) * step);
}

/** A number with as many digits as a step of its axis needs. */
function written(number, step = Math.abs(number) / 1000) {
  if (!Number.isFinite(number)) return "–";
  if (number === 0 || Math.abs(number) < step * 1e-6) return "0";
  const size = Math.floor(Math.log10(Math.abs(number)));
  const digits = Math.max(0, size - Math.floor(Math.log10(step)));
  if (size < -3 || size > 5) {
    const [mantissa, exponent] = number.toExponential(Math.min(digits, 12)).split("e");
    return `${mantissa}·10${superscript(Number(exponent))}`.replace("-", "−");
  }
  return number.toFixed(Math.max(0, Math.min(12, digits - size))).replace("-", "−");
}

/** A number to seven digits, without zeros at its end. */
function short(number) {
  return written(number, Math.abs(number) / 1e6).replace(/(\.\d*?)0+(?=·|$)/, "$1").replace(/\.(?=·|$)/, "");
}

function superscript(number) {
  const digits = "⁰¹²³⁴⁵⁶⁷⁸⁹";
  return [...String(number)].map((c) => (c === "-" ? "⁻" : digits[Number(c)])).join("");
}

/** Low and high ends of numbers, without NaN. */
function range(numbers) {
  let [low, high] = [Infinity, -Infinity];
  for (const number of numbers) {
    if (Number.isFinite(number)) {
      low = Math.min(low, number);
      high = Math.max(high, number);
    }
  }
  return [low, high];
}
