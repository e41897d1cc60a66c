"""The site of the documentation, for Sphinx. `./dev docs` prepares the sources and runs it (build.py)."""

import logging
import os
import re
import sys
from pathlib import Path

from docutils import nodes
from sphinx.transforms.post_transforms import SphinxPostTransform

ROOT = Path(os.environ["ULTR_ROOT"])
sys.path.insert(0, str(ROOT / "build/release/python"))

project = "ultr"
version = release = re.search(r"project\(ultr VERSION ([0-9.]+)", (ROOT / "CMakeLists.txt").read_text()).group(1)
copyright = author = "the authors of ultr"
root_doc = "site/index"
extensions = ["myst_parser", "sphinx.ext.autodoc", "breathe"]
myst_heading_anchors = 4
exclude_patterns = ["site/*.py", "site/*.css"]

html_theme = "furo"
html_title = f"ultr {version}"
html_static_path = ["site.css"]
html_css_files = ["site.css"]
html_extra_path = ["../../extra"]
html_show_sphinx = False
html_copy_source = False
pygments_style = "friendly"

autodoc_member_order = "bysource"
autodoc_typehints = "none"
breathe_projects = {"ultr": os.environ["ULTR_DOXYGEN"]}
breathe_default_project = "ultr"


class NamespaceOnEveryPage(logging.Filter):
    """Lets every header declare the namespace."""

    def filter(self, record):
        return "Declaration is '.. cpp:type:: ultr'." not in record.getMessage()


def arguments_as_definitions(app, what, name, obj, options, lines):
    """Turns blocks of docstrings with lines such as `epochs:  number of passes` into lists of definitions."""
    entry = re.compile(r"^([a-z][\w.()]*(?:, [\w.()]+)*): +(\S.*)$")
    blocks = "\n".join(lines).split("\n\n")
    for i, block in enumerate(blocks):
        rows = block.split("\n")
        if entry.match(rows[0]) and all(entry.match(row) or row.startswith("  ") for row in rows):
            text = (f"``{m.group(1)}``\n    {m.group(2)}" if (m := entry.match(row)) else f"    {row.strip()}" for row in rows)
            blocks[i] = "\n".join(text)
        elif any(row.startswith("    ") for row in rows) and i > 0 and not blocks[i - 1].endswith("::"):
            blocks[i] = "::\n\n" + block
    lines[:] = "\n\n".join(blocks).split("\n")


class BesideEachOther(SphinxPostTransform):
    """Puts blocks for the command line and the one for Python that follows them beside each other."""

    default_priority = 900

    def run(self, **kwargs):
        for python in list(self.document.findall(nodes.literal_block)):
            if python.get("language") != "python":
                continue
            siblings, before = python.parent.children, []
            for node in reversed(siblings[: siblings.index(python)]):
                if isinstance(node, nodes.literal_block) and node.get("language") in ("console", "yaml"):
                    before.insert(0, node)
                elif not isinstance(node, nodes.comment):
                    break
            if not before:
                continue
            both = nodes.container(classes=["beside"])
            python.replace_self(both)
            for node in before:
                node.parent.remove(node)
            both += [nodes.container("", *before), python]


def setup(app):
    logging.getLogger("sphinx.sphinx.domains.cpp").addFilter(NamespaceOnEveryPage())
    app.connect("autodoc-process-docstring", arguments_as_definitions)
    app.add_post_transform(BesideEachOther)
