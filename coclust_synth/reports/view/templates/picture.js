// The grid and its two trees on a canvas: where everything is, and how it is drawn.

const NARROW = 560; // CSS pixels below which a figure is that of a phone
const LABEL = 12; // pixels that a label takes
const FLAT = 110; // pixels of a column in which its label is never written upwards
const NEAR = 9; // pixels around a joint of a tree that are the joint

// Ends of the parts along an axis of a length: of one size, or by their observations.
function edgesOf(weights, length) {
  const edges = new Float64Array(weights.length + 1);
  let sum = 0;
  for (const weight of weights) sum += weight;
  let before = 0;
  weights.forEach((weight, i) => {
    before += weight;
    edges[i + 1] = (length * before) / (sum || 1);
  });
  return edges;
}

// The part at a place.
function partAt(edges, place) {
  let low = 0;
  let high = edges.length - 2;
  while (low < high) {
    const middle = (low + high) >> 1;
    if (edges[middle + 1] > place) high = middle;
    else low = middle + 1;
  }
  return low;
}

class Picture {
  constructor(canvas, overlay) {
    this.canvas = canvas;
    this.overlay = overlay;
    this.buffer = document.createElement("canvas");
  }

  // Rectangles of the grid, of the trees and of the labels, in CSS pixels.
  layOut(width, height, shown, proportional) {
    const narrow = width < NARROW;
    const tree = narrow ? 44 : 92;
    const pen = this.canvas.getContext("2d");
    pen.font = shown.font;
    const longest = (texts) => texts.reduce((most, text) => Math.max(most, pen.measureText(text).width), 0);
    const { rows, columns } = shown;
    // Labels where there is room for one each; nothing is named that is not seen.
    const labels = (side, length) =>
      side.visible.length * LABEL <= length ? Array.from(side.visible, (_, i) => side.label(i)) : [];
    rows.labels = labels(rows, height);
    const right = rows.labels.length && Math.min(narrow ? 96 : width > 800 ? 270 : 170, longest(rows.labels) + 14);
    const across = Math.max(width - tree - right, 40);
    columns.labels = labels(columns, across);
    const longestColumn = longest(columns.labels) + 14;
    const each = across / columns.visible.length;
    const areFlat = !proportional && (longestColumn <= each || each >= FLAT);
    const bottom = columns.labels.length && (areFlat ? 24 : Math.min(narrow ? 96 : width > 800 ? 210 : 150, longestColumn));
    // Rows of a small grid are no higher than what looks well.
    const down = Math.min(height, Math.max(160, rows.visible.length * (narrow ? 34 : 44)));
    const weights = (side) => (proportional ? side.weights : side.weights.map(() => 1));
    Object.assign(this, {
      shown,
      width,
      height: tree + down + bottom,
      grid: { x: tree, y: tree, width: across, height: down },
      tree,
      labels: { right, bottom, areFlat },
      xs: edgesOf(weights(columns), across),
      ys: edgesOf(weights(rows), down),
    });
  }

  draw(pixels, colours) {
    this.colours = colours;
    this.drawCells(this.prepare(this.canvas), pixels);
  }

  // What is around the cells and above them: trees, labels, what is selected (a node of
  // each side), what the pointer is on. The cells below stay as they are.
  drawAround(selected, hovered) {
    const pen = this.prepare(this.overlay);
    const sides = [this.shown.rows, this.shown.columns];
    this.joints = sides.flatMap((_, side) => this.drawTree(pen, side, selected[side]));
    this.drawLabels(pen, selected);
    const [i, j] = sides.map((own, side) => own.visible.indexOf(selected[side]));
    this.mark(pen, i, j);
    if (hovered) this.markHovered(pen, hovered);
  }

  prepare(canvas) {
    const ratio = window.devicePixelRatio || 1;
    const [width, height] = [this.width, this.height].map((size) => Math.round(size * ratio));
    if (canvas.width !== width || canvas.height !== height) {
      canvas.width = width;
      canvas.height = height;
      canvas.style.width = `${this.width}px`;
      canvas.style.height = `${this.height}px`;
    }
    const pen = canvas.getContext("2d");
    pen.setTransform(ratio, 0, 0, ratio, 0, 0);
    pen.clearRect(0, 0, this.width, this.height);
    return pen;
  }

