"""Logs with features, weights and users, and rankers trained on them."""

import numpy as np
import pandas as pd
import pytest

import ultr
from conftest import COLUMNS, clicks_frame

FEATURES = ["price", "rating"]


def features_frame() -> pd.DataFrame:
    """Clicks on documents whose price and rating say how attractive they are, shown at a height."""
    frame = clicks_frame(800)
    pairs = frame["query"] + frame["document"]
    codes, _ = pd.factorize(pairs)
    random = np.random.default_rng(3)
    price, rating = random.random(codes.max() + 1), random.normal(size=codes.max() + 1)
    frame["price"], frame["rating"] = price[codes].astype(np.float32), rating[codes]
    frame["height"] = frame["position"] * 10.0
    attraction = 1 / (1 + np.exp(2 - 3 * frame["price"] - frame["rating"]))
    frame["click"] = (random.random(len(frame)) < attraction / frame["position"]).astype(int)
    return frame


@pytest.fixture(scope="module")
def shop():
    return features_frame()


@pytest.fixture(scope="module")
def parts(shop):
    log = ultr.ClickLog.from_dataframe(shop, **COLUMNS, features=FEATURES, bias_features=["height"])
    return log.split(valid=0.2, test=0.2, seed=1)


def test_a_log_has_its_features(shop, parts):
    log = ultr.ClickLog.from_dataframe(shop, **COLUMNS, features=FEATURES, bias_features=["height"])
    assert log.features == ["price", "rating", "height"]
    rows = log.to_dataframe()
    for name in log.features:
        np.testing.assert_array_equal(rows[name], shop[name].astype(np.float32))
    whole = pd.concat([part.to_dataframe() for part in parts])
    keys = ["query", "document", "price", "rating", "height", "click", "position"]
    pd.testing.assert_frame_equal(
        whole[keys].sort_values(keys, ignore_index=True), rows[keys].sort_values(keys, ignore_index=True)
    )


def test_features_with_the_names_of_columns_are_not_lost():
    features = {"click": [7, 8], "list": [9, 10], "_click": [11, 12], "price": [13, 14]}
    log = ultr.ClickLog.from_arrays(document=[1, 2], click=[0, 1], features=features, bias_features={"position": [3, 4]})
    assert log.features == [*features, "position"]
    columns = {name: values.tolist() for name, values in log.to_arrays().items()}
    assert columns == {
        "list": [0, 0], "query": [0, 0], "document": [1, 2], "position": [1, 2], "click": [0, 1],
        "_click": [7, 8], "_list": [9, 10], "__click": [11, 12], "price": [13, 14], "_position": [3, 4],
    }


@pytest.mark.parametrize("loss", ["naive", "two_tower", "dla"])
def test_towers_are_those_of_ultr_run(shop, parts, tmp_path, ultr_run, loss):
    shop.to_csv(tmp_path / "clicks.csv", index=False)
    examination = "\n  examination: {type: mlp, widths: [4]}" if loss == "two_tower" else ""
    (tmp_path / "shop.yaml").write_text(
        "data:\n  format: feature_lists\n  train: clicks.csv\n  split: {valid: 0.2, test: 0.2}\n  learn_from: clicks\n"
        "  reader: {type: table, columns: {features: [price, rating], bias_features: [height]}}\n"
        "  scaling: {standardise: true}\n"
        f"loss:\n  type: {loss}\n  relevance: {{type: mlp, widths: [8]}}{examination}\n"
        "train: {epochs: 3}\noutput: run\n"
    )
    ultr_run("shop.yaml", cwd=tmp_path)
    expected = ultr.load(tmp_path / "run")
    options = {"examination": ultr.layers.mlp(widths=[4])} if loss == "two_tower" else {}
    model = getattr(ultr.losses, loss)(relevance=ultr.layers.mlp(widths=[8]), **options)
    fit = ultr.fit(model, *parts, epochs=3, data={"scaling": {"standardise": True}})
    for name, values in fit.parameters.items():
        np.testing.assert_array_equal(values, expected.parameters[name])
    pd.testing.assert_frame_equal(fit.predict_clicks(parts[2]), expected.predict_clicks(parts[2]))
    fit.save(tmp_path / "saved")
    ultr_run("predict", "saved", "--data", "clicks.csv", "--output", "predicted.csv", cwd=tmp_path)
    log = ultr.ClickLog.from_dataframe(shop, **COLUMNS, features=FEATURES, bias_features=["height"])
    np.testing.assert_allclose(
        pd.read_csv(tmp_path / "predicted.csv")["relevance"], fit.predict_clicks(log)["relevance"], rtol=1e-5, atol=1e-6
    )


