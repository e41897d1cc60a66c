"""Prints a table of clicks by made-up users, with views, skips and dwell times: SEED SESSIONS.

Users read down the list and go on to the next document with probability 0.75. They click what attracts them and skip
the rest. They stay longer on documents that satisfy them, and then mostly leave. The log misses one view in twenty.
"""

import random
import sys
from typing import Iterator, List, Tuple

QUERIES, CANDIDATES, SHOWN = 100, 12, 10


def probability(logit: float) -> float:
    return 1 / (1 + 2.718281828459045 ** -logit)


def table_of(mean: float, deviation: float) -> List[List[float]]:
    return [[probability(random.gauss(mean, deviation)) for _ in range(CANDIDATES)] for _ in range(QUERIES)]


def rows_of(shown: List[int], attraction: List[float], satisfaction: List[float]) -> Iterator[Tuple[int, int, int, int]]:
    """Yields click, view, skip and dwell time of each document."""
    reading = True
    for rank, document in enumerate(shown):
        reading = reading and (rank == 0 or random.random() < 0.75)
        if not reading:
            yield 0, 0, 0, 0
            continue
        viewed = int(random.random() < 0.95)
        if random.random() >= attraction[document]:
            yield 0, viewed, viewed, 0
            continue
        satisfied = random.random() < satisfaction[document]
        yield 1, viewed, 0, round(random.lognormvariate(4.5 if satisfied else 2.0, 1))
        reading = not satisfied or random.random() < 0.2


def main() -> None:
    random.seed(int(sys.argv[1]))
    attraction, satisfaction = table_of(-1, 1.5), table_of(0, 1)
    print("session,query,document,position,click,viewed,skipped,dwell")
    for session in range(int(sys.argv[2])):
        query = int(QUERIES * random.random() ** 2)
        noisy = sorted(range(CANDIDATES), key=lambda d: random.gauss(0, 0.3) - attraction[query][d])
        shown = noisy[:SHOWN]
        for rank, (document, row) in enumerate(zip(shown, rows_of(shown, attraction[query], satisfaction[query]))):
            print(session, query, document, rank + 1, *row, sep=",")


main()
