"""The commands of ultr-run as functions, sweeps and studies."""

import copy
import inspect
import json
import os
import pickle
import re
import signal
import subprocess
import sys
import threading

import numpy as np
import pandas as pd
import pytest

import ultr
from conftest import COLUMNS, clicks_frame


class SweptPBM(ultr.ExaminationModel):
    """Position-based model."""

    examination = ultr.parameter("rank", "Examination")
    attraction = ultr.parameter("document", "Attraction")

    def story(self, s):
        return ultr.Examination(self.examination(s), self.attraction(s))


@pytest.fixture(scope="module")
def parts(log):
    return log.split(valid=0.2, test=0.2, seed=1)


@pytest.fixture
def folder(tmp_path, frame, monkeypatch):
    monkeypatch.chdir(tmp_path)
    frame.to_csv(tmp_path / "clicks.csv", index=False)
    (tmp_path / "clicks.yaml").write_text(
        "data: {format: table, train: clicks.csv, split: {valid: 0.2, test: 0.2}}\n"
        "model: pbm\noptimizer: {type: adamw, lr: 0.05}\ntrain: {epochs: 3}\noutput: run\n"
    )
    return tmp_path


def test_every_command_of_the_program_is_a_function(ultr_run, tmp_path):
    listed = re.findall(r"^  ([a-z-]+) {2,}", ultr_run("--help", cwd=tmp_path).split("Commands (", 1)[1], re.MULTILINE)
    assert len(listed) >= 12
    assert sorted(one.replace("-", "_") for one in listed) == sorted(ultr._commands.names())
    for command in listed:
        name = command.replace("-", "_")
        assert name in dir(ultr)
        options = re.findall(r"^ +(?:-\w,)?--([a-z-]+)", ultr_run(command, "--help", cwd=tmp_path), re.MULTILINE)
        parameters = inspect.signature(getattr(ultr, name)).parameters
        for option in set(options) - {"help", "plugin", "trust"}:
            known = {one.split(".")[0] for one in parameters}
            assert {option.replace("-", "_"), option.replace("-", "_") + "s"} & known, (command, option)
        assert getattr(ultr, name).__doc__


def test_a_command_says_what_the_program_says(folder, ultr_run):
    assert ultr.diagnose("clicks.yaml").text == ultr_run("diagnose", "clicks.yaml", cwd=folder)
    bias = ultr.estimate_bias("clicks.yaml", methods=["ctr", "all_pairs"], resamples=50, output="bias")
    assert bias.text.splitlines()[0] == ultr_run(
        "estimate-bias", "clicks.yaml", "--method", "ctr", "--method", "all_pairs", "--resamples", "50", cwd=folder
    ).splitlines()[0]
    assert "all_pairs" in bias.values and repr(bias).startswith(bias.text.splitlines()[0])
    assert bias.path.name == "bias" and "<html" in bias.report()


def test_a_log_in_memory_is_a_configuration(folder, log):
    assert ultr.diagnose(log).values == ultr.diagnose("clicks.yaml", {"data.split": {}}).values
    simulation = ultr.data_formats.simulation(sessions=300, queries=3)
    assert ultr.diagnose(ultr.read(simulation, seed=2)).values == ultr.diagnose({"data": simulation, "seed": 2}).values


def test_a_trained_run_is_used(folder, parts, ultr_run):
    fit = ultr.run("clicks.yaml")
    by_program = ultr_run("relevance", "run", "--output", "program.csv", cwd=folder)
    relevance = ultr.relevance("run")
    pd.testing.assert_frame_equal(relevance.frame, pd.read_csv("program.csv"))
    assert relevance.text.splitlines()[1:] == by_program.splitlines()[1:]
    labels = ultr.labels(fit, format="csv", grades=3, min_impressions=5)
    assert set(labels.frames["labels"]["label"]) == {0, 1, 2}
    predicted = ultr.predict("run", data="clicks.csv")
    log = ultr.ClickLog.from_dataframe(pd.read_csv("clicks.csv"), **COLUMNS)
    np.testing.assert_allclose(predicted.frame["click"], fit.predict_clicks(log)["probability"], rtol=1e-6)
    measures = ultr.evaluate("run", data=["clicks.csv"]).values["clicks"]
    assert measures["cond_ppl"] == pytest.approx(fit.evaluate(log)["cond_ppl"])


def test_a_fit_in_memory_is_used_as_a_run_is(parts):
    train, valid, test = parts
    fit = ultr.fit(ultr.models.pbm(), train, valid, epochs=3)
    relevance = ultr.relevance(fit).frame
    both = relevance.merge(fit.relevance(), on=["query", "document"])
    assert len(both) == len(relevance)
    np.testing.assert_allclose(both["relevance_x"], both["relevance_y"], rtol=1e-5)
    assert (both["clicks_x"] == both["clicks_y"]).all()
    assert ultr.evaluate(fit, data=test).values["clicks"]["ll"] == pytest.approx(fit.evaluate(test)["ll"])


