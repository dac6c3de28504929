// The controls of a view: what they are set to, and what they do.

Object.assign(View.prototype, {
  setControls() {
    const { content, refs } = this;
    const options = () => content.dimensions.map((own, axis) => h("option", { value: axis }, own.name));
    refs.rows.append(...options());
    refs.columns.append(...options());
    refs.kinds.append(
      ...KINDS.map(([name, text]) =>
        h(
          "label",
          {},
          h("input", { type: "radio", value: name, name: `kind-${View.count}`, onchange: () => this.colourBy(name) }),
          h("span", {}, text),
        ),
      ),
    );
    View.count++;
    const [least, most] = this.range();
    Object.assign(refs.clusters, { min: least, max: most });
    const points = Array.from(content.levels, (level, step) => [
      most > least ? (1000 * (content.levels.length - 1 - step)) / (most - least) : 0,
      100 - 92 * level,
    ]);
    const line = points.map(([x, y]) => `${x.toFixed(1)} ${y.toFixed(2)}`).join("L");
    refs.line.setAttribute("d", `M${line}`);
    refs.area.setAttribute("d", `M${points[0][0]} 100L${line}L0 100Z`);
    refs.stage.setAttribute("aria-label", `Grid of clusters. ${HINT}`);
  },

  // Numbers of clusters, over all dimensions, of the coarsest and the finest level.
  range() {
    const d = this.content.dimensions.length;
    return [d, d + this.content.merges.length];
  },

  listen() {
    const { refs, content } = this;
    const on = (ref, event, handle) => refs[ref].addEventListener(event, handle);
    const last = content.levels.length - 1;
    on("clusters", "input", () => {
      const step = this.range()[1] - Number(refs.clusters.value);
      this.soon("update", () => this.toStep(step));
    });
    on("information", "input", () => {
      // The coarsest level that keeps as much.
      const wanted = Number(refs.information.value) / 100;
      let step = last;
      while (step > 0 && content.levels[step] < wanted - 5e-4) step--;
      this.soon("update", () => this.toStep(step));
    });
    on("nRows", "change", () => this.toParts(0, Number(refs.nRows.value)));
    on("nColumns", "change", () => this.toParts(1, Number(refs.nColumns.value)));
    on("best", "click", () => this.toStep(content.best_step));
    on("finest", "click", () => this.toStep(0));
    on("proportional", "change", () => this.draw());
    on("swap", "click", () => this.show(...this.axes.toReversed()));
    on("rows", "change", () => this.show(Number(refs.rows.value), this.axes[1], 0));
    on("columns", "change", () => this.show(this.axes[0], Number(refs.columns.value), 1));
    on("query", "input", () => this.soon("find", () => this.find()));
    on("finder", "toggle", () => this.find());
    on("lists", "toggle", () => refs.lists.open && this.tellLists());
    on("asTable", "toggle", () => refs.asTable.open && this.tellTable());
    on("saveNames", "click", () =>
      download(`${this.stem()}.names.json`, `${JSON.stringify(this.texts.toJson(), null, 1)}\n`, "application/json"),
    );
    on("loadNames", "change", async () => {
      const [file] = refs.loadNames.files;
      if (file) await this.loadNames(file);
      refs.loadNames.value = "";
    });
    on("saveSelection", "click", () => download(`${this.stem()}.selection.csv`, this.selectionCsv(), "text/csv"));
    on("saveCells", "click", () => download(`${this.stem()}.cells.csv`, this.cellsCsv(), "text/csv"));
    on("stage", "keydown", (event) => this.onKey(event));
    on("stage", "pointermove", (event) => this.onPointer(event));
    on("stage", "pointerleave", () => this.hover(null));
    on("stage", "click", (event) => this.onClick(event));
    window.matchMedia("(prefers-color-scheme: dark)").addEventListener("change", () => this.draw());
    new ResizeObserver(() => this.soon("draw", () => this.draw())).observe(refs.stage);
    window.addEventListener("beforeprint", () => this.printed(true));
    window.addEventListener("afterprint", () => this.printed(false));
  },

  // Does something once before the next picture, however often it is asked for.
  soon(what, action) {
    if (!this.waiting.size) {
      requestAnimationFrame(() => {
        const actions = [...this.waiting.values()];
        this.waiting.clear();
        for (const own of actions) own();
      });
    }
    this.waiting.set(what, action);
  },

  // Two dimensions to show; where both are the same, the other side takes the one left.
  show(rows, columns, changed = 0) {
    const before = this.axes;
    this.axes = [rows, columns];
    if (rows === columns) this.axes[1 - changed] = before[changed];
    this.update();
  },

  colourBy(kind) {
    this.kind = kind;
    this.draw();
    this.tellSelection();
  },

  printed(isPrinted) {
    if (isPrinted) this.frame.dataset.printed = "";
    else delete this.frame.dataset.printed;
    this.draw();
  },

  tellKinds() {
    for (const input of this.refs.kinds.querySelectorAll("input")) {
      input.checked = input.value === this.kind;
      input.parentElement.hidden = input.value === "change" && !this.whole;
    }
  },

  // A choice of the part of each dimension that is not shown.
  tellOthers() {
    const { refs, content } = this;
    refs.rows.value = this.axes[0];
    refs.columns.value = this.axes[1];
    const others = content.dimensions.map((_, axis) => axis).filter((axis) => !this.axes.includes(axis));
    refs.others.hidden = !others.length;
    const key = `${others} ${this.version}`;
    if (this.othersKey === key) return;
    this.othersKey = key;
    const focused = refs.others.contains(document.activeElement) ? document.activeElement.dataset.axis : null;
    refs.others.replaceChildren(
      ...others.map((axis) => {
        const choose = (event) => {
          this.chosen[axis] = Number(event.target.value);
          this.update();
        };
        const option = (node, text) => h("option", { value: node, selected: this.chosen[axis] === node }, text);
        return h(
          "label",
          {},
          `${content.dimensions[axis].name} `,
          h(
            "select",
            { "data-axis": axis, "aria-label": `Part of ${content.dimensions[axis].name}`, onchange: choose },
            option(-1, "all parts"),
            ...Array.from(this.visible[axis], (node) => option(node, this.texts.label(axis, node))),
          ),
        );
      }),
    );
    if (focused !== null) refs.others.querySelector(`[data-axis="${focused}"]`)?.focus();
  },

  onKey(event) {
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    const [i, j] = this.cell();
    const side = event.shiftKey ? 1 : 0;
    const actions = {
      ArrowUp: () => this.moveTo(i - 1, j),
      ArrowDown: () => this.moveTo(i + 1, j),
      ArrowLeft: () => this.moveTo(i, j - 1),
      ArrowRight: () => this.moveTo(i, j + 1),
      PageUp: () => this.moveTo(i - 10, j),
      PageDown: () => this.moveTo(i + 10, j),
      Home: () => this.moveTo(i, 0),
      End: () => this.moveTo(i, Infinity),
      f: () => this.foldSelected(side),
      u: () => this.unfoldSelected(side),
    };
    const action = actions[event.key.length === 1 ? event.key.toLowerCase() : event.key];
    if (!action) return;
    event.preventDefault();
    action();
  },

  pointed(event) {
    const box = this.refs.canvas.getBoundingClientRect();
    return this.picture.at(event.clientX - box.left, event.clientY - box.top);
  },

  onClick(event) {
    const found = this.pointed(event);
    if (!found) return;
    if (found.joint) {
      const { side, node, folded } = found.joint;
      if (folded) this.unfold(this.axes[side], node);
      else this.fold(this.axes[side], node);
    } else this.moveTo(found.i, found.j);
    this.hover(null);
  },

  onPointer(event) {
    if (event.pointerType !== "touch") this.hover(this.pointed(event), event);
  },

  hover(found, event) {
    const { tip, stage } = this.refs;
    if (!found && !this.hovered) return;
    this.hovered = found;
    this.mark();
    tip.hidden = !found;
    stage.style.cursor = found ? "pointer" : "";
    if (!found) return;
    tip.replaceChildren(...(found.joint ? this.tipOfJoint(found.joint) : this.tipOfCell(found)));
    const box = stage.getBoundingClientRect();
    const [x, y] = [event.clientX - box.left, event.clientY - box.top];
    tip.style.left = `${Math.max(0, Math.min(x + 16, box.width - tip.offsetWidth))}px`;
    tip.style.top = `${y + 20}px`;
  },

  tipOfJoint({ side, node, folded }) {
    const tree = this.content.hierarchies[this.axes[side]];
    const kept = percent(this.content.levels[tree.step[node]]);
    return [
      h("strong", {}, this.labelOf(side, node)),
      h("span", {}, `Click to ${folded ? "unfold" : "fold"}; made where ${kept} of the information is left`),
    ];
  },

  tipOfCell({ i, j }) {
    const { table } = this;
    const [row, column] = [i, j].map((place, side) => this.labelOf(side, this.visible[this.axes[side]][place]));
    const count = number(table.counts[i * table.nColumns + j]);
    return [
      h("strong", {}, row),
      h("strong", {}, column),
      h("span", {}, `${count} observations, ${times(table.contrast(i, j))} what is expected`),
    ];
  },
});

View.count = 0;
