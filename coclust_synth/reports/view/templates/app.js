// The whole view: controls, the state that they change, and what follows from it.

class View {
  constructor(root, content, { names = content.names, onNames = () => {} } = {}) {
    this.root = root;
    this.frame = root.closest(".coclust-view");
    this.content = content;
    this.onNames = onNames;
    this.texts = new Texts(content, names);
    this.axes = content.main;
    this.chosen = content.dimensions.map(() => -1); // a node, or all of them
    this.selected = content.hierarchies.map((tree) => tree.root);
    this.kind = "information";
    this.sortedBy = [0, 0]; // columns of the lists of clusters
    this.version = 0;
    this.waiting = new Map();
    root.insertAdjacentHTML("beforeend", SKELETON);
    this.refs = Object.fromEntries([...root.querySelectorAll("[data-ref]")].map((own) => [own.dataset.ref, own]));
    this.picture = new Picture(this.refs.canvas, this.refs.overlay);
    this.cards = [new CellCard(this), new ClusterCard(this, 0), new ClusterCard(this, 1)];
    this.refs.selection.append(...this.cards.map((card) => card.element));
    this.setControls();
    this.listen();
    this.toStep(content.best_step);
    this.selectStrongest();
  }

  // --- what is shown --------------------------------------------------------

  toStep(step) {
    this.step = step;
    for (const tree of this.content.hierarchies) tree.toStep(step);
    this.update();
  }

  // After the trees, the dimensions or the conditions changed.
  update() {
    const { content, axes } = this;
    this.version++;
    this.hovered = null;
    this.refs.tip.hidden = true;
    this.visible = content.hierarchies.map((tree) => tree.visible());
    content.hierarchies.forEach((tree, axis) => {
      const node = this.selected[axis];
      if (!tree.isShown(node)) this.selected[axis] = tree.shown(node);
      const chosen = this.chosen[axis];
      if (chosen >= 0 && !tree.isShown(chosen)) this.chosen[axis] = tree.shown(chosen);
    });
    const places = axes.map((axis) => content.hierarchies[axis].places(this.visible[axis]));
    const shape = axes.map((axis) => this.visible[axis].length);
    const table = (chosen) => new Table(tableOf(content, axes, places, shape, chosen), ...shape);
    this.table = table(this.chosen);
    const isPart = this.chosen.some((node, axis) => node >= 0 && !axes.includes(axis));
    this.whole = isPart ? table(this.chosen.map(() => -1)) : null;
    if (!isPart && this.kind === "change") this.kind = "information";
    this.descriptions = new Map();
    this.draw();
    this.tell();
  }

  draw() {
    const { table, refs } = this;
    const style = getComputedStyle(this.root);
    const colour = (name) => style.getPropertyValue(`--${name}`).trim();
    const values = table.values(this.kind, this.whole);
    const scale = scaleOf(this.kind, values);
    // Notebooks draw before they show: there is no style yet, and no width.
    const ramp = rampOf(PALETTES[colour("scheme") || "light"][scale.ramp]);
    const width = refs.stage.clientWidth || NARROW;
    const height = Math.min(Math.max(window.innerHeight * 0.66, 300), width < NARROW ? 440 : 680);
    const font = `12px ${style.fontFamily}`;
    const side = (k) => {
      const axis = this.axes[k];
      const visible = this.visible[axis];
      return {
        visible,
        label: (place) => this.labelOf(k, visible[place]),
        weights: Array.from(k ? table.columns : table.rows),
        tree: this.content.hierarchies[axis],
        levels: this.content.levels,
      };
    };
    this.picture.layOut(width, height, { rows: side(0), columns: side(1), font }, refs.proportional.checked);
    this.picture.draw(pixelsOf(values, scale, ramp), {
      ink: colour("ink"),
      paper: colour("paper"),
      line: colour("soft"),
      accent: colour("accent"),
    });
    this.drawLegend(scale, ramp);
    this.mark();
  }

