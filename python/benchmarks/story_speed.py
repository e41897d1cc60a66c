"""Times training of a model whose story is written in Python beside the same model in C++.

    PYTHONPATH=build/release/python python3 python/benchmarks/story_speed.py build/release/tests/examples/libtrust.so

Fits take turns, and each time is the best of all turns.
"""

import sys

import numpy as np

import ultr


class TrustPBM(ultr.ExaminationModel):
    """Position-based model with trust bias (Agarwal et al., 2019)."""

    examination = ultr.parameter("rank", "Examination")
    relevance = ultr.parameter("document", "Relevance")
    relevant = ultr.parameter("rank", "Clicks if relevant", start=0.9)
    other = ultr.parameter("rank", "Clicks if not", start=0.1)

    def story(self, s):
        return ultr.Examination(self.examination(s), ultr.mix(self.relevance(s), self.relevant(s), self.other(s)))


def million_pairs() -> ultr.ClickLog:
    """A million sessions of ten documents that show a million pairs: 50,000 queries with 20 documents each."""
    random = np.random.default_rng(1)
    sessions, shown = 1_000_000, 10
    queries = np.repeat(random.integers(0, 50_000, sessions), shown)
    first = np.repeat(random.integers(0, 20, sessions), shown)
    ranks = np.tile(np.arange(shown), sessions)
    return ultr.ClickLog.from_arrays(
        session=np.repeat(np.arange(sessions), shown),
        query=queries,
        document=queries * 20 + (first + ranks) % 20,
        position=ranks,
        click=random.random(sessions * shown) < 0.2 / (1 + ranks),
    )


def main() -> None:
    ultr.load_plugin(sys.argv[1])
    log = million_pairs()
    models = {
        "C++": ultr.models.trust_pbm(click_relevant={"start": 0.9}, click_irrelevant={"start": 0.1}),
        "Python": TrustPBM(),
    }
    for threads in (1, 2):
        best = {name: 0.0 for name in models}
        values = {}
        for _ in range(5):
            for name, model in models.items():
                fit = ultr.fit(model, log, epochs=2, threads=threads, optimizer=ultr.AdamW(lr=0.01))
                best[name] = max(best[name], float(np.max(fit.epochs["sessions_per_second"])))
                values[name] = list(fit.parameters.values())
        same = all(np.array_equal(one, other) for one, other in zip(values["C++"], values["Python"]))
        print(
            f"{threads} threads: C++ {best['C++'] / 1e6:.2f} M sessions/s, Python {best['Python'] / 1e6:.2f} M, "
            f"{100 * best['Python'] / best['C++']:.1f} %, parameters {'equal' if same else 'DIFFER'}"
        )


if __name__ == "__main__":
    main()
