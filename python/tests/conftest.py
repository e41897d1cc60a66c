"""Fixtures of the tests: the build that they test, and small logs."""

import os
import subprocess
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

import ultr


@pytest.fixture(scope="session")
def build() -> Path:
    """The folder of the build that the package belongs to."""
    return Path(os.environ["ULTR_BUILD"])


@pytest.fixture(scope="session")
def ultr_run(build):
    """Runs ultr-run with arguments in a folder and returns what it prints."""

    def run(*arguments, cwd):
        done = subprocess.run([build / "ultr-run", *map(str, arguments)], cwd=cwd, capture_output=True, text=True)
        assert done.returncode == 0, done.stderr
        return done.stdout

    return run


def clicks_frame(sessions: int = 600, seed: int = 1) -> pd.DataFrame:
    """Sessions of five documents of 20 queries, with clicks of a position-based model."""
    random = np.random.default_rng(seed)
    queries = random.integers(0, 20, sessions)
    order = np.argsort(random.random((sessions, 12)), axis=1)[:, :5]
    attraction = np.random.default_rng(7).random((20, 12))[queries[:, None], order]
    clicked = random.random((sessions, 5)) < attraction / np.arange(1, 6)
    return pd.DataFrame(
        {
            "session": [f"s{i}" for i in range(sessions) for _ in range(5)],
            "query": [f"query {q}" for q in queries for _ in range(5)],
            "document": [f"d{d}" for row in order for d in row],
            "position": np.tile(np.arange(1, 6), sessions),
            "click": clicked.ravel().astype(int),
        }
    )


COLUMNS = {name: name for name in ("session", "query", "document", "position", "click")}


@pytest.fixture(scope="session")
def frame() -> pd.DataFrame:
    return clicks_frame()


@pytest.fixture(scope="session")
def log(frame) -> ultr.ClickLog:
    return ultr.ClickLog.from_dataframe(frame, **COLUMNS)
