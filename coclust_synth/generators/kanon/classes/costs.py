"""What classes cost: how far joint distributions are, and how wide labels are.

The cost is H^(1 - s) l^s: H the distance that the objective stands for (see
`coclust_synth.generators.kanon.classes.forming`), l the share of a column's values that
a cell stands for in the mean, and s 1 for the loss, 0 for the distance, 1/2 for both.

Of a column that is coded by groups of values a label lists those that its class holds,
which are hardly more if they are of many groups: l counts values. The cut counts
groups, so that values stay near each other.
"""

import numpy as np

# What labels of few values weigh, against the distance.
_LOSS_SHARE = {"both": 0.5, "distance": 0.0, "loss": 1.0}
OBJECTIVES = tuple(_LOSS_SHARE)


def cut_worth(problem, objective):
    """What the cut takes each width of each variable's cover to be worth."""
    share = _LOSS_SHARE[objective]
    widths = np.arange(1, len(problem.root))
    n_leaves = np.diff(problem.starts)[:, np.newaxis]
    narrow = 1 - (widths - 1) / np.maximum(n_leaves - 1, 1)
    worth = np.ones((len(n_leaves), len(problem.root)))
    own = (1 - share) * problem.root[1:] + share * narrow
    worth[:, 1:] += problem.influence[:, np.newaxis] * own
    return worth


def width_shares(problem, kept, size):
    """Share of each variable's values that a cell of each class stands for, (C, d).

    Of groups of g values, all as likely, of which m are in a label of n rows, these
    hold m g (1 - (1 - 1/g)^(n / m)) in the mean, and m where each is one value.
    """
    starts, g = problem.starts, problem.group_values
    widths = np.add.reduceat(kept, starts[:-1], axis=1, dtype=np.int64)
    rows_of_each = size[:, np.newaxis] / np.maximum(widths, 1)
    held = widths * g * (1 - (1 - 1 / g) ** np.maximum(rows_of_each, 1))
    return (held - 1) / np.maximum(np.diff(starts) * g - 1, 1)


def lost_rows(problem, classes):
    """Rows of each class times the mean share that their cells stand for, (C,)."""
    size = classes.size
    return width_shares(problem, classes.kept, size).mean(axis=1) * size


def cost(problem, fit, lost, objective):
    """What classes cost that add up to an objective and to lost rows."""
    n, share = problem.weight.sum(), _LOSS_SHARE[objective]
    most = n * np.prod(1 + problem.influence)
    distance = np.sqrt(max(0.0, 1 - fit / most))
    return distance ** (1 - share) * (lost / n) ** share


def as_released(problem):
    """A problem by which classes cost what they do in the released table.

    True labels are formed with e = 1, by which large classes are all far and the loss
    alone decides. By the Bhattacharyya coefficient, e = 1/2, they differ as the joint
    distributions of the released table do.
    """
    if not np.all(problem.is_truthful):
        return problem
    return problem._replace(power=np.sqrt(np.arange(len(problem.power))))


def cost_of(problem, classes, objective):
    """What filled classes cost."""
    lost = lost_rows(problem, classes).sum()
    return cost(problem, classes.fit.sum(), lost, objective)