def test_several_logs_and_frames_are_all_read(parts):
    train, valid, test = parts
    fit = ultr.fit(ultr.models.pbm(), train, valid, epochs=1)
    one, other = (ultr.predict(fit, data=part).frame["click"].tolist() for part in (valid, test))
    for each in (lambda part: part, lambda part: part.to_dataframe().rename(columns={"list": "session"})):
        assert ultr.predict(fit, data=[each(valid), each(test)]).frame["click"].tolist() == one + other


def test_copies_of_a_fit_are_used_as_a_run_is(parts):
    train, valid, test = parts
    fit = ultr.fit(ultr.models.pbm(), train, valid, epochs=2)
    for again in (pickle.loads(pickle.dumps(fit)), copy.deepcopy(fit)):
        assert ultr.evaluate(again, data=test).values == ultr.evaluate(fit, data=test).values
        assert ultr.load(again.run_folder()).results == fit.results


def test_a_fit_in_memory_keeps_its_name(parts):
    fit = ultr.fit(ultr.models.pbm(), parts[0], epochs=1, name="my data frame")
    assert ultr.load(fit.run_folder()).config.startswith("name: my data frame\n")
    assert len(ultr.relevance(fit).frame) == len(fit.relevance())


def test_ids_of_results_are_those_of_the_log():
    for documents in (["NA", "007", "1e3", "d"], [7, 8, 9, 10]):
        log = ultr.ClickLog.from_arrays(document=documents * 20, query=["null"] * 80, session=np.repeat(range(20), 4),
                                        click=[1, 0, 0, 1] * 20)
        relevance = ultr.relevance(ultr.fit(ultr.models.pbm(), log, epochs=1)).frame
        assert relevance["document"].tolist() == documents and set(relevance["query"]) == {"null"}
        assert relevance["relevance"].dtype == float


OTHER_NAMES = {"session": "visit", "query": "text", "document": "product", "position": "rank", "click": "clicked"}


def test_logs_with_other_column_names_are_one_data_set(parts, frame, tmp_path):
    train, valid, test = parts
    renamed = ultr.ClickLog.from_dataframe(frame.rename(columns=OTHER_NAMES), **OTHER_NAMES)
    train_renamed, _, test_renamed = renamed.split(valid=0.2, test=0.2, seed=1)
    fit = ultr.fit(ultr.models.pbm(), train_renamed, epochs=2)
    config = {"data": {"train": train_renamed, "valid": valid}, "model": "pbm", "train": {"epochs": 2}}
    saved = ultr.run({**config, "output": str(tmp_path / "run")})
    for run in (fit, saved, tmp_path / "run"):
        for log in (test, test_renamed, fit.sample(test_renamed)):
            found = ultr.evaluate(run, data=log).values["clicks"]
            assert found["ll"] == pytest.approx((fit if run is fit else saved).evaluate(log)["ll"])
    choice = ultr.choose((train_renamed, valid), {"train.epochs": 1}, models=["pbm", "gctr"])
    assert sorted(choice.frames["models"]["model"]) == ["gctr", "pbm"]


def test_a_column_is_never_that_of_another_log(frame, tmp_path):
    frame = frame.assign(a=frame["click"], b=np.arange(len(frame)) % 7 == 0)
    plain = dict(session="session", query="query", document="document")
    train = ultr.ClickLog.from_dataframe(frame, **plain, click="a", viewed="b")
    valid = ultr.ClickLog.from_dataframe(frame, **plain, click="b", viewed="a")
    config = {"data": {"train": train, "valid": valid}, "model": "pbm", "train": {"epochs": 1}, "output": str(tmp_path / "run")}
    expected = ultr.fit(ultr.models.pbm(), train, valid, epochs=1)
    assert ultr.run(config).results["valid"]["ll"] == expected.results["valid"]["ll"]


def test_models_are_compared_and_chosen(folder, parts):
    for name in ("pbm", "gctr"):
        ultr.run("clicks.yaml", {"model": name, "output": name})
    compared = ultr.compare(["pbm", "gctr"], metrics=["test.cond_ppl"])
    assert len(compared.frame) == 2 and len(compared.values["configurations"]) == 2
    assert compared.report().startswith("<!DOCTYPE html>") and compared._repr_html_().startswith("<iframe")
    train, valid, _ = parts
    choice = ultr.choose((train, valid), {"train.epochs": 3}, models=["pbm", SweptPBM, "gctr"])
    assert sorted(choice.frames["models"]["model"]) == ["SweptPBM", "gctr", "pbm"]
    assert choice.best.model_type == choice.values["for_prediction"]
    assert {run.name for run in choice.runs} == {"pbm", "SweptPBM", "gctr"}


