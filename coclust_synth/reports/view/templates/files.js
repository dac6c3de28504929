// The grid and its clusters as tables, what is found in them, and files of them.

const MAX_TABLE = [60, 24]; // rows and columns of the table that stands for the picture
const MAX_FOUND = 50;
const MAX_LISTED = 500;
// Columns of a list of clusters: a title, what it sorts by, and what it shows.
const COLUMNS = [
  ["Cluster", (own) => own.place, (own) => own.name],
  ["Obs.", (own) => -own.frequency, (own) => number(own.frequency)],
  ["Share", (own) => -own.frequency, (own) => percent(own.share)],
  ["Interest", (own) => -own.interest, (own) => own.interest.toFixed(2)],
];

Object.assign(View.prototype, {
  tellTable() {
    const { table } = this;
    const [nRows, nColumns] = [table.nRows, table.nColumns].map((n, k) => Math.min(n, MAX_TABLE[k]));
    const nodes = this.axes.map((axis) => this.visible[axis]);
    const head = Array.from({ length: nColumns }, (_, j) => h("th", { scope: "col" }, this.labelOf(1, nodes[1][j])));
    const rows = Array.from({ length: nRows }, (_, i) =>
      h(
        "tr",
        {},
        h("th", { scope: "row" }, this.labelOf(0, nodes[0][i])),
        ...Array.from({ length: nColumns }, (_, j) => h("td", {}, number(table.counts[i * table.nColumns + j]))),
      ),
    );
    const isPart = nRows < table.nRows || nColumns < table.nColumns;
    const which = isPart ? ` The first ${nRows} rows and ${nColumns} columns; all are in the CSV file.` : "";
    this.refs.tableRoom.replaceChildren(
      h(
        "table",
        {},
        h("caption", {}, `Observations of each cell.${which}`),
        h("thead", {}, h("tr", {}, h("td", {}), ...head)),
        h("tbody", {}, ...rows),
      ),
    );
  },

  tellLists() {
    this.refs.listRoom.replaceChildren(...[0, 1].map((side) => this.listOf(side)));
  },

  // The clusters of one side, in the order of the tree or by one of their figures.
  listOf(side) {
    const axis = this.axes[side];
    const tree = this.content.hierarchies[axis];
    const total = tree.frequency[tree.root];
    const clusters = Array.from(this.visible[axis], (node, place) => ({
      node,
      place,
      name: this.labelOf(side, node),
      frequency: tree.frequency[node],
      share: tree.frequency[node] / total,
      interest: tree.interest[node],
    }));
    const by = this.sortedBy[side];
    const key = COLUMNS[by][1];
    clusters.sort((a, b) => key(a) - key(b));
    const sort = (column) => {
      this.sortedBy[side] = column;
      this.tellLists();
      this.refs.listRoom.children[side].querySelectorAll("thead button")[column].focus();
    };
    const heads = COLUMNS.map(([title], column) =>
      h(
        "th",
        { scope: "col", "aria-sort": column === by ? (column ? "descending" : "ascending") : null },
        h("button", { type: "button", class: "link", onclick: () => sort(column) }, title),
      ),
    );
    const rows = clusters.slice(0, MAX_LISTED).map((own) => {
      const name = h("button", { type: "button", class: "link", onclick: () => this.select(side, own.node) }, own.name);
      const figures = COLUMNS.slice(1).map(([, , show]) => h("td", {}, show(own)));
      return h("tr", {}, h("th", { scope: "row" }, name), ...figures);
    });
    const isPart = clusters.length > MAX_LISTED ? `, the first ${MAX_LISTED} of ${number(clusters.length)}` : "";
    return h(
      "table",
      { class: "values" },
      h("caption", {}, `${side ? "Columns" : "Rows"}: ${this.content.dimensions[axis].name}${isPart}`),
      h("thead", {}, h("tr", {}, ...heads)),
      h("tbody", {}, ...rows),
    );
  },

  find() {
    const { query, found, foundTold } = this.refs;
    const text = query.value.trim().toLowerCase();
    const hits = [];
    const add = (side, node, what) => {
      const choose = () => {
        this.select(side, node);
        this.refs.stage.focus();
      };
      const where = this.content.dimensions[this.axes[side]].name;
      hits.push(
        h("li", {}, h("button", { type: "button", class: "link", onclick: choose }, what), h("span", { class: "soft" }, where)),
      );
    };
    let n = 0;
    this.axes.forEach((axis, side) => {
      if (!text) return;
      const own = this.content.dimensions[axis];
      const tree = this.content.hierarchies[axis];
      for (const node of this.visible[axis]) {
        const label = this.labelOf(side, node);
        if (label.toLowerCase().includes(text) && n++ < MAX_FOUND) add(side, node, `Cluster ${label}`);
      }
      own.values.forEach((values, part) => {
        for (const value of values) {
          if (!value.toLowerCase().includes(text)) continue;
          if (n++ < MAX_FOUND) add(side, tree.shown(part), value);
        }
      });
    });
    found.replaceChildren(...hits);
    foundTold.textContent = text ? `${number(n)} found${n > MAX_FOUND ? `, the first ${MAX_FOUND} shown` : ""}` : "";
  },

  selectionCsv() {
    const rows = [["dimension", "cluster", "name", "value", "observations", "typicality"]];
    this.axes.forEach((axis, side) => {
      const node = this.selected[axis];
      const tree = this.content.hierarchies[axis];
      const about = [this.content.dimensions[axis].name, this.texts.id(axis, node), this.labelOf(side, node)];
      const { values } = this.texts.composition(axis, node);
      if (!values.length) rows.push([...about, "", tree.frequency[node], ""]);
      for (const value of values) rows.push([...about, value.text, value.frequency, value.typicality]);
    });
    return csvOf(rows);
  },

  cellsCsv() {
    const { table } = this;
    const nodes = this.axes.map((axis) => this.visible[axis]);
    const names = nodes.map((own, side) => Array.from(own, (node) => this.labelOf(side, node)));
    const ids = nodes.map((own, side) => Array.from(own, (node) => this.texts.id(this.axes[side], node)));
    const rows = [["row", "row_name", "column", "column_name", "observations", "expected", "information_nats"]];
    for (let i = 0; i < table.nRows; i++) {
      for (let j = 0; j < table.nColumns; j++) {
        const count = table.counts[i * table.nColumns + j];
        const figures = [count, table.expected(i, j), table.information(i, j)];
        if (count) rows.push([ids[0][i], names[0][i], ids[1][j], names[1][j], ...figures]);
      }
    }
    return csvOf(rows);
  },

  stem() {
    return this.content.name.replace(/(\.khcj)?(\.gz)?(\.model)?(\.json)?$/i, "") || "grid";
  },

  async loadNames(file) {
    const { filesTold } = this.refs;
    try {
      const n = this.texts.take(await file.text());
      this.onNames(this.texts.toJson().dimensions);
      this.named();
      filesTold.textContent = `${n} names of ${file.name} are shown.`;
    } catch (error) {
      filesTold.textContent = `${error.message} Nothing was changed.`;
    }
  },
});
