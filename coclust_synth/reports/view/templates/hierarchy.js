// The tree of the parts of one dimension, and which of its nodes are folded.

class Hierarchy {
  constructor(dimension, axis, merges) {
    const n = (dimension.nodes.length + 1) / 2;
    const size = dimension.nodes.length;
    this.n = n;
    this.left = new Int32Array(size).fill(-1);
    this.right = new Int32Array(size).fill(-1);
    this.parent = new Int32Array(size).fill(-1);
    this.step = new Int32Array(size); // merges of all dimensions until it is made
    this.first = new Int32Array(size); // of its run of parts
    this.last = new Int32Array(size);
    this.frequency = Float64Array.from({ length: size }, (_, i) => dimension.frequencies[i] ?? 0);
    this.interest = Float64Array.from({ length: size }, (_, i) => dimension.interests[i] ?? 0);
    this.folded = new Uint8Array(size);
    this.root = size - 1;
    for (let i = 0; i < n; i++) this.first[i] = this.last[i] = i;
    let made = n;
    merges.forEach(([own, left, right], at) => {
      if (own !== axis) return;
      const node = made++;
      this.left[node] = left;
      this.right[node] = right;
      this.parent[left] = this.parent[right] = node;
      this.step[node] = at + 1;
      this.first[node] = this.first[left];
      this.last[node] = this.last[right];
      const total = this.frequency[left] + this.frequency[right];
      this.frequency[node] = total;
      this.interest[node] =
        (this.frequency[left] * this.interest[left] + this.frequency[right] * this.interest[right]) / (total || 1);
    });
  }

  isLeaf(node) {
    return node < this.n;
  }

  isShown(node) {
    let above = this.parent[node];
    while (above >= 0 && !this.folded[above]) above = this.parent[above];
    return above < 0 && (this.isLeaf(node) || this.folded[node] === 1);
  }

  // The nodes that are shown, from left to right.
  visible() {
    const found = [];
    const stack = [this.root];
    while (stack.length) {
      const node = stack.pop();
      if (this.isLeaf(node) || this.folded[node]) found.push(node);
      else stack.push(this.right[node], this.left[node]);
    }
    return Int32Array.from(found);
  }

  // Where each part is among the nodes that are shown.
  places(visible) {
    const places = new Int32Array(this.n);
    visible.forEach((node, place) => places.fill(place, this.first[node], this.last[node] + 1));
    return places;
  }

  // The node that is shown and has a part in common with this one.
  shown(node) {
    const leaf = this.first[node];
    let found = leaf;
    for (let above = leaf; above >= 0; above = this.parent[above]) if (this.folded[above]) found = above;
    return found;
  }

  fold(node) {
    this.folded[node] = 1;
  }

  // Shows the two nodes that it is made of, each of them folded.
  unfold(node) {
    this.folded[node] = 0;
    for (const child of [this.left[node], this.right[node]]) if (!this.isLeaf(child)) this.folded[child] = 1;
  }

  toStep(step) {
    for (let node = this.n; node <= this.root; node++) this.folded[node] = this.step[node] <= step ? 1 : 0;
  }

  toParts(n) {
    for (let node = this.n; node <= this.root; node++) this.folded[node] = node < 2 * this.n - n ? 1 : 0;
  }
}
