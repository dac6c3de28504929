"""Slow twins of the kernels of `coclust_synth.generators.plain._tree_kernels`."""


def leaves_of(features, feature, threshold, left, right):
    def leaf(row, node=0):
        if left[node] < 0:
            return node
        goes_left = row[feature[node]] <= threshold[node]
        return leaf(row, left[node] if goes_left else right[node])

    return [leaf(row) for row in features]


def _codes_of(leaf, leaves):
    first, last = leaves.indptr[leaf], leaves.indptr[leaf + 1]
    return [
        code
        for code, rows in zip(
            leaves.code[first:last], leaves.rows[first:last], strict=True
        )
        for _ in range(rows)
    ]


def pick(leaf, point, leaves):
    """The row of the leaf at that share of its rows, one after the other."""
    of_leaves = [_codes_of(each, leaves) for each in leaf]
    return [rows[int(p * len(rows))] for rows, p in zip(of_leaves, point, strict=True)]


def pick_within(leaf, point, leaves, limits):
    everything = len(leaves.indptr) - 2
    found = []
    for i, (own, p) in enumerate(zip(leaf, point, strict=True)):
        picked = -1
        for candidates in (_codes_of(own, leaves), _codes_of(everything, leaves)):
            candidates = [
                c
                for c in candidates
                if limits.allowed[i][limits.group[c]]
                and limits.low[c] <= limits.highest[i]
                and limits.high[c] >= limits.lowest[i]
            ]
            if candidates:
                picked = candidates[int(p * len(candidates))]
                break
        found.append(picked)
    return found
