"""The site of the documentation names pages, headers and configurations that exist."""

import importlib.util
import re
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]


def site_module(name):
    spec = importlib.util.spec_from_file_location(name, ROOT / f"docs/site/{name}.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def test_every_page_is_in_the_contents():
    contents = (ROOT / "docs/site/index.md").read_text()
    named = {one for block in re.findall(r"```{toctree}\n(.*?)```", contents, re.DOTALL) for one in block.split()}
    pages = {str(page.relative_to(ROOT / "docs").with_suffix("")) for page in (ROOT / "docs").rglob("*.md")}
    expected = {f"../{page}" for page in pages if not page.startswith(("site/", "reference/"))}
    assert expected <= named
    assert {one for one in named if one.startswith("../")} == expected | {"../reference/README"}


def test_headers_and_examples_exist():
    build = site_module("build")
    for headers in build.HEADERS.values():
        for header in headers:
            assert (ROOT / header).exists(), header
    for title, what, arguments in build.GALLERY.values():
        config = next(one for one in arguments if one.endswith(".yaml"))
        assert (ROOT / config).exists(), title


def test_the_check_finds_dead_links_and_outside_scripts(tmp_path, monkeypatch):
    check = site_module("check")
    monkeypatch.setattr(check, "HTML", tmp_path)
    (tmp_path / "good.html").write_text('<a href="other.html#here">x</a><a href="https://debian.org">y</a>')
    (tmp_path / "other.html").write_text('<p id="here"><a href="good.html">x</a>')
    (tmp_path / "bad.html").write_text(
        '<a href="none.html">x</a><a href="other.html#there">y</a><script src="https://example.org/x.js"></script>'
    )
    pages = {file: check.Page(file) for file in sorted(tmp_path.glob("*.html"))}
    assert list(check.link_errors(pages)) == [
        "bad.html: loads https://example.org/x.js; expected files of the site alone",
        "bad.html: none.html leads nowhere",
        "bad.html: other.html#there names no anchor",
    ]
