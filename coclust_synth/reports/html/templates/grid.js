// The grid of a co-clustering: joints of its trees fold and unfold, its cells follow.
(() => {
  const source = document.getElementById("grid-data");
  if (!source) return;
  const data = JSON.parse(source.textContent);
  const svg = document.getElementById("grid");
  const slider = document.getElementById("level");
  const isNarrow = window.innerWidth < 640;
  const [NAMES, LETTERS] = isNarrow ? [150, 18] : [310, 42];
  const SIZE = 22, DEPTH = isNarrow ? 90 : 140, TOP = 110, GAP = 9;
  const INDIVIDUALS = 0, PARTS = 1;

  // Nodes of a side: clusters, then merges. Each is a run of clusters.
  const trees = data.names.map((names, side) => {
    const nodes = names.map((name, i) => ({ run: [i, i], kept: data.kept, step: -1 }));
    for (const [left, right, step, kept] of data.merges[side]) {
      nodes.push({ left, right, step, kept, run: [nodes[left].run[0], nodes[right].run[1]] });
    }
    return nodes;
  });
  const last = 1 + Math.max(...trees.flat().map((node) => node.step));
  const folded = trees.map(() => new Set());

  const shown = (side, node = trees[side].length - 1) => {
    const { left, right } = trees[side][node];
    if (left === undefined || folded[side].has(node)) return [node];
    return [...shown(side, left), ...shown(side, right)];
  };
  const name = (side, node) => {
    const [from, to] = trees[side][node].run;
    const own = data.names[side];
    if (from === to) return own[from];
    if (side === INDIVIDUALS) return `${from + 1} to ${to + 1}`;
    return `${own[from]} and ${to - from} more`;
  };
  const sum = (rows, columns) => {
    let total = 0;
    for (let i = rows[0]; i <= rows[1]; i++)
      for (let j = columns[0]; j <= columns[1]; j++) total += data.cells[i][j];
    return total;
  };
  const all = [[0, data.names[0].length - 1], [0, data.names[1].length - 1]];
  const n = sum(...all);

  const measure = (who, what) => {
    const [rows, columns] = [trees[INDIVIDUALS][who].run, trees[PARTS][what].run];
    const count = sum(rows, columns);
    const expected = (sum(rows, all[1]) * sum(all[0], columns)) / n;
    const times = expected ? count / expected : 1;
    return { count, times, says: count ? (count / n) * Math.log(times) : 0 };
  };

  const put = (parent, tag, attributes, text) => {
    const element = document.createElementNS("http://www.w3.org/2000/svg", tag);
    for (const [key, value] of Object.entries(attributes)) element.setAttribute(key, value);
    if (text !== undefined) element.textContent = text;
    parent.append(element);
    return element;
  };

  let cursor = [0, 0];
  let clusters, cells, focus;

  const tell = () => {
    const [row, column] = cursor;
    const [what, who] = [clusters[PARTS][row], clusters[INDIVIDUALS][column]];
    const { count, times, says } = cells[row][column];
    document.getElementById("cell").textContent =
      `${name(PARTS, what)} × cluster ${name(INDIVIDUALS, who)} of ${data.unit}: ` +
      `${count.toLocaleString("en")} observations, ${times.toFixed(2)} times as many as ` +
      `by chance; mutual information ${says.toFixed(5)} nats.`;
    focus.setAttribute("x", NAMES + column * SIZE);
    focus.setAttribute("y", TOP + row * SIZE);
    focus.setAttribute("visibility", "visible");
  };

  // A joint, or where clusters were put together: a button.
  const joint = (side, node, x, y) => {
    const isFolded = folded[side].has(node);
    const what = side === PARTS ? "of parts" : `of ${data.unit}`;
    const button = put(svg, "g", {
      role: "button", tabindex: 0, class: "joint", "data-joint": `${side} ${node}`,
      "aria-expanded": !isFolded, "aria-label": `Clusters ${what}: ${name(side, node)}`,
    });
    put(button, "circle", { cx: x, cy: y, r: 10, class: "target" });
    put(button, "circle", { cx: x, cy: y, r: isFolded ? 6 : 4, class: isFolded ? "folded" : "open" });
    const turn = () => {
      if (!folded[side].delete(node)) folded[side].add(node);
      draw();
      svg.querySelector(`[data-joint="${side} ${node}"]`)?.focus();
    };
    button.addEventListener("click", turn);
    button.addEventListener("keydown", (event) => {
      if (event.key !== "Enter" && event.key !== " ") return;
      event.preventDefault();
      turn();
    });
  };

  // Where a node stands: along its side, and how far from the cells.
  const branch = (side, node, places, far) => {
    const { left, right, kept } = trees[side][node];
    const at = (along, out) => side === PARTS ? [far + out, along] : [along, far - out];
    const depth = (1 - kept) * (side === PARTS ? DEPTH : TOP - 2 * GAP);
    if (left === undefined || folded[side].has(node)) {
      const along = places.get(node);
      if (left !== undefined) joint(side, node, ...at(along, 0));
      return [along, 0];
    }
    const ends = [left, right].map((child) => branch(side, child, places, far));
    for (const [along, out] of ends) {
      const [from, to] = [at(along, out), at(along, depth)];
      put(svg, "path", { class: "branch", d: `M${from}L${to}` });
    }
    const [one, other] = ends.map(([along]) => at(along, depth));
    put(svg, "path", { class: "branch", d: `M${one}L${other}` });
    const middle = (ends[0][0] + ends[1][0]) / 2;
    joint(side, node, ...at(middle, depth));
    return [middle, depth];
  };

  const draw = () => {
    clusters = [shown(INDIVIDUALS), shown(PARTS)];
    const [wide, high] = clusters.map((own) => own.length);
    cursor = [Math.min(cursor[0], high - 1), Math.min(cursor[1], wide - 1)];
    cells = clusters[PARTS].map((what) => clusters[INDIVIDUALS].map((who) => measure(who, what)));
    const sizes = cells.flat().map(({ says }) => Math.abs(says)).sort((a, b) => a - b);
    const most = Math.max(sizes[Math.floor(0.97 * (sizes.length - 1))], 1e-12);
    const [right, bottom] = [NAMES + wide * SIZE, TOP + high * SIZE];
    const [width, height] = [right + DEPTH + 3 * GAP, bottom + 90];
    svg.replaceChildren();
    svg.setAttribute("viewBox", `0 0 ${width} ${height}`);
    svg.setAttribute("width", width);
    svg.setAttribute("height", height);
    const grid = put(svg, "g", { tabindex: 0, role: "application", "aria-label": "Cells", class: "cells" });
    cells.forEach((line, i) => line.forEach(({ says }, j) => put(grid, "rect", {
      x: NAMES + j * SIZE, y: TOP + i * SIZE, width: SIZE - 1, height: SIZE - 1,
      class: says < 0 ? "less" : "more",
      "fill-opacity": Math.min(Math.abs(says) / most, 1).toFixed(3),
    })));
    focus = put(grid, "rect", { width: SIZE - 1, height: SIZE - 1, class: "focus", visibility: "hidden" });
    clusters[PARTS].forEach((node, i) => {
      const text = name(PARTS, node);
      const place = { x: NAMES - GAP, y: TOP + (i + 0.7) * SIZE, "text-anchor": "end" };
      const written = put(svg, "text", place, text.length > LETTERS ? `${text.slice(0, LETTERS - 1)}…` : text);
      put(written, "title", {}, text);
    });
    clusters[INDIVIDUALS].forEach((node, j) => {
      const [x, y] = [NAMES + (j + 0.7) * SIZE, bottom + GAP];
      put(svg, "text", { x, y, "text-anchor": "end", transform: `rotate(-90 ${x} ${y})` }, name(INDIVIDUALS, node));
    });
    const places = clusters.map((own, side) => new Map(own.map((node, i) =>
      [node, (side === PARTS ? TOP : NAMES) + (i + 0.5) * SIZE])));
    branch(PARTS, trees[PARTS].length - 1, places[PARTS], right + GAP);
    branch(INDIVIDUALS, trees[INDIVIDUALS].length - 1, places[INDIVIDUALS], TOP - GAP);
    document.getElementById("kept").textContent = `${wide} × ${high} clusters`;

    const point = (event) => {
      const { x, y } = new DOMPoint(event.clientX, event.clientY).matrixTransform(svg.getScreenCTM().inverse());
      const place = [Math.floor((y - TOP) / SIZE), Math.floor((x - NAMES) / SIZE)];
      if (cells[place[0]]?.[place[1]] === undefined) return;
      cursor = place;
      tell();
    };
    grid.addEventListener("pointermove", point);
    grid.addEventListener("pointerdown", point);
    grid.addEventListener("keydown", (event) => {
      const by = { ArrowDown: [1, 0], ArrowUp: [-1, 0], ArrowRight: [0, 1], ArrowLeft: [0, -1] }[event.key];
      if (!by) return;
      event.preventDefault();
      const [row, column] = [cursor[0] + by[0], cursor[1] + by[1]];
      if (cells[row]?.[column] !== undefined) cursor = [row, column];
      tell();
    });
    grid.addEventListener("focus", tell);
  };

  slider.max = last;
  slider.addEventListener("input", () => {
    trees.forEach((nodes, side) => {
      folded[side] = new Set([...nodes.keys()].filter((node) => nodes[node].step >= 0 && nodes[node].step < slider.value));
    });
    draw();
  });
  document.getElementById("explore").hidden = false;
  document.body.classList.add("scripted");
  draw();
})();
