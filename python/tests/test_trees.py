"""Boosted trees, read by XGBoost's own package."""

import numpy as np
import pandas as pd
import pytest
import ultr
import xgboost


def write_lists(path, lists: int, seed: int) -> np.ndarray:
    """Writes lists of eight judged documents with five features as svmlight, and returns the features."""
    random = np.random.default_rng(seed)
    features = random.normal(size=(lists * 8, 5)).astype(np.float32)
    labels = np.clip(np.round(features[:, 0] + features[:, 1] ** 2 + random.normal(size=lists * 8) / 4), 0, 4)
    with open(path, "w") as file:
        for i, row in enumerate(features):
            numbers = " ".join(f"{f + 1}:{float(x)!r}" for f, x in enumerate(row))
            file.write(f"{int(labels[i])} qid:{i // 8 + 1} {numbers}\n")
    return features


@pytest.mark.parametrize("loss", ["{type: dla", "{type: naive, base: lambdarank"])
def test_xgboost_gives_the_same_scores(tmp_path, ultr_run, loss):
    write_lists(tmp_path / "train.txt", 150, 1)
    features = write_lists(tmp_path / "test.txt", 40, 2)
    learned = "labels" if "lambdarank" in loss else "{type: simulated_clicks, sessions: 20000}"
    (tmp_path / "trees.yaml").write_text(
        "data:\n  format: feature_lists\n  reader: svmlight\n  train: train.txt\n  test: test.txt\n"
        f"  learn_from: {learned}\n"
        f"loss: {loss}, relevance: {{type: boosted_trees, rounds: 20, min_child_weight: 0.01, monotone: [1]}}}}\n"
        "train: {epochs: 20}\noutput: run\n"
    )
    ultr_run("trees.yaml", cwd=tmp_path)
    ultr_run("predict", "run", "--data", "test.txt", "--output", "scores.csv", cwd=tmp_path)
    ours = pd.read_csv(tmp_path / "scores.csv")["relevance"]
    trees = xgboost.Booster(model_file=tmp_path / "run/model/relevance.xgboost.json")
    assert trees.num_boosted_rounds() == 20
    theirs = trees.predict(xgboost.DMatrix(features))
    np.testing.assert_allclose(ours, theirs, rtol=0, atol=1e-6)
    assert np.std(theirs) > 0.1

    # Scores do not fall in a monotone feature.
    raised = features.copy()
    raised[:, 0] += 1
    assert (trees.predict(xgboost.DMatrix(raised)) >= theirs).all()


def test_trees_are_those_of_ultr_run(tmp_path, ultr_run):
    write_lists(tmp_path / "train.txt", 100, 3)
    config = {
        "data": {
            "format": "feature_lists",
            "reader": "svmlight",
            "train": str(tmp_path / "train.txt"),
            "learn_from": "labels",
        },
        "loss": ultr.losses.naive(base="softmax", relevance=ultr.layers.boosted_trees(rounds=5)),
        "train": {"epochs": 5},
        "output": str(tmp_path / "by_python"),
    }
    ultr.run(config)
    (tmp_path / "trees.yaml").write_text(
        "data: {format: feature_lists, reader: svmlight, train: train.txt, learn_from: labels}\n"
        "loss: {type: naive, base: softmax, relevance: {type: boosted_trees, rounds: 5}}\ntrain: {epochs: 5}\noutput: by_program\n"
    )
    ultr_run("trees.yaml", cwd=tmp_path)
    file = "model/relevance.xgboost.json"
    assert (tmp_path / "by_python" / file).read_text() == (tmp_path / "by_program" / file).read_text()
