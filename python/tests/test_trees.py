"""Boosted trees, read by XGBoost's own package."""

import json

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


def train_ranker(tmp_path, ultr_run, options: str = "", data: str = "") -> np.ndarray:
    """Trains 10 trees on labels, predicts the test lists with contributions, and returns their features."""
    write_lists(tmp_path / "train.txt", 150, 1)
    features = write_lists(tmp_path / "test.txt", 40, 2)
    (tmp_path / "trees.yaml").write_text(
        "data: {format: feature_lists, reader: svmlight, train: train.txt, test: test.txt, learn_from: labels" + data + "}\n"
        f"loss: {{type: naive, base: softmax, relevance: {{type: boosted_trees, rounds: 10, min_child_weight: 0.01{options}}}}}\n"
        "train: {epochs: 10}\noutput: run\n"
    )
    ultr_run("trees.yaml", cwd=tmp_path)
    ultr_run(
        "predict", "run", "--data", "test.txt", "--output", "scores.csv", "--contributions", "why.csv", cwd=tmp_path
    )
    return features


def test_importance_and_contributions_are_those_of_xgboost(tmp_path, ultr_run):
    features = train_ranker(tmp_path, ultr_run)
    trees = xgboost.Booster(model_file=tmp_path / "run/model/relevance.xgboost.json")
    importance = pd.read_csv(tmp_path / "run/importance.csv").set_index("feature")
    for ours, theirs in {"weight": "weight", "gain": "gain", "cover": "cover"}.items():
        for name, value in trees.get_score(importance_type=theirs).items():
            np.testing.assert_allclose(importance[ours][int(name[1:]) + 1], value, rtol=1e-5)
    assert importance["mean_abs_shap"].is_monotonic_decreasing
    assert set(importance.index[:2]) == {1, 2}

    why = pd.read_csv(tmp_path / "why.csv")
    theirs = trees.predict(xgboost.DMatrix(features), pred_contribs=True)
    np.testing.assert_allclose(why[[f"f{i}" for i in range(5)] + ["base_value"]], theirs, rtol=0, atol=1e-5)
    np.testing.assert_allclose(theirs.sum(axis=1), pd.read_csv(tmp_path / "scores.csv")["relevance"], rtol=0, atol=1e-5)


def leaf(node: dict, document: dict) -> float:
    """Returns the value of a tree in the form of the plugins of Elasticsearch and OpenSearch."""
    while "leaf" not in node:
        taken = node["yes"] if document[node["split"]] < np.float32(node["split_condition"]) else node["no"]
        node = next(child for child in node["children"] if child["nodeid"] == taken)
    return node["leaf"]


def test_elasticsearch_gives_the_same_scores_from_raw_features(tmp_path, ultr_run):
    names = ["price", "rating", "age", "title_bm25", "stock"]
    (tmp_path / "names.txt").write_text("\n".join(names) + "\n")
    scaling = ", feature_names: names.txt, scaling: {log1p: true, standardise: true}"
    features = train_ranker(tmp_path, ultr_run, data=scaling)
    trees = json.loads((tmp_path / "run/model/relevance.elasticsearch.json").read_text())
    assert len(trees) == 10
    scores = [sum(leaf(tree, dict(zip(names, row.tolist()))) for tree in trees) for row in features]
    np.testing.assert_allclose(scores, pd.read_csv(tmp_path / "scores.csv")["relevance"], rtol=0, atol=1e-5)


def write_shop(path, lists: int, seed: int) -> np.ndarray:
    """Writes lists with a number and a category of ten, some of them missing, and returns them."""
    random = np.random.default_rng(seed)
    features = np.column_stack([random.normal(size=lists * 8), random.integers(0, 10, size=lists * 8)]).astype(np.float32)
    labels = (features[:, 0] > 0) + 2 * np.isin(features[:, 1], [1, 4, 8])
    features[random.random(features.shape) < 0.1] = np.nan
    with open(path, "w") as file:
        for i, row in enumerate(features):
            numbers = " ".join(f"{f + 1}:{float(x)!r}" for f, x in enumerate(row) if not np.isnan(x))
            file.write(f"{labels[i]} qid:{i // 8 + 1} {numbers}\n")
    return features


def test_xgboost_reads_missing_values_and_categories_alike(tmp_path, ultr_run):
    write_shop(tmp_path / "train.txt", 150, 1)
    features = write_shop(tmp_path / "test.txt", 40, 2)
    (tmp_path / "trees.yaml").write_text(
        "data: {format: feature_lists, reader: {type: svmlight, absent: missing}, train: train.txt, test: test.txt,\n"
        "       learn_from: labels, scaling: {missing: keep}}\n"
        "loss: {type: naive, base: softmax, relevance: {type: boosted_trees, rounds: 10, min_child_weight: 0.01, categorical: [2]}}\n"
        "train: {epochs: 10}\noutput: run\n"
    )
    ultr_run("trees.yaml", cwd=tmp_path)
    ultr_run("predict", "run", "--data", "test.txt", "--output", "scores.csv", "--contributions", "why.csv", cwd=tmp_path)
    ours = pd.read_csv(tmp_path / "scores.csv")["relevance"]
    trees = xgboost.Booster(model_file=tmp_path / "run/model/relevance.xgboost.json")
    theirs = trees.predict(xgboost.DMatrix(features))
    np.testing.assert_allclose(ours, theirs, rtol=0, atol=1e-6)
    why = pd.read_csv(tmp_path / "why.csv")
    np.testing.assert_allclose(why[["f0", "f1", "base_value"]].sum(axis=1), ours, rtol=0, atol=1e-5)
    # The three good brands stand out, which one threshold could not do.
    good = np.isin(features[:, 1], [1, 4, 8])
    assert why["f1"][good].min() > why["f1"][~good & ~np.isnan(features[:, 1])].max()
