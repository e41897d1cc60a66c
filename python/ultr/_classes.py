"""Runs whose models are Python classes: their folders name where the classes are imported from."""

from __future__ import annotations

import importlib
import json
import re
from pathlib import Path
from typing import Dict

from ultr import _core
from ultr._types import known

#: In the folder of a run: the import path of each class, "module:name", by the name of its type.
CLASSES_FILE = "python_classes.json"


def save_classes(folder: Path) -> None:
    """Writes the import paths of the classes that the configurations of runs below a folder name."""
    for config in [folder / "config.yaml", *folder.glob("*/config.yaml")]:
        if not config.exists():
            continue
        text = config.read_text()
        paths = {
            name: f"{one.__module__}:{one.__qualname__}"
            for name, one in known.classes.items()
            if re.search(rf"(?m)^[ -]*(type|model|loss|user): {re.escape(name)}$", text)
        }
        if paths:
            (config.parent / CLASSES_FILE).write_text(json.dumps(paths, indent=1) + "\n")


def import_classes(folder: Path, trust: bool) -> None:
    """Imports the classes of a run that are not defined yet. Raises DataError if it is not trusted, or names none."""
    file = folder / CLASSES_FILE
    if not file.exists():
        return
    paths: Dict[str, str] = json.loads(file.read_text())
    for name, path in paths.items():
        if name in known.classes:
            continue
        module = path.split(":")[0]
        if module == "__main__":
            raise _core.DataError(f"{folder}: its model is the class {name} of a program; expected it to be defined here, too")
        if not trust:
            raise _core.DataError(
                f"{folder}: its model is the class {name} of module {module}, which is code and is not imported; "
                f"expected 'import {module}' before, or trust=True"
            )
        try:
            importlib.import_module(module)
        except ImportError as error:
            raise _core.DataError(f"{folder}: its model is the class {name} of module {module}: {error}") from None
        if name not in known.classes:
            raise _core.DataError(f"{folder}: module {module} has no class {name} of a model; expected that of {file.name}")