def test_a_click_model_with_a_tower_learns_from_features(parts):
    tower = ultr.models.pbm(attraction=ultr.layers.mlp(widths=[8]))
    fit = ultr.fit(tower, *parts, optimizer=ultr.AdamW(lr=0.01), epochs=20)
    assert fit.evaluate(parts[2])["ppl"] < ultr.fit(ultr.models.gctr(), *parts, epochs=5).evaluate(parts[2])["ppl"]
    assert len(fit.sample(parts[2])) == len(parts[2])
    new = parts[2].to_dataframe().assign(document="new", price=1.0, rating=2.0)
    columns = {name: name for name in COLUMNS if name != "session"}
    log = ultr.ClickLog.from_dataframe(new, session="list", **columns, features=FEATURES, bias_features=["height"])
    assert fit.predict_clicks(log)["relevance"].min() > fit.predict_clicks(parts[2])["relevance"].mean()


def test_a_model_with_features_needs_them(parts, log):
    fit = ultr.fit(ultr.losses.naive(relevance=ultr.layers.mlp(widths=[4])), parts[0], epochs=1)
    with pytest.raises(ultr.DataError, match="the log has no features; expected 3 per document, as in training"):
        fit.predict_clicks(log)
    with pytest.raises(ValueError, match="features"):
        ultr.fit(ultr.losses.naive(relevance=ultr.layers.mlp(widths=[4])), log, epochs=1)


def test_features_are_those_of_training_in_its_order(shop, parts, tmp_path):
    loss = ultr.losses.naive(relevance=ultr.layers.mlp(widths=[4]))
    fit = ultr.fit(loss, parts[0], epochs=1)
    fit.save(tmp_path / "run")
    swapped = ultr.ClickLog.from_dataframe(shop, **COLUMNS, features=FEATURES[::-1], bias_features=["height"])
    message = "has the features rating, price, height; expected price, rating, height, as in training"
    for run in (fit, ultr.load(tmp_path / "run")):
        with pytest.raises(ultr.DataError, match=f"the log {message}"):
            run.predict_clicks(swapped)
    with pytest.raises(ultr.DataError, match=f"valid {message}"):
        ultr.fit(loss, parts[0], swapped, epochs=1)
    without = ultr.ClickLog.from_dataframe(shop, **COLUMNS)
    with pytest.raises(ultr.DataError, match="valid has no features; expected price, rating, height, as in training"):
        ultr.fit(loss, parts[0], without, epochs=1)


@pytest.mark.parametrize("options", [{"split": {"valid": 0.2}}, {"max_positions": 2}])
def test_options_of_data_that_are_not_used_are_refused(parts, log, options):
    with pytest.raises(ValueError, match="data is given, but the log has no features; expected none"):
        ultr.fit(ultr.models.pbm(), log, epochs=1, data=options)
    with pytest.raises(ValueError, match="data has 'split', which is for files|'data.max_positions' goes with"):
        ultr.fit(ultr.losses.naive(), parts[0], epochs=1, data=options)


def test_weights_repeat_lists_and_users_divide_them():
    frame = pd.DataFrame({"session": [1, 1, 2], "document": ["a", "b", "a"], "click": [0, 1, 1], "weight": [3, 9, 1]})
    columns = dict(session="session", document="document", click="click")
    log = ultr.ClickLog.from_dataframe(frame, **columns, weight="weight")
    assert len(log) == 4 and log.to_dataframe()["document"].tolist() == ["a", "b"] * 3 + ["a"]
    with pytest.raises(ultr.DataError, match="column 'weight', row 1: 0; expected a whole number from 1"):
        ultr.ClickLog.from_dataframe(frame.assign(weight=[3, 0, 1]), **columns, weight="weight")
    one = pd.DataFrame({"session": [1, 1, 1], "user": ["x", "y", "x"], "document": ["a", "b", "c"]})
    assert len(ultr.ClickLog.from_dataframe(one, session="session", document="document")) == 1
    assert len(ultr.ClickLog.from_dataframe(one, session="session", document="document", user="user")) == 2