def test_a_sweep_has_frames_runs_and_the_best_run(folder):
    swept = ultr.run("clicks.yaml", sweep={"model": [ultr.models.pbm(), SweptPBM(), "gctr"], "seed": range(1, 3)})
    assert swept.exit_code == 0 and swept.failures == {}
    assert len(swept.runs) == 6 and swept.path == folder / "run" or swept.path.name == "run"
    table = swept.frame
    assert sorted(table["model.type"].unique()) == ["SweptPBM", "gctr", "pbm"]
    assert swept.best.model_type in ("pbm", "SweptPBM")
    assert "is better" in swept.text
    one, other = (
        next(ultr.load(run) for run in swept.runs if ultr.load(run).model_type == name) for name in ("pbm", "SweptPBM")
    )
    for ours, theirs in zip(one.parameters.values(), other.parameters.values()):
        np.testing.assert_array_equal(ours, theirs)


def test_a_dict_is_a_configuration(folder, parts):
    train, valid, test = parts
    config = {"data": {"train": train, "valid": valid}, "model": SweptPBM(), "train": {"epochs": 2}, "output": "first"}
    fit = ultr.run(config)
    expected = ultr.fit(SweptPBM(), train, valid, epochs=2)
    for name, values in expected.parameters.items():
        np.testing.assert_array_equal(fit.parameters[name], values)
    assert fit.folder.name == "first"
    assert ultr.run({**config, "output": "second"}, sweep={"seed": [1, 2]}).best.model_type == "SweptPBM"


def test_a_study_and_an_analysis_return_results(folder):
    (folder / "study.yaml").write_text(
        "study: small\nexperiment:\n  data: {format: simulation, sessions: 300, queries: 3}\n  train: {epochs: 1}\n"
        "grid: {model: {key: model, values: [pbm, gctr]}, seed: 1..2}\n"
        "measures: {ppl: test.cond_ppl}\nexpect:\n  - that: ppl > 1 for all model\n    why: It is a perplexity.\n"
        "  - that: ppl > 100 for all model\n    why: It is not so large.\n"
    )
    study = ultr.run("study.yaml", {"output": "a study"})
    assert study.exit_code == 4 and (folder / "a study/results.json").exists()
    assert [one["verdict"] for one in study.values["expectations"]] == ["held", "failed"]
    assert len(study.runs) == 4 and "<html" in study.report()
    analysis = ultr.run(
        {"analysis": {"type": "diagnosis", "data": {"format": "simulation", "sessions": 300, "queries": 3}}, "output": "analysis"}
    )
    assert analysis.values["analysis"] == "diagnosis"


def test_simulate_writes_data_for_others(folder):
    made = ultr.simulate(
        {"data": {"format": "simulation", "sessions": 200, "queries": 3}}, format="table", output="simulated"
    )
    assert set(made.frames) == {"train", "valid", "test"} and len(made.frames["train"]["session"].unique()) == 200


@pytest.mark.parametrize(
    "call, message",
    [
        (lambda: ultr.diagnose("nowhere.yaml"), "nowhere.yaml"),
        (lambda: ultr.labels("run", grades="many", format="csv"), "grades is 'many'"),
        (lambda: ultr.labels("run"), "features is missing; expected a CSV file of features, or format csv without them"),
        (lambda: ultr.run({"data": {"format": "simulation"}}, sweep={"seed": []}), "sweep has no values for 'seed'"),
        (lambda: ultr.run({"data": {"format": "nothing"}}), "data.format is 'nothing'"),
        (lambda: ultr.compare(["nowhere"]), "nowhere"),
    ],
)
def test_mistakes_are_one_line(folder, call, message):
    with pytest.raises(ValueError) as raised:
        call()
    assert message in str(raised.value) and "\n" not in str(raised.value)


def test_unknown_options_are_type_errors(folder):
    with pytest.raises(TypeError, match="unexpected keyword argument 'metod'"):
        ultr.estimate_bias("clicks.yaml", metod="ctr")
    with pytest.raises(TypeError, match="missing a required argument: 'config'"):
        ultr.diagnose()


def test_progress_is_one_line_or_silent(folder, capfd):
    ultr.diagnose("clicks.yaml", progress=False)
    ultr.run("clicks.yaml", {"output": "sweep"}, sweep={"seed": [1, 2]}, progress=False)
    out, err = capfd.readouterr()
    assert (out, err) == ("", "")
    ultr.run("clicks.yaml", {"output": "again"}, sweep={"seed": [1, 2]}, progress=True)
    out, err = capfd.readouterr()
    assert out == "" and "run 2 of 2: seed=2" in err and err.endswith("\n")


