"""Tiers of the suite: how many examples are tried, how often noise is drawn."""

import gc
import os
import shutil
import sys

import pytest
import support.bases
from _pytest.doctest import DoctestModule
from hypothesis import settings

# `--hypothesis-profile full` where tests are run at full number. In CI they try the
# same examples each time: what it says is of the commit alone. Elsewhere they try new
# ones.
FIXED = {"deadline": None, "derandomize": "CI" in os.environ}
settings.register_profile("full", max_examples=100, **FIXED)
settings.register_profile("fast", max_examples=10, **FIXED)
settings.load_profile("fast")

SEEDS_OF_EVERY_RUN = 2

# What is imported and collected stays, and tests leave little garbage: it is looked for
# once after collection, and seldom from then on.
gc.disable()
gc.set_threshold(50_000)

# Processes of xdist share the cores: a command that takes all of them sees one, and
# numpy, not imported yet, computes in one thread. What tests of threads ask for by
# number they get.
os.environ["LOKY_MAX_CPU_COUNT"] = os.environ["OPENBLAS_NUM_THREADS"] = "1"

# Files that tests write need not outlive a power cut. Tests of what is written to the
# disk, and when, put their own in its place.
os.fsync = lambda descriptor: None


@pytest.fixture
def rng():
    """Random numbers, the same for each test."""
    import numpy as np

    return np.random.default_rng(0)


@pytest.fixture(scope="module")
def people_csv(request):
    """The table `people` of the file of the test, as text."""
    return request.module.people().to_csv(index=False)


@pytest.fixture
def folder(people_csv, tmp_path, monkeypatch):
    """The current directory, with that table in it."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / "people.csv").write_text(people_csv, encoding="utf-8", newline="")
    return tmp_path


def pytest_addoption(parser):
    parser.addoption(
        "--repeat",
        type=int,
        default=1,
        metavar="N",
        help="run each test that rests on noise N times (with `-m noise`: only these)",
    )


class OnlyWhereExamplesAre:
    """Most files hold no example: they need not be imported and looked through."""

    @pytest.hookimpl(wrapper=True)
    def pytest_collect_file(self, file_path):
        found = yield
        if any(isinstance(own, DoctestModule) for own in found):
            if b">>>" not in file_path.read_bytes():
                return [own for own in found if not isinstance(own, DoctestModule)]
        return found


def pytest_configure(config):
    """Of files of the package, too, which are not below this folder."""
    config.pluginmanager.register(OnlyWhereExamplesAre())


def pytest_generate_tests(metafunc):
    """One more parameter, of no use to the test: the number of the repetition."""
    n = metafunc.config.getoption("repeat")
    if n > 1 and metafunc.definition.get_closest_marker("noise"):
        metafunc.fixturenames.append("repetition")
        metafunc.parametrize("repetition", range(n))


def pytest_itemcollected(item):
    """Of the seeds of a test all but the first few are tried by the slow tier alone."""
    callspec = getattr(item, "callspec", None)
    if callspec and callspec.indices.get("seed", 0) >= SEEDS_OF_EVERY_RUN:
        item.add_marker("slow")


def pytest_collection_finish():
    """What was imported and collected stays: not to be looked through for garbage."""
    gc.collect()
    gc.freeze()
    gc.enable()


@pytest.hookimpl(optionalhook=True)
def pytest_xdist_make_scheduler(config, log):
    """All tests of a file in one process, that compiles and prepares for them once."""
    from xdist.scheduler import LoadFileScheduling

    return LoadFileScheduling(config, log)


@pytest.fixture(scope="session")
def postgres(tmp_path_factory):
    """The address of a Postgres of this machine; tests skip without one, and say so."""
    pytest.importorskip("ibis", reason="no ibis: pip install '.[scale]'")
    reason = "no psycopg: pip install '.[postgres]'"
    pytest.importorskip("psycopg", reason=reason)
    if not support.bases.programs():
        pytest.skip("no Postgres: apt-get install postgresql")
    with support.bases.running(tmp_path_factory.mktemp("base")) as address:
        yield address


@pytest.fixture(scope="session")
def spark():
    """A Spark of this machine, started once; tests skip without one, and say so."""
    pytest.importorskip("pyspark", reason="no pyspark: pip install '.[spark]'")
    if shutil.which("java") is None:
        pytest.skip("no Java: apt-get install openjdk-17-jre-headless")
    from pyspark.sql import SparkSession

    os.environ["PYSPARK_PYTHON"] = sys.executable
    builder = SparkSession.builder.master("local[2]").config("spark.ui.enabled", False)
    for name, value in {
        "spark.driver.memory": "1g",
        # A short run: less is compiled, and by one thread.
        "spark.driver.extraJavaOptions": "-XX:TieredStopAtLevel=1 -XX:+UseSerialGC",
        "spark.driver.host": "127.0.0.1",
        "spark.driver.bindAddress": "127.0.0.1",
        "spark.sql.shuffle.partitions": "2",
        "spark.ui.showConsoleProgress": "false",
    }.items():
        builder = builder.config(name, value)
    session = builder.getOrCreate()
    session.sparkContext.setLogLevel("OFF")
    yield session
    session.stop()
