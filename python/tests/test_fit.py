"""Training and what trained models say."""

import copy
import io
import os
import pickle
import signal
import threading

import numpy as np
import pandas as pd
import pytest

import ultr
from conftest import COLUMNS, clicks_frame


@pytest.fixture(scope="module")
def parts(log):
    return log.split(valid=0.2, test=0.2, seed=1)


@pytest.fixture(scope="module")
def fitted(parts):
    train, valid, test = parts
    return ultr.fit(ultr.models.pbm(), train, valid, test, optimizer=ultr.AdamW(lr=0.05), epochs=12, early_stopping=0)


CONFIG = """
name: clicks
data:
  format: table
  train: clicks.csv
  split: {valid: 0.2, test: 0.2}
model: MODEL
optimizer: {type: adamw, lr: 0.05}
train: {epochs: 6, early_stopping: 2}
output: run
"""


@pytest.fixture
def folder(tmp_path, frame):
    frame.to_csv(tmp_path / "clicks.csv", index=False)
    return tmp_path


@pytest.mark.parametrize("name", ["pbm", "dbn", "ubm", "mixture"])
@pytest.mark.parametrize("threads", [1, 2])
def test_results_are_those_of_ultr_run(folder, ultr_run, log, name, threads):
    (folder / "clicks.yaml").write_text(CONFIG.replace("MODEL", name))
    ultr_run("clicks.yaml", cwd=folder)
    by_program = ultr.load(folder / "run")
    train, valid, test = log.split(valid=0.2, test=0.2, seed=1)
    model = getattr(ultr.models, name)()
    fit = ultr.fit(
        model, train, valid, test, optimizer=ultr.AdamW(lr=0.05), epochs=6, early_stopping=2, threads=threads
    )
    expected = by_program.parameters
    assert list(fit.parameters) == list(expected)
    for parameter, values in fit.parameters.items():
        np.testing.assert_array_equal(values, expected[parameter])
    test_results = by_program.results["test"]
    for measure, value in fit.evaluate(test).items():
        np.testing.assert_array_equal(value, test_results[measure])


def test_a_loss_trains_on_logs(parts):
    train, valid, test = parts
    fit = ultr.fit(ultr.losses.dla(), train, valid, epochs=2)
    assert fit.model_type == "dla"
    assert "probability" not in fit.predict_clicks(test)


def test_run_is_ultr_run(folder, ultr_run):
    (folder / "clicks.yaml").write_text(CONFIG.replace("MODEL", "dbn"))
    ultr_run("clicks.yaml", "optimizer.lr=0.01", "output=program", cwd=folder)
    fit = ultr.run(folder / "clicks.yaml", {"optimizer.lr": 0.01, "output": str(folder / "python")})
    assert fit.folder == folder / "python"
    expected = ultr.load(folder / "program")
    for name, values in ultr.load(folder / "python").parameters.items():
        np.testing.assert_array_equal(values, expected.parameters[name])
    for split in ("train", "valid", "test"):
        assert fit.results[split] == expected.results[split]
    assert "<svg" in (folder / "python" / "report.html").read_text()


def test_a_saved_fit_is_the_run_of_a_program(fitted, folder, ultr_run, frame):
    fitted.save(folder / "saved")
    ultr_run("predict", "saved", "--data", "clicks.csv", "--output", "predicted.csv", cwd=folder)
    predicted = pd.read_csv(folder / "predicted.csv")
    log = ultr.ClickLog.from_dataframe(frame, **COLUMNS)
    np.testing.assert_allclose(predicted["click"], fitted.predict_clicks(log)["probability"], rtol=1e-6)
    loaded = ultr.load(folder / "saved")
    for name, values in fitted.parameters.items():
        np.testing.assert_array_equal(loaded.parameters[name], values)
    assert loaded.results == fitted.results
    with pytest.raises(ValueError, match="not empty; expected a new or empty folder"):
        fitted.save(folder / "saved")


def test_a_run_is_read_from_any_working_folder(fitted, folder, monkeypatch):
    monkeypatch.chdir(folder)
    fitted.save("run")
    loaded = ultr.load("run")
    monkeypatch.chdir("/")
    assert loaded.folder == folder / "run"
    assert loaded.results == fitted.results and loaded.config == fitted.config and "<svg" in loaded.report()
    assert pickle.loads(pickle.dumps(loaded)).results == fitted.results


