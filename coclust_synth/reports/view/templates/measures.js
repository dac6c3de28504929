// Counts of what is shown, and what each cell says (as modl/grid/cell_measures.py).

// Observations of the shown parts of two dimensions; of the others, of all of them or of
// the node that is chosen.
function tableOf(content, [rows, columns], [rowPlaces, columnPlaces], shape, chosen) {
  const table = new Float64Array(shape[0] * shape[1]);
  const { counts } = content;
  const rowCodes = content.cells[rows];
  const columnCodes = content.cells[columns];
  const runs = chosen
    .map((node, axis) => ({ node, codes: content.cells[axis], tree: content.hierarchies[axis] }))
    .filter(({ node }, axis) => node >= 0 && axis !== rows && axis !== columns);
  for (let i = 0; i < counts.length; i++) {
    let kept = true;
    for (const { node, codes, tree } of runs) {
      if (codes[i] < tree.first[node] || codes[i] > tree.last[node]) kept = false;
    }
    if (kept) table[rowPlaces[rowCodes[i]] * shape[1] + columnPlaces[columnCodes[i]]] += counts[i];
  }
  return table;
}

class Table {
  constructor(counts, nRows, nColumns) {
    this.counts = counts;
    this.nRows = nRows;
    this.nColumns = nColumns;
    this.rows = new Float64Array(nRows);
    this.columns = new Float64Array(nColumns);
    this.total = 0;
    for (let i = 0, at = 0; i < nRows; i++) {
      for (let j = 0; j < nColumns; j++, at++) {
        this.rows[i] += counts[at];
        this.columns[j] += counts[at];
      }
      this.total += this.rows[i];
    }
  }

  expected(i, j) {
    return this.total ? (this.rows[i] * this.columns[j]) / this.total : 0;
  }

  // ln of observed over expected, -Infinity where only the cell is empty.
  contrast(i, j) {
    const expected = this.expected(i, j);
    return expected ? Math.log(this.counts[i * this.nColumns + j] / expected) : 0;
  }

  information(i, j) {
    return this.informations()[i * this.nColumns + j];
  }

  // p ln (p / (p_row p_column)) of every cell, made once: grids can have millions.
  informations() {
    if (!this.found) {
      this.found = new Float64Array(this.counts.length);
      const [rows, columns] = [this.rows, this.columns].map((sums) => sums.map(Math.log));
      const whole = Math.log(this.total);
      for (let i = 0, at = 0; i < this.nRows; i++) {
        const row = rows[i] - whole;
        for (let j = 0; j < this.nColumns; j++, at++) {
          const count = this.counts[at];
          if (count) this.found[at] = (count / this.total) * (Math.log(count) - row - columns[j]);
        }
      }
    }
    return this.found;
  }

  mutualInformation() {
    return this.informations().reduce((sum, own) => sum + own, 0);
  }

  // ln of the share of a cell here over its share in a table of more observations.
  change(i, j, whole) {
    const at = i * this.nColumns + j;
    if (!whole.counts[at] || !this.total) return 0;
    return Math.log(this.counts[at] / this.total / (whole.counts[at] / whole.total));
  }

  // What each cell is coloured by.
  values(kind, whole) {
    if (kind === "frequency") return this.counts;
    if (kind === "information") return this.informations();
    const found = new Float64Array(this.counts.length);
    for (let i = 0, at = 0; i < this.nRows; i++) {
      for (let j = 0; j < this.nColumns; j++, at++) {
        found[at] = kind === "contrast" ? this.contrast(i, j) : this.change(i, j, whole);
      }
    }
    return found;
  }
}
