"""The package as a whole: its version, its import."""

import re
import subprocess
import sys
from pathlib import Path

import ultr


def test_version_is_that_of_the_library(ultr_run, tmp_path):
    assert ultr.__version__ == ultr_run("--version", cwd=tmp_path).split()[0]  # the library's instructions follow


def test_import_needs_numpy_only():
    code = "import sys, ultr; print(*sorted({name.split('.')[0] for name in sys.modules}))"
    loaded = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout.split()
    assert "numpy" in loaded
    assert not {"pandas", "IPython", "matplotlib", "pyarrow"} & set(loaded)


def test_every_name_of_all_exists():
    for name in ultr.__all__:
        assert getattr(ultr, name) is not None


def test_project_files_name_the_same_python():
    root = Path(__file__).resolve().parents[2]
    project = (root / "pyproject.toml").read_text()
    assert re.search(r'requires-python = ">=3.9"', project)
    assert re.search(r"find_package\(Python 3.9 ", (root / "cmake/dependencies.cmake").read_text())


def test_types_are_right(tmp_path):
    root = Path(__file__).resolve().parents[2]
    mypy = subprocess.run(
        ["mypy", "--config-file", root / "pyproject.toml", "--python-executable", sys.executable,
         "--cache-dir", tmp_path, "ultr"],
        capture_output=True, text=True, cwd=root / "python",
    )
    assert mypy.returncode == 0, mypy.stdout + mypy.stderr


WELL_TYPED = """
import ultr

log: ultr.ClickLog = ultr.read(ultr.data_formats.simulation(sessions=10)).train
model = ultr.models.pbm(attraction=ultr.layers.mlp(widths=[8]), examination={"start": 0.9})
optimizer = ultr.AdamW(lr=0.01, schedule=ultr.schedules.cosine())
fit: ultr.Fit = ultr.fit(model, log, optimizer=optimizer)
bias: ultr.Results = ultr.estimate_bias(log, methods=["all_pairs"], resamples=20)
compared = ultr.compare([fit, "runs/1"], metrics=["valid.ll"])


class Softmax(ultr.RankingLoss):
    def loss(self, lists: ultr.Lists) -> ultr.autograd.Tensor:
        return -lists.sum(lists.targets() * ultr.autograd.exp(2 * lists.scores() ** 2))


ultr.models.pmb()  # type: ignore[attr-defined]
ultr.estimate_biases(log)  # type: ignore[attr-defined]
ultr.estimate_bias(log, resample=20)  # type: ignore[call-arg]
ultr.estimate_bias(log, resamples="20")  # type: ignore[arg-type]
ultr.AdamW(lr="fast")  # type: ignore[arg-type]
ultr.SGD(0.1)  # type: ignore[misc]
ultr.layers.mlp(activation="sine")  # type: ignore[arg-type]
ultr.autograd.cosh(1)  # type: ignore[attr-defined]
"""


def test_mypy_knows_types_commands_and_ops(tmp_path):
    root = Path(__file__).resolve().parents[2]
    (tmp_path / "program.py").write_text(WELL_TYPED)
    mypy = subprocess.run(
        ["mypy", "--config-file", root / "pyproject.toml", "--python-executable", sys.executable,
         "--cache-dir", tmp_path / "cache", tmp_path / "program.py"],
        capture_output=True, text=True, cwd=root / "python",
    )
    assert mypy.returncode == 0, mypy.stdout + mypy.stderr  # an "ignore" that nothing needs is an error, too


def test_stubs_are_those_of_the_declarations(tmp_path):
    folder = Path(__file__).resolve().parents[1]
    subprocess.run([sys.executable, folder / "stubs/write_stubs.py", tmp_path], check=True)
    written = sorted(file.name for file in tmp_path.iterdir())
    assert {"models.pyi", "autograd.pyi", "_command_functions.pyi"} <= set(written)
    by_hand = {"_core.pyi", "_arguments.pyi", "_tape.pyi"}
    assert written == sorted(file.name for file in (folder / "ultr").glob("*.pyi") if file.name not in by_hand)
    for name in written:
        assert (tmp_path / name).read_text() == (folder / "ultr" / name).read_text(), f"{name} is not what python/stubs/write_stubs.py writes"


def test_stubs_name_what_the_extension_has():
    from ultr import _core

    stubs = (Path(__file__).resolve().parents[1] / "ultr/_core.pyi").read_text()
    stubbed = set(re.findall(r"^(?:class |def )?(\w+)(?:\(|:)", stubs, re.MULTILINE))
    assert stubbed - {"__version__"} == {name for name in dir(_core) if not name.startswith("_")}
    for name, body in re.findall(r"^class (\w+).*?:\n((?:(?:    .*)?\n)*)", stubs, re.MULTILINE):
        methods = set(re.findall(r"    def (\w+)", body)) - {"__init__"}
        assert methods <= set(dir(getattr(_core, name))), name
