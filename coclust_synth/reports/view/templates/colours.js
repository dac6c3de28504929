// Colours of cells: from less (blue) to more (red), or from none to much.

const N_COLOURS = 256;
const MAX_CONTRAST = Math.log(16); // beyond it more is not told apart

const PALETTES = {
  light: {
    sequential: ["#f3f5f8", "#cfe0ef", "#93bfdf", "#4a90c4", "#1a5f9e", "#0a2f5c"],
    diverging: ["#153f7a", "#3f7fbd", "#a3c8e2", "#f3f4f6", "#f2b391", "#cf5a3c", "#7d1224"],
  },
  dark: {
    sequential: ["#20262e", "#1f4468", "#2a6ea6", "#4d9fdb", "#95cbf3", "#eaf6ff"],
    diverging: ["#a8d8ff", "#4da3e8", "#245a8c", "#22272f", "#8a3b2c", "#e8795a", "#ffd2b8"],
  },
};

function channels(hex) {
  return [1, 3, 5].map((at) => parseInt(hex.slice(at, at + 2), 16));
}

// A colour of N_COLOURS for each number from 0 to 1, as pixels of little-endian machines.
function rampOf(stops) {
  const ramp = new Uint32Array(N_COLOURS);
  const known = stops.map(channels);
  for (let i = 0; i < N_COLOURS; i++) {
    const place = (i / (N_COLOURS - 1)) * (known.length - 1);
    const below = Math.min(Math.floor(place), known.length - 2);
    const share = place - below;
    const [red, green, blue] = [0, 1, 2].map((k) =>
      Math.round(known[below][k] * (1 - share) + known[below + 1][k] * share),
    );
    ramp[i] = (255 << 24) | (blue << 16) | (green << 8) | red;
  }
  return ramp;
}

// How values of a kind become places on a ramp, and what a legend says of it.
function scaleOf(kind, values) {
  if (kind === "frequency") {
    let most = 0;
    for (const value of values) if (value > most) most = value;
    const whole = Math.log1p(most) || 1;
    return {
      ramp: "sequential",
      place: (value) => Math.log1p(value) / whole,
      ticks: [0, most].map((value) => [value ? 1 : 0, number(value)]),
      title: "Observations, on a scale of logarithms",
    };
  }
  if (kind === "information") {
    let most = 0;
    for (const value of values) if (Math.abs(value) > most) most = Math.abs(value);
    const whole = most || 1;
    return {
      ramp: "diverging",
      place: (value) => 0.5 + (Math.sign(value) * Math.sqrt(Math.abs(value) / whole)) / 2,
      ticks: [[0, `−${small(most)}`], [0.5, "0"], [1, `+${small(most)}`]],
      title: "Part of the mutual information (nats), on a scale of square roots",
    };
  }
  return {
    ramp: "diverging",
    place: (value) => 0.5 + Math.max(-1, Math.min(1, value / MAX_CONTRAST)) / 2,
    ticks: [[0, "1/16 or less"], [0.25, "1/4"], [0.5, "as expected"], [0.75, "4 ×"], [1, "16 × or more"]],
    title:
      kind === "contrast"
        ? "Observed over expected if rows and columns were independent"
        : "Share of the cell in the chosen parts over its share in all",
  };
}

function pixelsOf(values, scale, ramp) {
  const pixels = new Uint32Array(values.length);
  const top = N_COLOURS - 1;
  for (let i = 0; i < values.length; i++) pixels[i] = ramp[Math.round(scale.place(values[i]) * top)];
  return pixels;
}

const FORMAT = new Intl.NumberFormat("en");

function number(value) {
  return FORMAT.format(Math.round(value));
}

function small(value) {
  if (value === 0) return "0";
  return Math.abs(value) < 1e-3 ? value.toExponential(1) : Number(value.toPrecision(2)).toString();
}

function percent(share) {
  return `${(100 * share).toFixed(share > 0 && share < 0.1 ? 2 : 1)} %`;
}

function times(contrast) {
  if (contrast === -Infinity) return "none";
  const ratio = Math.exp(contrast);
  return `${ratio >= 10 ? Math.round(ratio) : ratio.toFixed(2)} ×`;
}