  drawLegend(scale, ramp) {
    const { ramp: canvas, ticks, legendTitle } = this.refs;
    legendTitle.textContent = scale.title;
    canvas.width = N_COLOURS;
    const image = new ImageData(N_COLOURS, canvas.height);
    const pixels = new Uint32Array(image.data.buffer);
    for (let i = 0; i < pixels.length; i++) pixels[i] = ramp[i % N_COLOURS];
    canvas.getContext("2d").putImageData(image, 0, 0);
    ticks.replaceChildren(
      ...scale.ticks.map(([place, text]) => {
        const tick = h("span", {}, text);
        tick.style.left = `${100 * place}%`;
        tick.style.transform = `translateX(-${100 * place}%)`;
        return tick;
      }),
    );
  }

  // What a selection or a pointer changes of the picture.
  mark() {
    this.picture.drawAround(
      this.axes.map((axis) => this.selected[axis]),
      this.hovered,
    );
  }

  // --- what is said ---------------------------------------------------------

  tell() {
    const { content, refs, table } = this;
    const shape = this.axes.map((axis) => number(this.visible[axis].length)).join(" × ");
    const byHand = this.step === null;
    const total = this.visible.reduce((sum, nodes) => sum + nodes.length, 0);
    const level = byHand ? null : content.levels[this.step];
    const finest = this.finestInformation();
    const own = table.mutualInformation();
    refs.status.replaceChildren(
      h("strong", {}, `${shape} clusters`),
      byHand ? ", folded by hand. " : `, ${percent(level)} of the information kept. `,
      h(
        "span",
        { class: "soft" },
        `Mutual information of what is shown ${small(own)} nats` +
          (finest > 0 ? `, ${percent(own / finest)} of that of the finest level of this page.` : "."),
      ),
    );
    refs.clustersTold.textContent = number(total);
    refs.informationTold.textContent = byHand ? "by hand" : percent(level);
    refs.clusters.value = total;
    refs.clusters.setAttribute("aria-valuetext", `${shape} clusters`);
    if (!byHand) refs.information.value = 100 * level;
    refs.information.setAttribute("aria-valuetext", byHand ? "folded by hand" : percent(level));
    refs.nRows.value = this.visible[this.axes[0]].length;
    refs.nColumns.value = this.visible[this.axes[1]].length;
    this.tellMark(total, level);
    this.tellOthers();
    this.tellKinds();
    this.tellSelection();
    if (refs.asTable.open) this.soon("table", () => this.tellTable());
    if (refs.lists.open) this.soon("lists", () => this.tellLists());
    if (refs.finder.open) this.soon("find", () => this.find());
  }

  tellMark(total, level) {
    const [least, most] = this.range();
    const x = most > least ? (1000 * (total - least)) / (most - least) : 1000;
    this.refs.mark.setAttribute("d", level === null ? "" : `M${x} 100V${100 - 92 * level}`);
  }

  tellSelection() {
    const { table } = this;
    const [i, j] = this.cell();
    const [row, column] = [0, 1].map((side) => this.labelOf(side, this.selected[this.axes[side]]));
    const count = table.counts[i * table.nColumns + j];
    const kind = KINDS.find(([name]) => name === this.kind)[1].toLowerCase();
    this.refs.canvas.setAttribute(
      "aria-label",
      `Grid of ${table.nRows} by ${table.nColumns} clusters, coloured by ${kind}. ` +
        `Selected: ${row} with ${column}, ${number(count)} observations.`,
    );
    for (const card of this.cards) card.update();
  }

  announce() {
    const { table } = this;
    const [i, j] = this.cell();
    const [row, column] = [0, 1].map((side) => this.labelOf(side, this.selected[this.axes[side]]));
    const count = table.counts[i * table.nColumns + j];
    this.refs.live.textContent =
      `Row ${i + 1}, ${row}; column ${j + 1}, ${column}: ${number(count)} observations, ` +
      `${times(table.contrast(i, j))} what is expected`;
  }

  // What a cluster of one side is called; individuals by what they have most.
  labelOf(side, node) {
    const axis = this.axes[side];
    const own = this.content.dimensions[axis];
    if (own.kind !== "individuals" || this.texts.named[axis].has(this.texts.id(axis, node))) {
      return this.texts.label(axis, node);
    }
    const key = `${axis} ${node}`;
    if (!this.descriptions.has(key)) this.descriptions.set(key, this.describe(side, node));
    return this.descriptions.get(key);
  }

