"""Noise of the ledger, replaced: none, the same each time, or a trap."""

import numpy as np

from coclust_synth.privacy.noise import ledger as module

_DRAWS = (
    "discrete_laplace",
    "discrete_gaussian",
    "noisy_max",
    "gumbel_max",
    "passing_empty_cells",
    "choose_finer",
)


def forbid_noise(monkeypatch):
    """Any draw fails the test."""

    def drawn(*args, **kwargs):
        raise AssertionError("noise was drawn")

    for name in _DRAWS:
        monkeypatch.setattr(module, name, drawn)


def silence_noise(monkeypatch):
    """No noise, where the ledger still tells of some."""

    def draw(values, *, sensitivity, epsilon):
        return values, sensitivity / epsilon

    def best(scores, *, sensitivity, epsilon):
        return int(np.argmax(scores)), 2 * sensitivity / epsilon

    monkeypatch.setattr(module, "discrete_laplace", draw)
    monkeypatch.setattr(module, "noisy_max", best)


def repeat_noise(monkeypatch, seed=0):
    """Noise of the right scale; call again for the same draws."""
    rng = np.random.default_rng(seed)

    def draw(values, *, sensitivity, epsilon):
        scale = sensitivity / epsilon
        noise = np.rint(rng.laplace(0, scale, len(values))).astype(np.int64)
        return values + noise, scale

    def best(scores, *, sensitivity, epsilon):
        scale = 2 * sensitivity / epsilon
        return int(np.argmax(scores + rng.exponential(scale, len(scores)))), scale

    monkeypatch.setattr(module, "discrete_laplace", draw)
    monkeypatch.setattr(module, "noisy_max", best)
    monkeypatch.setattr(module, "choose_finer", lambda n, share: rng.random(n) < share)


def invent_counts(monkeypatch, seed=0):
    """Noisy numbers that have nothing to do with the counts; call again for the same.

    What two tables then give must be the same: all else is post-processing.
    """
    rng = np.random.default_rng(seed)

    def draw(values, *, sensitivity, epsilon):
        return rng.integers(-20, 200, len(values)), sensitivity / epsilon

    def best(scores, *, sensitivity, epsilon):
        return int(rng.integers(len(scores))), 2 * sensitivity / epsilon

    monkeypatch.setattr(module, "discrete_laplace", draw)
    monkeypatch.setattr(module, "noisy_max", best)
    monkeypatch.setattr(module, "choose_finer", lambda n, share: rng.random(n) < share)


def silence_concentrated(monkeypatch):
    """The same for ledgers of rho: no noise, where they still tell of some."""

    def draw(values, *, sensitivity, rho):
        return values, sensitivity / (2 * rho) ** 0.5

    def best(scores, *, sensitivity, rho):
        return int(np.argmax(scores)), sensitivity / (2 * rho) ** 0.5

    monkeypatch.setattr(module, "discrete_gaussian", draw)
    monkeypatch.setattr(module, "gumbel_max", best)
