// What is selected, in words and tables: a cell, and its two clusters.

const FEW = 15; // values of a cluster that are told at first
const BESIDE = 5; // clusters that go with another

// An element with attributes, handlers ("onclick") and children.
function h(tag, attributes = {}, ...children) {
  const element = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) {
    if (name.startsWith("on")) element.addEventListener(name.slice(2), value);
    else if (value !== null && value !== false) element.setAttribute(name, value === true ? "" : value);
  }
  element.append(...children);
  return element;
}

function facts(pairs) {
  return pairs.flatMap(([term, ...told]) => [h("dt", {}, term), h("dd", {}, ...told)]);
}

// The card of the selected cluster of one side: 0 rows, 1 columns.
class ClusterCard {
  constructor(view, side) {
    this.view = view;
    this.side = side;
    this.more = false;
    const where = side ? "column" : "row";
    this.kind = h("h2", { class: "kind" });
    this.name = h("input", {
      type: "text",
      "aria-label": `Name of the selected ${where} cluster`,
      onchange: () => view.rename(side, this.name.value),
    });
    this.identity = h("p", { class: "soft" });
    this.fold = h("button", { type: "button", onclick: () => view.foldSelected(side) }, "Fold");
    this.unfold = h("button", { type: "button", onclick: () => view.unfoldSelected(side) }, "Unfold");
    for (const [button, what] of [[this.fold, "Fold"], [this.unfold, "Unfold"]]) {
      button.setAttribute("aria-label", `${what} the selected ${where} cluster`);
    }
    this.facts = h("dl", { class: "facts" });
    this.beside = h("div");
    this.values = h("div");
    this.element = h(
      "article",
      { class: "card", "aria-label": `Selected ${where} cluster` },
      h("header", {}, this.kind, h("span", { class: "buttons" }, this.fold, this.unfold)),
      this.name,
      this.identity,
      this.facts,
      this.beside,
      this.values,
    );
  }

  update() {
    const { view, side } = this;
    const axis = view.axes[side];
    const tree = view.content.hierarchies[axis];
    const node = view.selected[axis];
    const key = `${axis} ${node} ${view.version}`;
    if (this.key === key) return;
    if (this.node !== node || this.axis !== axis) this.more = false;
    Object.assign(this, { key, node, axis });
    const own = view.content.dimensions[axis];
    const total = tree.frequency[tree.root];
    const held = view.texts.composition(axis, node);
    this.kind.textContent = `${side ? "Column" : "Row"} · ${own.name}`;
    this.name.value = view.labelOf(side, node);
    const id = view.texts.id(axis, node);
    const n = tree.last[node] - tree.first[node] + 1;
    this.identity.textContent = n > 1 ? `${id}: ${n} clusters folded` : `${id}`;
    this.fold.setAttribute("aria-disabled", node === tree.root);
    this.unfold.setAttribute("aria-disabled", tree.isLeaf(node));
    const [unit, title] = own.kind === "individuals" ? ["Individuals", "Clusters"] : ["Values", "Clusters"];
    this.facts.replaceChildren(
      ...facts([
        ["Observations", `${number(tree.frequency[node])} (${percent(tree.frequency[node] / total)})`],
        ...(held.size ? [[unit, number(held.size)]] : []),
        ...(n > 1 ? [[title, number(n)], ["Information left where it is made", percent(view.content.levels[tree.step[node]])]] : []),
        ["Interest", tree.interest[node].toFixed(2)],
      ]),
    );
    this.tellBeside();
    this.tellValues(held);
  }

  tellBeside() {
    const { view, side } = this;
    const list = (title, cells) =>
      h(
        "div",
        {},
        h("h3", {}, title),
        h(
          "ul",
          { class: "beside" },
          ...cells.map(({ place, contrast }) => {
            const node = view.visible[view.axes[1 - side]][place];
            const choose = () => view.select(1 - side, node);
            return h(
              "li",
              {},
              h("button", { type: "button", class: "link", onclick: choose }, view.labelOf(1 - side, node)),
              h("span", { class: "figure" }, times(contrast)),
            );
          }),
        ),
      );
    const cells = view.cellsOf(side);
    const [more, less] = [cells.filter((c) => c.information > 0), cells.filter((c) => c.information < 0)];
    this.beside.replaceChildren(
      ...(more.length ? [list("More often with", more.slice(0, BESIDE))] : []),
      ...(less.length ? [list("Less often with", less.slice(-3).reverse())] : []),
    );
  }

  tellValues({ size, values }) {
    const shown = this.more ? values : values.slice(0, FEW);
    this.values.replaceChildren();
    if (!values.length) return;
    const most = Math.max(...shown.map((value) => value.frequency), 1);
    const areTypical = values.some((value) => value.typicality !== null);
    const head = ["Value", "Obs.", ...(areTypical ? ["Typicality"] : [])];
    const rows = shown.map((value) =>
      h(
        "tr",
        {},
        h("th", { scope: "row" }, value.text || "(empty)", bar(value.frequency / most)),
        h("td", {}, number(value.frequency)),
        ...(areTypical ? [h("td", {}, value.typicality === null ? "" : value.typicality.toFixed(2))] : []),
      ),
    );
    const hidden = size - shown.length;
    const isMore = values.length > shown.length;
    this.values.append(
      h("h3", {}, "What it holds"),
      h(
        "table",
        { class: "values" },
        h("thead", {}, h("tr", {}, ...head.map((text) => h("th", { scope: "col" }, text)))),
        h("tbody", {}, ...rows),
      ),
      ...(hidden > 0 ? [h("p", { class: "soft" }, `and ${number(hidden)} others`)] : []),
      ...(isMore ? [this.moreButton(Math.min(values.length, 1000))] : []),
    );
  }

  moreButton(n) {
    const open = () => {
      this.more = true;
      const held = this.view.texts.composition(this.axis, this.node);
      this.tellValues({ size: held.size, values: held.values.slice(0, n) });
      this.name.focus({ preventScroll: true });
    };
    return h("button", { type: "button", onclick: open }, `Show ${number(n)} of them`);
  }
}

function bar(share) {
  const element = h("i", { "aria-hidden": "true" });
  element.style.width = `${(100 * share).toFixed(1)}%`;
  return element;
}

// The card of the selected cell.
class CellCard {
  constructor(view) {
    this.view = view;
    this.facts = h("dl", { class: "facts" });
    this.element = h(
      "article",
      { class: "card", "aria-label": "Selected cell" },
      h("header", {}, h("h2", { class: "kind" }, "Cell")),
      this.facts,
    );
  }

  update() {
    const { table } = this.view;
    const [i, j] = this.view.cell();
    const count = table.counts[i * table.nColumns + j];
    const pairs = [
      ["Observations", `${number(count)} (${percent(count / (table.total || 1))})`],
      ["If independent", number(table.expected(i, j))],
      ["Observed / expected", times(table.contrast(i, j))],
      ["Mutual information", `${small(table.information(i, j))} nats`],
    ];
    const { whole } = this.view;
    if (whole) pairs.push(["Share here / in all", times(table.change(i, j, whole))]);
    this.facts.replaceChildren(...facts(pairs));
  }
}