  drawCells(pen, pixels) {
    const { x, y, width, height } = this.grid;
    const ratio = window.devicePixelRatio || 1;
    const nColumns = this.xs.length - 1;
    const nRows = this.ys.length - 1;
    const [w, h] = [Math.max(1, Math.round(width * ratio)), Math.max(1, Math.round(height * ratio))];
    const areFine = nColumns > w || nRows > h;
    const [across, down] = areFine ? [nColumns, nRows] : [w, h];
    this.buffer.width = across;
    this.buffer.height = down;
    const image = new ImageData(across, down);
    const target = new Uint32Array(image.data.buffer);
    if (areFine) {
      // More cells than pixels: the browser's mean of them.
      target.set(pixels);
    } else {
      const columnOf = placesOf(this.xs, across, ratio);
      const rowOf = placesOf(this.ys, down, ratio);
      for (let i = 0; i < down; i++) {
        const row = rowOf[i];
        if (row < 0) continue;
        if (i && row === rowOf[i - 1]) {
          target.copyWithin(i * across, (i - 1) * across, i * across);
          continue;
        }
        const from = row * nColumns;
        for (let j = 0; j < across; j++) {
          if (columnOf[j] >= 0) target[i * across + j] = pixels[from + columnOf[j]];
        }
      }
    }
    this.buffer.getContext("2d").putImageData(image, 0, 0);
    pen.imageSmoothingEnabled = areFine;
    pen.imageSmoothingQuality = "high";
    pen.drawImage(this.buffer, x, y, width, height);
  }

  // Draws the tree of one side: 0 rows, at the left; 1 columns, at the top.
  drawTree(pen, side, selected) {
    const { tree, levels } = side ? this.shown.columns : this.shown.rows;
    const edges = side ? this.xs : this.ys;
    const { grid } = this;
    const across = this.tree - 12;
    const depth = (node) => this.tree - 4 - across * Math.sqrt(1 - levels[tree.step[node]]);
    const point = (along, at) => (side ? [grid.x + along, at] : [at, grid.y + along]);
    const onPath = new Set();
    for (let node = selected; node >= 0; node = tree.parent[node]) onPath.add(node);
    const middle = new Float64Array(tree.root + 1);
    const joints = [];
    const lines = [[], []];
    let place = 0;
    // Children before their parent.
    const stack = [[tree.root, false]];
    while (stack.length) {
      const [node, done] = stack.pop();
      if (tree.isLeaf(node) || tree.folded[node]) {
        middle[node] = (edges[place] + edges[place + 1]) / 2;
        if (!tree.isLeaf(node)) {
          const [x, y] = point(middle[node], this.tree - 4);
          joints.push({ side, node, x, y, folded: true, room: edges[place + 1] - edges[place] });
        }
        place++;
      } else if (done) {
        const at = depth(node);
        const [left, right] = [tree.left[node], tree.right[node]];
        middle[node] = (middle[left] + middle[right]) / 2;
        for (const child of [left, right]) {
          const below = tree.isLeaf(child) || tree.folded[child] ? this.tree - 2 : depth(child);
          const line = [point(middle[node], at), point(middle[child], at), point(middle[child], below)];
          lines[onPath.has(child) ? 1 : 0].push(line);
        }
        const [x, y] = point(middle[node], at);
        joints.push({ side, node, x, y, folded: false, room: Math.abs(middle[right] - middle[left]) });
      } else {
        stack.push([node, true], [tree.right[node], false], [tree.left[node], false]);
      }
    }
    // Lines that would run into each other are thin: the trunk stays readable.
    const faint = Math.min(1, Math.max(0.2, (edges[edges.length - 1] / place) * 0.25));
    lines.forEach((own, isPath) => {
      pen.globalAlpha = isPath ? 1 : faint;
      pen.strokeStyle = isPath ? this.colours.accent : this.colours.line;
      pen.lineWidth = isPath ? 2 : 1;
      pen.beginPath();
      for (const [start, ...others] of own) {
        pen.moveTo(...start);
        for (const end of others) pen.lineTo(...end);
      }
      pen.stroke();
    });
    pen.globalAlpha = 1;
    for (const joint of joints) if (joint.room >= 7) this.drawJoint(pen, joint);
    return joints;
  }

  // A filled dot can be unfolded, a ring folded.
  drawJoint(pen, { x, y, folded }) {
    pen.beginPath();
    pen.arc(x, y, 3, 0, 2 * Math.PI);
    pen.fillStyle = folded ? this.colours.accent : this.colours.paper;
    pen.strokeStyle = folded ? this.colours.accent : this.colours.line;
    pen.lineWidth = 1.25;
    pen.fill();
    pen.stroke();
  }

