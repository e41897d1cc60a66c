"""The package as a whole: its version, its import."""

import re
import subprocess
import sys
from pathlib import Path

import ultr


def test_version_is_that_of_the_library(ultr_run, tmp_path):
    assert ultr.__version__ == ultr_run("--version", cwd=tmp_path).strip()


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


def test_stubs_name_what_the_extension_has():
    from ultr import _core

    stubs = (Path(__file__).resolve().parents[1] / "ultr/_core.pyi").read_text()
    stubbed = set(re.findall(r"^(?:class |def )?(\w+)(?:\(|:)", stubs, re.MULTILINE))
    assert stubbed - {"__version__"} == {name for name in dir(_core) if not name.startswith("_")}
    for name, body in re.findall(r"^class (\w+).*?:\n((?:(?:    .*)?\n)*)", stubs, re.MULTILINE):
        methods = set(re.findall(r"    def (\w+)", body)) - {"__init__"}
        assert methods <= set(dir(getattr(_core, name))), name