@pytest.mark.parametrize("command", ["run", "simulate"])
def test_an_interrupt_ends_a_command(tmp_path, command):
    begin = {
        "run": 'ultr.run(config, sweep={"seed": [1, 2]}, progress=True)',
        "simulate": 'ultr.simulate(config, output="out", progress=True)',
    }[command]
    program = (
        "import ultr\n"
        'config = {"data": {"format": "simulation", "sessions": 20000 if "%s" == "run" else 10**9, "queries": 10},'
        ' "train": {"epochs": 10**6, "early_stopping": 0}}\n'
        "try:\n    %s\nexcept KeyboardInterrupt:\n    print('interrupted')\n" % (command, begin)
    )
    process = subprocess.Popen([sys.executable, "-c", program], cwd=tmp_path, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    try:
        seen = b""
        while b"%" not in seen and b"1/1000000" not in seen:
            seen += process.stderr.read1()
            assert process.poll() is None, seen
        process.send_signal(signal.SIGINT)
        out, _ = process.communicate(timeout=60)
    finally:
        process.kill()
    assert out.strip() == b"interrupted"
    assert not (tmp_path / "out").exists()


@pytest.mark.parametrize("line", ["run 1 of 2", "2/1000000"])
def test_an_observer_that_fails_ends_training(folder, monkeypatch, line):
    class Failing:
        def __init__(self, command):
            pass

        def printed(self, text):
            if line in text:
                raise RuntimeError("the terminal is gone")

        def progress(self, work, unit, done, total):
            pass

        def close(self):
            pass

    monkeypatch.setattr("ultr._commands.CommandLine", Failing)
    with pytest.raises(RuntimeError, match="the terminal is gone"):
        ultr.run("clicks.yaml", {"train": {"epochs": 10**6, "early_stopping": 0}}, sweep={"seed": [1, 2]}, progress=True)


def test_commands_of_two_threads_wait_for_each_other(folder):
    texts = {}
    threads = [
        threading.Thread(target=lambda seed=seed: texts.update({seed: ultr.diagnose("clicks.yaml", {"seed": seed}).text}))
        for seed in (1, 2)
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    for seed, text in texts.items():
        assert text == ultr.diagnose("clicks.yaml", {"seed": seed}).text


MODULE = '''
import ultr

class Imported(ultr.ExaminationModel):
    """Position-based model."""
    examination = ultr.parameter("rank", "Examination")
    attraction = ultr.parameter("document", "Attraction")

    def story(self, s):
        return ultr.Examination(self.examination(s), self.attraction(s))
'''


def test_only_the_types_of_a_run_are_its_classes(parts, tmp_path):
    plain = ultr.fit(ultr.models.pbm(), parts[0], epochs=1, name="pbm vs SweptPBM").save(tmp_path / "plain")
    assert not (plain / "python_classes.json").exists()
    mixture = ultr.models.mixture(components=[SweptPBM(), ultr.models.gctr()])
    mixed = ultr.fit(mixture, parts[0], epochs=1).save(tmp_path / "mixed")
    assert list(json.loads((mixed / "python_classes.json").read_text())) == ["SweptPBM"]


def test_a_run_names_where_its_class_is_imported_from(folder):
    (folder / "shop_models.py").write_text(MODULE)
    python = lambda code: subprocess.run(  # noqa: E731
        [sys.executable, "-c", code], cwd=folder, capture_output=True, text=True, env={**os.environ, "PYTHONPATH": os.environ["PYTHONPATH"] + ":."}
    )
    trained = python(
        "import ultr, shop_models\n"
        "fit = ultr.run('clicks.yaml', {'model': shop_models.Imported()})\n"
        "import pickle; pickle.dump(fit, open('fit.pickle', 'wb'))\n"
    )
    assert trained.returncode == 0, trained.stderr
    assert python("import ultr, shop_models; print(ultr.load('run').model_type)").stdout == "Imported\n"
    assert python("import ultr; print(ultr.load('run', trust=True).model_type)").stdout == "Imported\n"
    assert python("import pickle; print(pickle.load(open('fit.pickle', 'rb')).model_type)").stdout == "Imported\n"
    refused = python("import ultr; ultr.load('run')").stderr
    assert "DataError: run: its model is the class Imported of module shop_models, which is code" in refused
    (folder / "shop_models.py").unlink()
    assert "No module named 'shop_models'" in python("import ultr; ultr.load('run', trust=True)").stderr
