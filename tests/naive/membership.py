"""Who is told by the nearest synthetic row, from the definition: all pairs of rows."""

from naive.auc import auc_with_interval


def nearest_distances(rows, references):
    return [min((hamming(a, b) for b in references), default=len(a)) for a in rows]


def hamming(a, b):
    return sum(x != y for x, y in zip(a, b, strict=True))


def membership_auc(training, holdout, synthetic):
    training, holdout, synthetic = (
        [tuple(map(int, row)) for row in table]
        for table in (training, holdout, synthetic)
    )
    members = [row for row in training if training.count(row) == 1]
    others = [row for row in holdout if row not in training]
    return auc_with_interval(
        [-distance for distance in nearest_distances(members, synthetic)],
        [-distance for distance in nearest_distances(others, synthetic)],
    )