def test_a_loaded_run_is_saved_outside_of_its_folder(fitted, folder):
    loaded = ultr.load(fitted.save(folder / "run"))
    for inner in ("sub", "sub/sub"):
        with pytest.raises(ValueError, match="within the folder .* of the run itself; expected one outside of it"):
            loaded.save(folder / "run" / inner)
    assert not (folder / "run" / "sub").exists()
    assert ultr.load(loaded.save(folder / "run 2")).results == fitted.results


def test_fits_pickle_and_copy(fitted, parts):
    expected = fitted.predict_clicks(parts[2])
    for again in (pickle.loads(pickle.dumps(fitted)), copy.deepcopy(fitted)):
        pd.testing.assert_frame_equal(again.predict_clicks(parts[2]), expected)
        assert again.results == fitted.results


def test_saving_changes_no_results(fitted, folder):
    before = fitted.results
    other_memory = np.ones(2**25)  # 256 MB in use, a new peak of the process
    fitted.save(folder / "saved")
    assert other_memory.sum() == 2**25
    assert fitted.results == before


def test_evaluation_has_the_measures_of_the_library(fitted, parts):
    measures = fitted.evaluate(parts[2])
    assert set(measures) <= set(ultr.types_of("metrics"))
    assert {"ll", "ppl", "cond_ppl", "ppl_per_rank"} <= set(measures)
    assert measures["sessions"] == len(parts[2])
    assert len(measures["ppl_per_rank"]) == 5
    assert measures["ll"] == pytest.approx(-np.log(measures["cond_ppl"]))


def test_relevance_and_predictions_name_queries_and_documents(fitted, parts, frame):
    train = parts[0].to_dataframe()
    relevance = fitted.relevance()
    assert list(relevance)[:3] == ["query", "document", "relevance"]
    counts = train.groupby(["query", "document"])["click"].agg(["size", "sum"])
    merged = relevance.set_index(["query", "document"]).join(counts)
    assert len(relevance) == len(counts)
    assert (merged["impressions"] == merged["size"]).all() and (merged["clicks"] == merged["sum"]).all()
    assert ((merged["lower"] <= merged["relevance"]) & (merged["relevance"] <= merged["upper"])).all()
    assert merged["lower"].min() >= 0 and merged["upper"].max() <= 1
    often = merged["impressions"] >= merged["impressions"].quantile(0.9)
    widths = merged["upper"] - merged["lower"]
    assert 0 < widths[often].mean() < widths[~often].mean()
    predicted = fitted.predict_clicks(parts[2])
    pd.testing.assert_frame_equal(predicted[list(parts[2].to_dataframe())], parts[2].to_dataframe())
    both = predicted.merge(relevance, on=["query", "document"])
    np.testing.assert_allclose(1 / (1 + np.exp(-both["relevance_x"])), both["relevance_y"], rtol=1e-6)


def test_relevance_is_empty_if_no_pair_is_known(frame, tmp_path):
    frame.to_csv(tmp_path / "train.csv", index=False)
    frame.assign(document="new " + frame["document"]).to_csv(tmp_path / "valid.csv", index=False)
    data = ultr.read(ultr.data_formats.table(train=tmp_path / "train.csv", valid=tmp_path / "valid.csv"))
    relevance = ultr.fit(ultr.models.pbm(), data.valid, epochs=1).relevance()
    assert len(relevance) == 0 and list(relevance)[:3] == ["query", "document", "relevance"]


def test_position_bias_falls_as_in_the_simulated_clicks(fitted):
    bias = fitted.position_bias()
    assert bias["position"].tolist() == [1, 2, 3, 4, 5]
    assert bias["examination"][0] == 1
    assert bias["examination"][4] < 0.6
    assert ultr.fit(ultr.models.gctr(), ultr.ClickLog.from_arrays(document=[1, 2], click=[0, 1])).position_bias() is None


def test_samples_depend_on_the_seed_alone(fitted, parts):
    test = parts[2]
    one, again, other = (fitted.sample(test, seed=seed).to_dataframe() for seed in (1, 1, 2))
    pd.testing.assert_frame_equal(one, again)
    assert not one["click"].equals(other["click"])
    pd.testing.assert_frame_equal(one.drop(columns="click"), test.to_dataframe().drop(columns="click"))
    many = np.mean([fitted.sample(test, seed=seed).click_rate for seed in range(40)])
    assert many == pytest.approx(fitted.predict_clicks(test)["probability"].mean(), rel=0.1)


