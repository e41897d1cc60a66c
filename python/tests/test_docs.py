"""The Python blocks of the documentation run."""

import re
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
PAGES = [ROOT / "README.md", *sorted((ROOT / "docs").glob("**/*.md"))]


def python_blocks(page: Path):
    text = page.read_text()
    for block in re.finditer(r"^```python\n(.*?)^```$", text, re.MULTILINE | re.DOTALL):
        if text[: block.start()].splitlines()[-1].startswith("<!-- not run"):
            continue
        yield text[: block.start()].count("\n") + 2, block.group(1)


@pytest.mark.parametrize("page", [page for page in PAGES if list(python_blocks(page))], ids=lambda page: page.name)
def test_blocks_of_a_page_run_one_after_the_other(page, tmp_path, monkeypatch, frame):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "configs").symlink_to(ROOT / "configs")
    names = {"__name__": "__main__"}
    if page.name == "README.md":
        names["clicks"] = frame.rename(columns={"document": "product"})
    for line, block in python_blocks(page):
        exec(compile("\n" * (line - 1) + block, str(page), "exec"), names)


def test_the_guide_has_blocks():
    assert len(list(python_blocks(ROOT / "docs/python.md"))) >= 6
