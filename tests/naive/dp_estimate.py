"""Posterior of a count behind discrete Laplace noise, by summing the formula."""

import math


def posterior_moments(noisy, expected, shape, epsilon):
    means, variances = [], []
    for y, mean in zip(noisy, expected, strict=True):
        reach = int(max(y, mean, 0) + 40 * (1 + mean) / min(shape, 1) + 40 / epsilon)
        logs = [
            math.lgamma(x + shape)
            - math.lgamma(shape)
            - math.lgamma(x + 1)
            + x * math.log(mean / (mean + shape))
            - epsilon * abs(y - x)
            for x in range(reach)
        ]
        top = max(logs)
        weights = [math.exp(value - top) for value in logs]
        total = sum(weights)
        first = sum(x * w for x, w in enumerate(weights)) / total
        second = sum((x - first) ** 2 * w for x, w in enumerate(weights)) / total
        means.append(first)
        variances.append(second)
    return means, variances