def test_a_log_without_clicks_is_only_predicted_and_sampled(fitted, parts, frame, tmp_path):
    without = ultr.ClickLog.from_dataframe(frame, **{name: one for name, one in COLUMNS.items() if name != "click"})
    for call, name in [
        (lambda: ultr.fit(ultr.models.pbm(), without, epochs=1), "train"),
        (lambda: ultr.fit(ultr.models.pbm(), parts[0], without, epochs=1), "valid"),
        (lambda: ultr.fit(ultr.models.pbm(), parts[0], test=without, epochs=1), "test"),
        (lambda: fitted.evaluate(without), "the log"),
    ]:
        with pytest.raises(ultr.DataError, match=f"^{name} has no clicks; expected a log with a column of them"):
            call()
    assert len(fitted.predict_clicks(without)) == len(frame)
    sampled = fitted.sample(without)
    assert pd.read_csv(sampled.save(tmp_path / "sampled.csv"))["click"].sum() == sampled.to_dataframe()["click"].sum() > 0
    assert np.isfinite(fitted.evaluate(sampled)["ll"])


def test_unknown_pairs_are_predicted_and_unknown_positions_refused(fitted):
    new = ultr.ClickLog.from_arrays(document=["new", "d1"], query=["query 1"] * 2, session=[1, 1], click=[0, 1])
    assert np.isfinite(fitted.predict_clicks(new)["probability"]).all()
    long = ultr.ClickLog.from_arrays(document=list(range(7)), click=[0, 1] * 3 + [0])
    with pytest.raises(ultr.DataError, match="position 7; expected at most 5"):
        fitted.evaluate(long)


def test_the_report_is_shown_in_a_notebook(fitted):
    assert "<svg" in fitted.report()
    assert fitted._repr_html_().startswith("<iframe srcdoc=")
    assert repr(fitted) == f"<ultr.Fit: pbm, epoch {fitted.best_epoch} of 12>"


def test_epochs_are_a_frame(fitted):
    epochs = fitted.epochs
    assert len(epochs) == 12 and epochs["epoch"].tolist() == list(range(1, 13))
    assert epochs["valid_loss"].idxmin() + 1 == fitted.best_epoch
    assert epochs["train_loss"].iloc[-1] < epochs["train_loss"].iloc[0]


def test_data_of_the_library_can_be_read(frame, tmp_path, parts):
    frame.to_csv(tmp_path / "clicks.csv", index=False)
    data = ultr.read(
        ultr.data_formats.table(train=tmp_path / "clicks.csv", split={"valid": 0.2, "test": 0.2}), seed=1
    )
    read, expected = data.test.to_dataframe(), parts[2].to_dataframe()
    known = read["document"].notna()  # training shows the others nowhere
    assert known.mean() > 0.9
    pd.testing.assert_frame_equal(read[known], expected[known], check_dtype=False)
    one = ultr.fit(ultr.models.pbm(), data, epochs=2)
    other = ultr.fit(ultr.models.pbm(), data.train, data.valid, epochs=2)
    for name, values in one.parameters.items():
        np.testing.assert_array_equal(values, other.parameters[name])
    simulated = ultr.read(ultr.data_formats.simulation(sessions=500, user=ultr.models.dbn()))
    assert len(simulated.train) == 500


def test_a_log_with_documents_of_unknown_ids_is_not_saved(frame, tmp_path):
    train, valid = frame[frame["query"] != "query 1"], frame[frame["query"] == "query 1"]
    for number, part in enumerate((train, valid)):
        part.to_csv(tmp_path / f"{number}.csv", index=False)
    data = ultr.read(ultr.data_formats.table(train=tmp_path / "0.csv", valid=tmp_path / "1.csv"))
    known = pd.read_csv(data.train.save(tmp_path / "train.csv"))
    assert known["document"].tolist() == train["document"].tolist()
    message = f"the ids of {len(valid)} of {len(valid)} documents are unknown, since training sessions do not show them"
    for use in (lambda: data.valid.save(tmp_path / "valid.csv"), lambda: ultr.diagnose(data.valid)):
        with pytest.raises(ultr.DataError, match=message):
            use()
    assert not (tmp_path / "valid.csv").exists()


