"""Times ClickLog.from_dataframe on ten million rows beside pandas.factorize of the same columns, on one core.

    PYTHONPATH=build/release/python python3 python/benchmarks/frame_speed.py [ROWS]
"""

import resource
import sys
import time

import numpy as np
import pandas as pd

import ultr

COLUMNS = {name: name for name in ("session", "query", "document", "position", "click")}
IDS = ("session", "query", "document")


def frame_of(rows: int) -> pd.DataFrame:
    """Sessions of ten documents, neighbours in the frame: 100,000 queries with 20 documents each."""
    random = np.random.default_rng(1)
    sessions = rows // 10
    queries = np.repeat(random.integers(0, 100_000, sessions), 10)
    ranks = np.tile(np.arange(10), sessions)
    documents = queries * 20 + np.repeat(random.integers(0, 11, sessions), 10) + ranks
    return pd.DataFrame(
        {
            "session": np.repeat(np.arange(sessions), 10),
            "query": queries,
            "document": documents,
            "position": ranks + 1,
            "click": random.random(rows) < 0.1,
        }
    )


def seconds(work) -> float:
    begin = time.process_time()
    work()
    return time.process_time() - begin


def report(name: str, frame: pd.DataFrame) -> None:
    build = min(seconds(lambda: ultr.ClickLog.from_dataframe(frame, **COLUMNS)) for _ in range(2))
    factorize = seconds(lambda: [pd.factorize(frame[column]) for column in IDS])
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1e6
    print(f"{name:>24}: from_dataframe {build:.2f} s, pandas.factorize {factorize:.2f} s, peak {peak:.2f} GB")


def main() -> None:
    frame = frame_of(int(sys.argv[1]) if len(sys.argv) > 1 else 10_000_000)
    report("integers", frame)
    texts = frame.copy(deep=False)
    for column in IDS:  # as read_csv makes them: equal texts of neighbours are one object
        values = frame[column].to_numpy()
        texts[column] = np.array([f"{column}-{i}" for i in range(values.max() + 1)], dtype=object)[values]
    report("texts", texts)
    for column in IDS:
        texts[column] = texts[column].astype("category")
    report("categories", texts)


if __name__ == "__main__":
    main()