  describe(side, node) {
    const place = this.visible[this.axes[side]].indexOf(node);
    const words = place < 0 ? [] : this.cellsOf(side, place).filter((cell) => cell.information > 0);
    const other = this.visible[this.axes[1 - side]];
    const text = words.slice(0, 2).map((cell) => this.texts.word(this.axes[1 - side], other[cell.place]));
    return text.join(" · ") || this.texts.label(this.axes[side], node);
  }

  // The cells of a cluster, those that say most first.
  cellsOf(side, place = this.cell()[side]) {
    const { table } = this;
    const n = side ? table.nRows : table.nColumns;
    const found = Array.from({ length: n }, (_, other) => {
      const [i, j] = side ? [other, place] : [place, other];
      return { place: other, information: table.information(i, j), contrast: table.contrast(i, j) };
    });
    return found.sort((a, b) => b.information - a.information);
  }

  // Mutual information of the parts of both dimensions, of what is chosen of the others.
  finestInformation() {
    const { content, axes, chosen } = this;
    const key = [...axes, ...chosen].join(" ");
    if (this.finestKey !== key) {
      const places = axes.map((axis) => Int32Array.from({ length: content.hierarchies[axis].n }, (_, i) => i));
      const shape = axes.map((axis) => content.hierarchies[axis].n);
      const table = new Table(tableOf(content, axes, places, shape, chosen), ...shape);
      [this.finestKey, this.finest] = [key, table.mutualInformation()];
    }
    return this.finest;
  }

  // --- selection ------------------------------------------------------------

  cell() {
    return this.axes.map((axis) => this.visible[axis].indexOf(this.selected[axis]));
  }

  select(side, node) {
    this.selected[this.axes[side]] = node;
    this.mark();
    this.tellSelection();
    this.announce();
  }

  moveTo(i, j) {
    const { table } = this;
    const place = [Math.max(0, Math.min(table.nRows - 1, i)), Math.max(0, Math.min(table.nColumns - 1, j))];
    this.axes.forEach((axis, side) => (this.selected[axis] = this.visible[axis][place[side]]));
    this.soon("select", () => {
      this.mark();
      this.tellSelection();
      this.announce();
    });
  }

  selectStrongest() {
    const { table } = this;
    let [best, most] = [0, -Infinity];
    for (let i = 0, at = 0; i < table.nRows; i++) {
      for (let j = 0; j < table.nColumns; j++, at++) {
        const value = table.information(i, j);
        if (value > most) [best, most] = [at, value];
      }
    }
    const place = [Math.floor(best / table.nColumns), best % table.nColumns];
    this.axes.forEach((axis, side) => (this.selected[axis] = this.visible[axis][place[side]]));
    this.mark();
    this.tellSelection();
  }

  fold(axis, node) {
    this.content.hierarchies[axis].fold(node);
    this.selected[axis] = node;
    this.step = null;
    this.update();
  }

  unfold(axis, node) {
    const tree = this.content.hierarchies[axis];
    tree.unfold(node);
    this.selected[axis] = tree.left[node];
    this.step = null;
    this.update();
  }

  foldSelected(side) {
    const axis = this.axes[side];
    const above = this.content.hierarchies[axis].parent[this.selected[axis]];
    if (above < 0) return;
    this.fold(axis, above);
    this.announce();
  }

  unfoldSelected(side) {
    const axis = this.axes[side];
    if (this.content.hierarchies[axis].isLeaf(this.selected[axis])) return;
    this.unfold(axis, this.selected[axis]);
    this.announce();
  }

  toParts(side, n) {
    const tree = this.content.hierarchies[this.axes[side]];
    if (!Number.isInteger(n)) return this.tell();
    tree.toParts(Math.max(1, Math.min(tree.n, n)));
    this.step = null;
    this.update();
  }

  rename(side, name) {
    const axis = this.axes[side];
    const node = this.selected[axis];
    if (name.trim() !== this.labelOf(side, node)) {
      this.texts.rename(axis, node, name);
      this.onNames(this.texts.toJson().dimensions);
    }
    this.named();
  }

  // After names changed.
  named() {
    this.version++;
    this.descriptions.clear();
    this.draw();
    this.tell();
  }
}