def test_a_saved_fit_to_data_reads_them_again(tmp_path, frame):
    simulation = ultr.data_formats.simulation(sessions=300, queries=5)
    data = ultr.read(simulation, seed=2)
    fit = ultr.fit(ultr.models.pbm(), data, epochs=2)
    again = ultr.run(fit.save(tmp_path / "run") / "config.yaml", {"output": str(tmp_path / "again")})
    assert again.results["test"]["ll"] == fit.results["test"]["ll"]
    with pytest.raises(ValueError, match="fit: seed is 1, but the data were read with seed 2; expected the same"):
        ultr.fit(ultr.models.pbm(), data, epochs=2, seed=1)
    frame.to_csv(tmp_path / "clicks.csv", index=False)  # whole files are the same for every seed
    table = ultr.read(ultr.data_formats.table(train=tmp_path / "clicks.csv"), seed=2)
    assert ultr.fit(ultr.models.pbm(), table, epochs=1, seed=1).best_epoch == 1


@pytest.mark.parametrize(
    "call, message",
    [
        (lambda parts: ultr.fit("pbm", parts[0]), "model is 'pbm'; expected one of ultr.models"),
        (lambda parts: ultr.fit(ultr.models.pbm(), parts[0], epochs=0), "fit: train.epochs is '0'; expected a whole number at least 1"),
        (lambda parts: ultr.fit(ultr.models.pbm(), parts[0], seed=-1), "fit: seed is '-1'"),
        (lambda parts: ultr.AdamW(rate=1), "optimizers.adamw: unknown key 'rate'"),
        (lambda parts: ultr.AdamW(lr="high"), "optimizers.adamw: lr is 'high'; expected a number"),
        (lambda parts: ultr.AdamW(lr=object()), "optimizers.adamw: found a object; expected a number, text"),
        (lambda parts: ultr.models.pbm(attraction={"type": "none"}), "models.pbm: attraction.type is 'none'; expected one of"),
        (lambda parts: ultr.fit(ultr.models.mixture(components=["cm"], share="b"), parts[0]), "model: 'b' is shared, but"),
        (lambda parts: ultr.fit(ultr.losses.ips(), parts[0]), "propensities"),
        (lambda parts: ultr.fit(ultr.models.pbm, parts[0]), "ultr.models.pbm is a function; expected ultr.models.pbm(), with"),
        (lambda parts: ultr.fit(ultr.models.pbm(), parts[0], optimizer=ultr.AdamW), "ultr.optimizers.adamw is a function"),
        (lambda parts: ultr.fit(ultr.models.pbm(), clicks_frame(2)), "train is a DataFrame; expected a ClickLog (ClickLog."),
        (lambda parts: ultr.fit(ultr.models.pbm(), parts[0], clicks_frame(2)), "valid is a DataFrame; expected a ClickLog"),
        (lambda parts: ultr.fit(ultr.models.pbm(), parts[0], epochs=1).evaluate("a.csv"), "log is a str; expected a ClickLog"),
        (lambda parts: ultr.ClickLog.from_dataframe("a.csv", document="d"), "frame is a str; expected a data frame (from_arrays"),
        (lambda parts: ultr.load("/nowhere"), "/nowhere: there is no such folder"),
        (lambda parts: ultr.run("/nowhere.yaml"), "/nowhere.yaml"),
    ],
)
def test_mistakes_are_one_line(parts, call, message):
    with pytest.raises(ValueError) as raised:
        call(parts)
    assert message in str(raised.value)
    assert "\n" not in str(raised.value)


class Observer:
    """Stands in for the line of progress and does something after an epoch."""

    def __init__(self, act):
        self.act = act

    def __call__(self, epochs, sessions):
        return self

    def progress(self, work, unit, done, total):
        pass

    def step(self, epoch, sessions):
        pass

    def epoch(self, results):
        self.act(results["epoch"])

    def close(self):
        pass


def interrupt_after(epoch):
    return Observer(lambda now: os.kill(os.getpid(), signal.SIGINT) if now == epoch else None)


def test_an_interrupt_leaves_the_best_epoch(parts, monkeypatch):
    train, valid, _ = parts
    arguments = dict(optimizer=ultr.AdamW(lr=0.01), early_stopping=0)
    monkeypatch.setattr("ultr._fit.ProgressLine", interrupt_after(3))
    with pytest.warns(UserWarning, match="training was interrupted; the model is that of epoch 3"):
        fit = ultr.fit(ultr.models.pbm(), train, valid, epochs=100000, progress=True, **arguments)
    assert fit.was_interrupted and fit.best_epoch == 3
    expected = ultr.fit(ultr.models.pbm(), train, valid, epochs=3, **arguments)
    for name, values in expected.parameters.items():
        np.testing.assert_array_equal(fit.parameters[name], values)
    assert fit.evaluate(valid)["ll"] == expected.evaluate(valid)["ll"]


