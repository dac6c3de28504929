import json
import sys
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pandas as pd
import pytest

from experiments.peers import installed
from experiments.peers.cart import CartSynthesis
from experiments.peers.khiops_bayes import selective_bayes_chances
from experiments.peers.latent_classes import LatentClasses
from experiments.tasks import Skipped


@pytest.fixture
def mixed():
    """Two hidden classes of 3 and 1 in 4; columns are certain or nearly so in each."""
    rng = np.random.default_rng(0)
    hidden = rng.random(4000) < 0.25
    noisy = np.where(rng.random(4000) < 0.1, ~hidden, hidden)
    return np.column_stack([hidden, 2 * noisy, hidden * rng.integers(0, 3, 4000)])


def test_latent_classes_find_those_there_are(mixed):
    model = LatentClasses(2, 0).fit(mixed)
    drawn = model.sample(20_000, np.random.default_rng(1))
    for j in range(3):
        shares = [np.bincount(t[:, j], minlength=3) / len(t) for t in (mixed, drawn)]
        np.testing.assert_allclose(*shares, atol=0.015)
    # Columns depend on each other through the classes alone, as in the table.
    together = [(t[:, 0] == t[:, 1] / 2).mean() for t in (mixed, drawn)]
    np.testing.assert_allclose(*together, atol=0.015)


def test_one_latent_class_is_independent_columns(mixed):
    model = LatentClasses(1, 0).fit(mixed)
    shares = [np.bincount(c) / len(c) for c in mixed.T]
    expected = sum(float(p[p > 0] @ np.log(p[p > 0])) for p in shares)
    assert model.log_likelihood_ == pytest.approx(expected, abs=1e-6)
    assert LatentClasses(2, 0).fit(mixed).log_likelihood_ > expected + 0.3


def test_more_iterations_are_never_less_likely(mixed):
    found = [LatentClasses(3, 0, n).fit(mixed).log_likelihood_ for n in (1, 3, 30)]
    assert found == sorted(found)


def test_cart_keeps_what_hangs_together(mixed):
    drawn = CartSynthesis(5, 0).fit(mixed).sample(20_000, np.random.default_rng(0))
    real = [tuple(row) for row in mixed.tolist()]
    share = {row: real.count(row) / 4000 for row in set(real)}
    made = [tuple(row) for row in drawn.tolist()]
    assert set(made) <= set(real)
    assert all(
        made.count(r) / 20_000 == pytest.approx(s, abs=0.02) for r, s in share.items()
    )


def test_cart_of_leaves_that_hold_all_is_independent_columns(mixed):
    model = CartSynthesis(len(mixed), 0).fit(mixed)
    drawn = model.sample(20_000, np.random.default_rng(0))
    expected = (mixed[:, 0] == 1).mean() * (mixed[:, 1] == 0).mean()
    found = ((drawn[:, 0] == 1) & (drawn[:, 1] == 0)).mean()
    assert found == pytest.approx(expected, abs=0.015)


@pytest.mark.parametrize(
    "call",
    [
        lambda: installed.adversarial_forest(None, 0, []),
        lambda: installed.data_synthesizer(None, 1.0, []),
        lambda: installed.sdv_gaussian_copula(None, 0, []),
        lambda: selective_bayes_chances(np.zeros((2, 1), int), [0, 1], None, None),
    ],
)
def test_programs_that_are_not_installed_are_skipped(call, monkeypatch):
    def no_module(name, *of):
        raise ImportError(name)

    monkeypatch.setattr(installed, "import_module", no_module)
    monkeypatch.setitem(sys.modules, "khiops.core.exceptions", None)
    with pytest.raises(Skipped, match="pip install"):
        call()


def test_a_forest_draws_whole_numbers_where_the_table_has_them(monkeypatch):
    train = pd.DataFrame({"age": [20, 31], "weight": [1.5, 2.5], "sex": ["F", "M"]})
    drawn = {"age": [22.4, 40.6], "weight": [1.7, 2.2], "sex": ["M", "M"]}
    forest = SimpleNamespace(forde=lambda: None, forge=lambda n: pd.DataFrame(drawn))
    module = SimpleNamespace(arf=lambda table, **options: forest)
    monkeypatch.setattr(installed, "import_module", {"arfpy.arf": module}.get)
    monkeypatch.setattr(np, "in1d", np.isin, raising=False)  # gone from numpy 2.4
    seeds = np.random.SeedSequence(0).spawn(1)
    (rows,) = installed.adversarial_forest(train, 0, seeds)
    assert rows["age"].tolist() == [22, 41]
    assert rows["weight"].tolist() == drawn["weight"]


def test_numbers_that_a_program_writes_are_read_again(monkeypatch):
    """DataSynthesizer evaluates tuples that it wrote; numpy 2 names their types."""
    train = pd.DataFrame({"sex": ["F", "M"]})
    read = []

    class Describer:
        def __init__(self, **options):
            self.data_description = {}

        def describe_dataset_in_correlated_attribute_mode(self, **asked):
            self.data_description["keys"] = str((np.int64(3), np.float64(0.5)))
            self.data_description["is_key"] = np.bool_(False)

    class Generator:
        synthetic_dataset = train

        def generate_dataset_in_correlated_attribute_mode(self, n, path, **options):
            told = json.loads(Path(path).read_text())
            assert eval(told["keys"], {}) == (3, 0.5) and told["is_key"] is False
            read.append(n)

    modules = {
        "DataSynthesizer.DataDescriber": SimpleNamespace(DataDescriber=Describer),
        "DataSynthesizer.DataGenerator": SimpleNamespace(DataGenerator=Generator),
    }
    monkeypatch.setattr(installed, "import_module", modules.get)
    monkeypatch.setattr(pd, "__version__", "2.3.3")
    seeds = np.random.SeedSequence(0).spawn(2)
    released = installed.data_synthesizer(train, 1.0, seeds)
    assert len(released) == 2 and read == [2, 2]
    assert "np." in str((np.int64(3),)), "set back afterwards"