  drawLabels(pen, selected) {
    const { grid, labels, shown } = this;
    pen.font = shown.font;
    pen.textBaseline = "middle";
    const write = (text, room, isBold) => {
      pen.fillStyle = isBold ? this.colours.accent : this.colours.ink;
      pen.fillText(shortened(pen, text, room), 0, 0);
    };
    if (labels.right) {
      const room = labels.right - 8;
      shown.rows.labels.forEach((text, i) => {
        const high = this.ys[i + 1] - this.ys[i];
        if (high < LABEL - 1) return;
        const isLong = high > 2.5 * LABEL && pen.measureText(text).width > room;
        const lines = isLong ? inTwo(text) : [text];
        const middle = grid.y + (this.ys[i] + this.ys[i + 1]) / 2;
        lines.forEach((line, k) => {
          pen.save();
          pen.translate(grid.x + grid.width + 8, middle + (k - (lines.length - 1) / 2) * (LABEL + 3));
          write(line, room, shown.rows.visible[i] === selected[0]);
          pen.restore();
        });
      });
    }
    if (labels.bottom) {
      pen.textAlign = labels.areFlat ? "center" : "right";
      shown.columns.labels.forEach((text, j) => {
        if (this.xs[j + 1] - this.xs[j] < LABEL - 1) return;
        pen.save();
        const [x, y] = [grid.x + (this.xs[j] + this.xs[j + 1]) / 2, grid.y + grid.height];
        pen.translate(x, y + (labels.areFlat ? 14 : 8));
        if (!labels.areFlat) pen.rotate(-Math.PI / 2);
        write(text, labels.areFlat ? this.xs[j + 1] - this.xs[j] - 6 : labels.bottom - 8, shown.columns.visible[j] === selected[1]);
        pen.restore();
      });
      pen.textAlign = "left";
    }
  }

  mark(pen, i, j) {
    const { grid, xs, ys } = this;
    const [left, right] = [grid.x + xs[j], grid.x + xs[j + 1]];
    const [top, bottom] = [grid.y + ys[i], grid.y + ys[i + 1]];
    pen.strokeStyle = this.colours.accent;
    pen.lineWidth = 1;
    pen.globalAlpha = 0.7;
    pen.strokeRect(grid.x, top, grid.width, bottom - top);
    pen.strokeRect(left, grid.y, right - left, grid.height);
    pen.globalAlpha = 1;
    for (const [width, colour] of [[5, this.colours.paper], [2.5, this.colours.accent]]) {
      pen.lineWidth = width;
      pen.strokeStyle = colour;
      pen.strokeRect(left, top, Math.max(right - left, 2), Math.max(bottom - top, 2));
    }
  }

  markHovered(pen, { joint, i, j }) {
    const { grid, xs, ys } = this;
    pen.strokeStyle = joint ? this.colours.accent : this.colours.ink;
    pen.lineWidth = 1.5;
    if (joint) {
      pen.beginPath();
      pen.arc(joint.x, joint.y, 5.5, 0, 2 * Math.PI);
      pen.stroke();
    } else pen.strokeRect(grid.x + xs[j], grid.y + ys[i], xs[j + 1] - xs[j], ys[i + 1] - ys[i]);
  }

  // The cell or the joint of a tree at a point.
  at(x, y) {
    const { grid } = this;
    const inGrid = x >= grid.x && x < grid.x + grid.width && y >= grid.y && y < grid.y + grid.height;
    if (inGrid) return { i: partAt(this.ys, y - grid.y), j: partAt(this.xs, x - grid.x) };
    let [joint, nearest] = [null, NEAR];
    for (const own of this.joints) {
      const distance = Math.hypot(own.x - x, own.y - y);
      if (distance < nearest) [joint, nearest] = [own, distance];
    }
    return joint && { joint };
  }
}

// The part at each pixel of an axis, -1 in the gap after it where parts are large enough.
function placesOf(edges, n, ratio) {
  const places = new Int32Array(n);
  let part = 0;
  for (let pixel = 0; pixel < n; pixel++) {
    const place = (pixel + 0.5) / ratio;
    while (part < edges.length - 2 && edges[part + 1] <= place) part++;
    const hasGap = edges[part + 1] - edges[part] >= 6 && part < edges.length - 2;
    places[pixel] = hasGap && edges[part + 1] - place < 1 ? -1 : part;
  }
  return places;
}

// Two lines of a text that says two things.
function inTwo(text) {
  const middle = text.indexOf(" · ");
  const place = middle < 0 ? text.indexOf(", ") : middle;
  return place < 0 ? [text] : [text.slice(0, place + 1), text.slice(place + 2).trimStart()];
}

// Where a long text starts and where it ends: parts of one column differ in their values, at the end.
function shortened(pen, text, room) {
  if (pen.measureText(text).width <= room) return text;
  // That there is more is told by the cut.
  const letters = Array.from(text.replace(", ...}", ""));
  const cut = (n) => `${letters.slice(0, (n + 1) >> 1).join("")}…${letters.slice(letters.length - (n >> 1)).join("")}`;
  let [low, high] = [0, letters.length - 1];
  while (low < high) {
    const middle = (low + high + 1) >> 1;
    if (pen.measureText(cut(middle)).width <= room) low = middle;
    else high = middle - 1;
  }
  return cut(low);
}