def test_propensities_reach_the_loss(frame):
    random = np.random.default_rng(1)
    with_them = frame.assign(propensity=random.uniform(0.2, 1, len(frame)))
    log = ultr.ClickLog.from_dataframe(with_them, **COLUMNS, propensity="propensity")
    np.testing.assert_allclose(log.to_dataframe()["propensity"], with_them["propensity"], rtol=1e-6)
    weighted = ultr.fit(ultr.losses.logging_policy_weights(), log, epochs=2)
    naive = ultr.fit(ultr.losses.naive(), log, epochs=2)
    assert not np.array_equal(weighted.parameters["relevance"], naive.parameters["relevance"])
    assert ultr.fit(ultr.losses.ips(estimator="all_pairs"), log, epochs=1).model_type == "ips"


@pytest.mark.parametrize("propensity", [0, -0.5, 1.01, 1e-46])
def test_propensities_are_above_0_and_at_most_1(propensity):
    assert ultr.ClickLog.from_arrays(document=[1, 2], propensity=[1, 1e-37]).to_arrays()["propensity"].min() > 0
    with pytest.raises(ultr.DataError, match=r"column 'propensity', row 1: .*; expected a number above 0 \(in float32"):
        ultr.ClickLog.from_arrays(document=[1, 2], propensity=[1, propensity])


@pytest.mark.parametrize(
    "changes, message",
    [
        ({"features": ["pric"]}, r"features\[0\]='pric' is no column of the frame"),
        ({"features": ["price", "price"]}, "a column is twice among features and bias_features"),
        ({"bias_features": ["height"]}, "all features are bias_features; expected some to be left"),
        ({"features": ["text"]}, "column 'text': |column 'text', row 0: "),
        ({"features": ["hole"]}, "column 'hole', row 2: the value is missing"),
        ({"features": ["huge"]}, "column 'huge', row 0: 1e\\+300; expected a finite number"),
    ],
)
def test_wrong_features_are_named(shop, changes, message):
    frame = shop.assign(text="a", hole=np.where(np.arange(len(shop)) == 2, np.nan, 1.0), huge=1e300)
    with pytest.raises(ultr.DataError, match=message):
        ultr.ClickLog.from_dataframe(frame, **COLUMNS, **changes)


def test_a_feature_is_no_bias_feature():
    with pytest.raises(ultr.DataError, match="a column is twice among features and bias_features"):
        ultr.ClickLog.from_arrays(document=[1, 2], features={"a": [1, 2], "b": [1, 2]}, bias_features={"a": [1, 2]})


def test_a_saved_log_is_read_back(shop, tmp_path):
    log = ultr.ClickLog.from_dataframe(
        shop.rename(columns={"document": "product, shown"}), **{**COLUMNS, "document": "product, shown"},
        features=FEATURES, bias_features=["height"],
    )
    again = pd.read_csv(log.save(tmp_path / "log.csv"))
    assert list(again) == ["session", "query", "product, shown", "position", "click", "price", "rating", "height"]
    log_again = ultr.ClickLog.from_dataframe(
        again, **{**COLUMNS, "document": "product, shown"}, features=FEATURES, bias_features=["height"]
    )
    pd.testing.assert_frame_equal(log_again.to_dataframe(), log.to_dataframe())
    fit = ultr.run({"data": {"train": log}, "loss": ultr.losses.naive(relevance=ultr.layers.mlp(widths=[4])),
                    "train": {"epochs": 1}, "output": str(tmp_path / "run")})
    expected = ultr.fit(ultr.losses.naive(relevance=ultr.layers.mlp(widths=[4])), log, epochs=1)
    for name, values in fit.parameters.items():
        np.testing.assert_array_equal(values, expected.parameters[name])
