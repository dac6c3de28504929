"""What experiments are made of: tasks, and the co-clusterings that several start from.

A task is one thing that is tried, such as a method at one k: a function of this project
and its arguments, so that a worker process can be sent it, which gives rows. What goes
wrong is a row too, with the status of why: ``failed``, ``timeout``, or ``skipped``
where a program that it needs is not installed.
"""

import hashlib
import json
import os
import signal
import threading
from collections.abc import Callable, Iterable
from contextlib import contextmanager
from pathlib import Path
from typing import NamedTuple

import joblib

from coclust_synth import MODLCoclustering, __version__
from experiments.clock import Clock
from experiments.datasets import Source, without_warnings

OK, FAILED, TIMEOUT, SKIPPED = STATUSES = ("ok", "failed", "timeout", "skipped")


class Skipped(Exception):
    """A program that a task needs is not installed; the message says how to get it."""


class TimeLimitReached(Exception):
    """A task took longer than it may."""


class Fit(NamedTuple):
    """A co-clustering that several tasks start from, fitted once and kept in a file.

    Attributes
    ----------
    source : Source
        Its training part is fitted; all rows where nothing is split.
    without : tuple of str
        Columns that are left out.
    options : dict
        Of `MODLCoclustering`.
    seed : int
    """

    source: Source
    without: tuple
    options: dict
    seed: int

    def load(self, folder):
        """The fitted co-clustering, and what it took: from its file, or fitted now.

        Parameters
        ----------
        folder : Path

        Returns
        -------
        model : MODLCoclustering
        took : dict
            ``fit_seconds``, ``fit_cpu_seconds``.
        """
        path = self.path(folder)
        if path.is_file():
            return joblib.load(path)
        train, _ = self.source.tables()
        clock = Clock()
        model = MODLCoclustering(random_state=self.seed, **self.options)
        model.fit(train.drop(columns=list(self.without)))
        took = {"fit_seconds": clock.seconds(), "fit_cpu_seconds": clock.cpu_seconds()}
        path.parent.mkdir(parents=True, exist_ok=True)
        beside = path.with_suffix(f".{os.getpid()}")
        joblib.dump((model, took), beside, compress=3)
        beside.replace(path)
        return model, took

    def path(self, folder):
        """The file of the model, named by all that determines it."""
        known = [self.source.content(), *self[1:], __version__]
        return Path(folder) / f"{content_hash(known)}.joblib"


class Task(NamedTuple):
    """One thing that is tried.

    Attributes
    ----------
    given : dict
        What is tried, in columns that all its rows repeat.
    work : callable
        Of a module of this package; takes `arguments`, gives dicts, one a row.
    arguments : tuple
    fits : tuple of Fit
        Fitted before any task that starts from them.
    """

    given: dict
    work: Callable[..., Iterable[dict]]
    arguments: tuple
    fits: tuple = ()

    @property
    def key(self):
        """The same for tasks of several configs that do the same."""
        name = f"{self.work.__module__}.{self.work.__qualname__}"
        return content_hash([name, self.given, self.arguments, __version__])


class Done(NamedTuple):
    """What became of a task."""

    rows: list
    seconds: float
    cpu_seconds: float


def run_task(task, seconds=None):
    """Do a task, whatever happens.

    Parameters
    ----------
    task : Task
    seconds : float, optional
        Limit of its time, looked at whenever Python code runs; nowhere but in the main
        thread of a process of a system that has signals, as those of joblib's are.

    Returns
    -------
    Done
        With the rows of the work, or one of the status ``failed``, ``timeout`` or
        ``skipped``.
    """
    clock = Clock()
    try:
        with _limited(seconds), without_warnings():
            rows = [{**task.given, **row} for row in task.work(*task.arguments)]
        rows = [{**row, "status": row.get("status", OK)} for row in rows]
    except Skipped as reason:
        rows = [task.given | {"status": SKIPPED, "error": str(reason)}]
    except TimeLimitReached:
        rows = [task.given | {"status": TIMEOUT, "error": f"more than {seconds:g} s"}]
    except Exception as error:
        message = f"{type(error).__name__}: {error}"
        rows = [task.given | {"status": FAILED, "error": message}]
    return Done(rows, clock.seconds(), clock.cpu_seconds())


def run_fit(fit, folder):
    """Make sure that a co-clustering is in its file; the CPU seconds that it took.

    An error is left for the tasks that start from it, whose rows say so.
    """
    clock = Clock()
    try:
        with without_warnings():
            fit.load(folder)
    except Exception:
        pass
    return clock.cpu_seconds()


def content_hash(content):
    """Twelve hexadecimal digits that some content determines."""
    text = json.dumps(content, sort_keys=True, ensure_ascii=False, default=str)
    return hashlib.sha256(text.encode("utf-8")).hexdigest()[:12]


@contextmanager
def _limited(seconds):
    in_main = threading.current_thread() is threading.main_thread()
    if seconds is None or not in_main or not hasattr(signal, "setitimer"):
        yield
        return

    def stop(*_):
        raise TimeLimitReached

    before = signal.signal(signal.SIGALRM, stop)
    signal.setitimer(signal.ITIMER_REAL, seconds)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)
