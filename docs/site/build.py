"""Builds the site of the documentation in build/docs/html: `./dev docs`.

The pages of docs/ are copied to build/docs/source, beside those that are generated: the gallery of reports, the Python
package and the C++ headers. Warnings of Sphinx are errors.
"""

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path
from xml.etree import ElementTree

ROOT = Path(__file__).resolve().parents[2]
BUILD = ROOT / "build/docs"
SOURCE = BUILD / "source"

#: Headers of each room that users of the library include.
HEADERS = {
    "Automatic differentiation": [
        "autograd/tape/tape.h", "autograd/tape/tensor.h", "autograd/ops/arithmetic.h", "autograd/ops/logspace.h",
        "autograd/ops/segments.h", "autograd/ops/pairwise.h", "autograd/gradient_check.h",
    ],
    "Click models and losses": [
        "dsl/click_model.h", "dsl/prob.h", "dsl/session.h", "dsl/model_options.h", "losses/ranking_loss.h", "losses/lists.h",
    ],
    "Layers and optimizers": ["layers/logit_layer.h", "optim/optimizer.h"],
    "Data": [
        "data/log/session_log.h", "data/log/pair_dictionary.h", "data/log/dataset.h", "data/log/feature_table.h",
        "data/text/raw_log.h", "data/formats/log_format.h", "data/formats/feature_format.h",
    ],
    "Metrics": ["metrics/metrics.h", "metrics/significance.h"],
    "Options and experiments": [
        "options/fields.h", "experiment/registry.h", "experiment/plugin.h", "experiment/data_options.h", "runs/saved_model.h",
        "commands/program.h",
    ],
}

#: Reports of the gallery: a title, what it shows, and the arguments of ultr-run that make it.
GALLERY = {
    "quickstart": ("A run", "learning curve, examination by rank and results", ["configs/quickstart.yaml", "data.sessions=100000"]),
    "choice": (
        "A choice of models", "all click models on one log, tested against the best",
        ["choose", "configs/quickstart.yaml", "data.sessions=20000", "train.epochs=3"],
    ),
    "sweep": (
        "A sweep", "models and seeds, with intervals and paired tests",
        ["configs/quickstart.yaml", "data.sessions=20000", "train.epochs=3", "model=pbm,dbn,gctr", "seed=1..3"],
    ),
    "study": (
        "A study", "claims of a paper and its figures", ["configs/papers/bias_estimates.yaml", "analysis.data.sessions=30000"],
    ),
}


def copy_pages() -> None:
    shutil.rmtree(SOURCE, ignore_errors=True)
    shutil.copytree(ROOT / "docs", SOURCE, ignore=shutil.ignore_patterns("__pycache__"))
    reference = SOURCE / "reference/README.md"
    reference.write_text(reference.read_text() + "\n```{toctree}\n:hidden:\n:glob:\n\n*\n```\n")
    for name in ("examples", "README.md"):  # that pages link to
        link = BUILD / name
        if not link.is_symlink():
            link.symlink_to(ROOT / name)


def make_gallery(extra: Path) -> None:
    program, page = ROOT / "build/release/ultr-run", ["# Gallery", "", "Reports as `ultr-run` writes them, made by these commands."]
    shutil.rmtree(extra, ignore_errors=True)
    (extra / "gallery").mkdir(parents=True)
    for name, (title, what, arguments) in GALLERY.items():
        folder = BUILD / "gallery" / name
        shutil.rmtree(folder, ignore_errors=True)
        given = ["--output", str(folder)] if arguments[0] == "choose" else [f"output={folder}"]
        done = subprocess.run([program, *arguments, *given], cwd=ROOT, capture_output=True, text=True)
        if done.returncode not in (0, 4):  # 4: an expectation failed, on so few sessions
            sys.exit(f"{' '.join(arguments)}: {done.stderr}")
        report = next(folder / one for one in ("report.html", "comparison.html") if (folder / one).exists())
        for one in folder.rglob("*.html"):  # those of runs, too, which others lead to
            copy = extra / "gallery" / name / one.relative_to(folder)
            copy.parent.mkdir(parents=True, exist_ok=True)
            shutil.copy(one, copy)
        shown = f"ultr-run {' '.join(arguments)}"
        page += ["", f"## {title}", "", f"<a href=\"../gallery/{name}/{report.name}\">{title}</a>: {what}.", "", "```sh", shown, "```"]
    (SOURCE / "site/gallery.md").write_text("\n".join(page) + "\n")