def test_an_interrupt_of_a_run_leaves_its_best_epoch(folder, monkeypatch):
    (folder / "clicks.yaml").write_text(CONFIG.replace("MODEL", "pbm").replace("epochs: 6", "epochs: 100000"))
    monkeypatch.setattr("ultr._commands.ProgressLine", interrupt_after(3))
    with pytest.warns(UserWarning, match="training was interrupted; the model is that of epoch"):
        fit = ultr.run(folder / "clicks.yaml", {"train.early_stopping": 0, "output": str(folder / "run")}, progress=True)
    assert fit.was_interrupted
    assert ultr.load(folder / "run").results == fit.results


def test_an_interrupt_ends_reading(tmp_path, monkeypatch):
    clicks = "session,query,document,position,click\n" + "".join(f"{i},q,d{i % 9},1,{i % 2}\n" for i in range(200_000))
    (tmp_path / "clicks.csv").write_text(clicks)
    table = ultr.data_formats.table(train=str(tmp_path / "clicks.csv"))
    shown = []

    class Interrupts(Observer):
        def progress(self, work, unit, done, total):
            shown.append((work, done, total))
            os.kill(os.getpid(), signal.SIGINT)

    for module in ("_data", "_commands"):
        monkeypatch.setattr(f"ultr.{module}.ProgressLine", Interrupts(None))
    config = {"data": table, "model": "gctr", "output": str(tmp_path / "run")}
    for read in (lambda: ultr.read(table, progress=True), lambda: ultr.run(config, progress=True)):
        shown.clear()
        with pytest.raises(KeyboardInterrupt):
            read()
        assert all(work == "reading" and 0 < done < total for work, done, total in shown), shown
    assert len(ultr.read(table, progress=False).train) == 200_000


def test_an_exception_while_training_ends_it(parts, monkeypatch):
    def fail(_):
        raise OSError("disk is full")

    monkeypatch.setattr("ultr._fit.ProgressLine", Observer(fail))
    with pytest.raises(OSError, match="disk is full"):
        ultr.fit(ultr.models.pbm(), parts[0], epochs=3, progress=True)


def test_progress_is_silent_or_one_line(parts, capfd):
    ultr.fit(ultr.models.pbm(), parts[0], parts[1], epochs=2, progress=False)
    assert capfd.readouterr() == ("", "")
    ultr.fit(ultr.models.pbm(), parts[0], parts[1], epochs=2, progress=True)
    out, err = capfd.readouterr()
    assert out == ""
    assert "epoch 2/2 train loss" in err and "valid loss" in err and err.endswith("\n")


def test_two_fits_in_two_threads_do_not_disturb_each_other(parts):
    train, valid, _ = parts
    expected = ultr.fit(ultr.models.dbn(), train, valid, epochs=5).parameters
    found = {}

    def one(number):
        found[number] = ultr.fit(ultr.models.dbn(), train, valid, epochs=5).parameters

    threads = [threading.Thread(target=one, args=(number,)) for number in range(3)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    for parameters in found.values():
        for name, values in parameters.items():
            np.testing.assert_array_equal(values, expected[name])


def test_results_are_the_same_for_threads_that_ask_at_once(parts):
    train, valid, test = parts
    for _ in range(20):
        fit = ultr.fit(ultr.models.pbm(), train, valid, test, epochs=1)
        found = []
        threads = [threading.Thread(target=lambda: found.append(fit.results)) for _ in range(8)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        assert len(found) == 8 and all(results == found[0] for results in found)


def test_memory_does_not_grow_with_fits():
    log = ultr.ClickLog.from_dataframe(clicks_frame(60), **COLUMNS)

    def resident():
        with open("/proc/self/statm") as statm:
            return int(statm.read().split()[1]) * os.sysconf("SC_PAGESIZE")

    def fits(count):
        for _ in range(count):
            ultr.fit(ultr.models.pbm(), log, epochs=1, threads=1)

    fits(100)
    before = resident()
    fits(200)
    assert resident() - before < 4 << 20
