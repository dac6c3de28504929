// What nodes are called, what they hold, and files of it.

const MOST_SORTED = 20000; // values that are put in order while somebody waits

// Names and contents of the nodes of a grid.
class Texts {
  constructor(content, names) {
    this.content = content;
    this.named = content.dimensions.map((own) => new Map(Object.entries(names[own.name] ?? {})));
    this.generated = content.dimensions.map(() => new Map());
  }

  id(axis, node) {
    return this.content.dimensions[axis].nodes[node];
  }

  // The name that somebody gave, or one made of what the node holds.
  label(axis, node) {
    return this.named[axis].get(this.id(axis, node)) ?? this.made(axis, node);
  }

  made(axis, node) {
    const known = this.generated[axis];
    if (!known.has(node)) known.set(node, this.make(axis, node));
    return known.get(node);
  }

  make(axis, node) {
    const own = this.content.dimensions[axis];
    const tree = this.content.hierarchies[axis];
    if (tree.isLeaf(node) || own.kind === "numerical") return own.nodes[node];
    const run = parts(tree, node).sort((a, b) => own.frequencies[b] - own.frequencies[a]);
    if (own.kind === "individuals") return `${own.nodes[run[0]]} and ${run.length - 1} more`;
    const first = run.map((part) => own.values[part][0]).slice(0, 3);
    return `{${first.join(", ")}, ...}`;
  }

  // The first value, which says most of a node in one word.
  word(axis, node) {
    const given = this.named[axis].get(this.id(axis, node));
    if (given !== undefined) return given;
    const own = this.content.dimensions[axis];
    const tree = this.content.hierarchies[axis];
    if (own.kind === "numerical") return own.nodes[node];
    let most = tree.first[node];
    for (const part of parts(tree, node)) if (own.frequencies[part] > own.frequencies[most]) most = part;
    return own.values[most][0] ?? own.nodes[node];
  }

  // A blank name is none.
  rename(axis, node, name) {
    const text = name.trim();
    if (text && text !== this.made(axis, node)) this.named[axis].set(this.id(axis, node), text);
    else this.named[axis].delete(this.id(axis, node));
  }

  // Number of values, and those that are known by name, as {text, frequency, typicality}.
  composition(axis, node) {
    const own = this.content.dimensions[axis];
    const tree = this.content.hierarchies[axis];
    const run = parts(tree, node);
    const size = own.sizes.length ? run.reduce((sum, part) => sum + own.sizes[part], 0) : 0;
    const values = run.flatMap((part) =>
      own.values[part].map((text, i) => ({
        text,
        frequency: own.value_frequencies[part][i],
        typicality: own.typicalities[part][i] ?? null,
        part,
      })),
    );
    if (run.length > 1 && values.length <= MOST_SORTED) values.sort((a, b) => b.frequency - a.frequency);
    return { size, values };
  }

  // Names as a file has them.
  toJson() {
    const dimensions = {};
    this.content.dimensions.forEach((own, axis) => {
      if (this.named[axis].size) dimensions[own.name] = Object.fromEntries(this.named[axis]);
    });
    return { format: NAMES_FORMAT, format_version: NAMES_VERSION, dimensions };
  }

  // Takes the names of a file; says what is wrong with it otherwise.
  take(text) {
    let file;
    try {
      file = JSON.parse(text);
    } catch {
      throw new Error("Expected a JSON file of names. Received something else.");
    }
    if (file?.format !== NAMES_FORMAT || file.format_version !== NAMES_VERSION) {
      throw new Error(`Expected a file of ${NAMES_FORMAT}, version ${NAMES_VERSION}. Received another kind.`);
    }
    const entries = Object.entries(file.dimensions ?? {}).map(([name, names]) => {
      const axis = this.content.dimensions.findIndex((own) => own.name === name);
      if (axis < 0) throw new Error(`Expected names of this grid. Received some of a dimension “${name}”.`);
      const known = new Set(this.content.dimensions[axis].nodes);
      for (const [node, given] of Object.entries(names)) {
        if (!known.has(node) || typeof given !== "string") {
          throw new Error(`Expected names of clusters of “${name}”. Received one of “${node}”.`);
        }
      }
      return [axis, new Map(Object.entries(names))];
    });
    this.named.forEach((names) => names.clear());
    for (const [axis, names] of entries) this.named[axis] = names;
    return entries.reduce((sum, [, names]) => sum + names.size, 0);
  }
}

function parts(tree, node) {
  return Array.from({ length: tree.last[node] - tree.first[node] + 1 }, (_, i) => tree.first[node] + i);
}

function csvOf(rows) {
  const cell = (value) => {
    const text = value === null || value === undefined ? "" : String(value);
    return /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
  };
  return rows.map((row) => `${row.map(cell).join(",")}\r\n`).join("");
}

function download(name, text, type) {
  const link = document.createElement("a");
  link.href = URL.createObjectURL(new Blob([text], { type }));
  link.download = name;
  document.body.append(link);
  link.click();
  link.remove();
  setTimeout(() => URL.revokeObjectURL(link.href), 1000);
}