def make_python_page() -> None:
    sys.path.insert(0, str(ROOT / "build/release/python"))
    import ultr
    from ultr import _commands, _types

    commands = _commands.names()
    page = ["# Python", "", "[Use ultr from Python](../python.md) introduces the package.", "", "```{eval-rst}", ".. py:module:: ultr", ""]
    for name in ultr.__all__:
        value = getattr(ultr, name)
        if isinstance(value, type):
            page += [f".. autoclass:: ultr.{name}", "   :members:", ""]
        elif callable(value) and not name[0].isupper():
            page += [f".. autofunction:: ultr.{name}", ""]
    page += ["```", "", "## Commands", "", "Each does what `ultr-run` does with the same options, and returns `ultr.Results`.", "", "```{eval-rst}"]
    for name in commands:
        page += [f".. autofunction:: ultr.{name}", ""]
    page += ["```", "", "## Types", "", "| module | types |", "|---|---|"]
    for group in _types.GROUPS:
        module = getattr(ultr, group.replace("-", "_"))
        page.append(f"| `{module.__name__}` | {', '.join(f'`{one}`' for one in dir(module))} |")
    page += ["", "[The reference](../reference/README.md) has their options.", ""]
    page += ["## Autograd", "", "```{eval-rst}", ".. automodule:: ultr.autograd", "", ".. autofunction:: ultr.autograd.check_gradient", "```"]
    ops = ", ".join(f"`{op}`" for op in ultr.autograd._OPS)
    page += ["", f"Ops: {ops}."]
    (SOURCE / "site/python-api.md").write_text("\n".join(page) + "\n")


def make_cpp_pages() -> None:
    folder = SOURCE / "site/cpp"
    folder.mkdir()
    names = []
    for title, headers in HEADERS.items():
        names.append(title.lower().replace(" ", "-"))
        page = [f"# {title}", ""]
        for header in headers:
            page += [f"## {header}", "", "```{eval-rst}", f".. doxygenfile:: {header}", "```", ""]
        (folder / f"{names[-1]}.md").write_text("\n".join(page))
    toctree = "\n".join(["# C++ headers", "", "`#include <ultr/...>`; `find_package(ultr)` finds them.", "", "```{toctree}", *names, "```", ""])
    (folder / "index.md").write_text(toctree)
    files = " ".join(str(ROOT / header) for headers in HEADERS.values() for header in headers)
    settings = f"""
INPUT = {files}
OUTPUT_DIRECTORY = {BUILD / 'doxygen'}
STRIP_FROM_PATH = {ROOT}
GENERATE_HTML = NO
GENERATE_LATEX = NO
GENERATE_XML = YES
XML_PROGRAMLISTING = NO
EXTRACT_ALL = YES
QUIET = YES
WARNINGS = NO
JAVADOC_AUTOBRIEF = YES
MARKDOWN_SUPPORT = YES
"""
    (BUILD / "doxygen").mkdir(exist_ok=True)
    subprocess.run(["doxygen", "-"], input=settings, text=True, check=True)
    namespace = BUILD / "doxygen/xml/namespaceultr.xml"  # has the descriptions of all headers, to be shown with each
    whole = ElementTree.parse(namespace)
    for description in whole.getroot().findall("./compounddef/*"):
        if description.tag.endswith("description"):
            description.clear()
    whole.write(namespace)


def main() -> None:
    BUILD.mkdir(parents=True, exist_ok=True)
    copy_pages()
    make_gallery(BUILD / "extra")
    make_python_page()
    make_cpp_pages()
    html = BUILD / "html"
    shutil.rmtree(html, ignore_errors=True)
    environment = {**os.environ, "ULTR_ROOT": str(ROOT), "ULTR_DOXYGEN": str(BUILD / "doxygen/xml"), "PYTHONDONTWRITEBYTECODE": "1"}
    sphinx = [sys.executable, "-m", "sphinx", "-q", "-W", "--keep-going", "-b", "html", "-c", SOURCE / "site", SOURCE, html]
    if subprocess.run([*sphinx, "-d", BUILD / "doctrees"], env=environment).returncode != 0:
        sys.exit(1)
    print(json.dumps({"pages": len(list(html.rglob("*.html"))), "site": str(html / "site/index.html")}))


if __name__ == "__main__":
    main()
