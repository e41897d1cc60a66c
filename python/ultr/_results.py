"""What commands return: text, numbers, tables and folders of runs."""

from __future__ import annotations

import csv
import html
import json
import re
from pathlib import Path
from typing import Any, Callable, Dict, List, Optional

import numpy as np


class Results:
    """What a command has done (``ultr.diagnose``, ``ultr.compare``, ...), a sweep, or a study.

    In a notebook it shows its report, or else what the command prints.
    """

    def __init__(self, done: Dict[str, Any], path: Optional[Path], load: Callable[[Path], Any], kept: Any) -> None:
        self._load = load
        self._kept = kept  # a temporary folder lives as long as this
        #: What ultr-run prints.
        self.text: str = done["text"]
        #: 0: done; 1: some runs failed; 4: an expectation of a study failed.
        self.exit_code: int = done["exit_code"]
        #: The file or folder that the command has written, if it writes one.
        self.path = path
        values: Dict[str, Any] = json.loads(done["results"])
        #: The numbers, as in results.json or comparison.json.
        self.values = values or self._written_values()

    def _written_values(self) -> Dict[str, Any]:
        for name in ("results.json", "comparison.json"):
            if self.path is not None and (self.path / name).is_file():
                values: Dict[str, Any] = json.loads((self.path / name).read_text())
                return values
        return {}

    @property
    def frames(self) -> Dict[str, Any]:
        """The tables that the command has written, as data frames, by the names of their files."""
        if self.path is None:
            return {}
        files = [self.path] if self.path.is_file() else sorted(self.path.glob("*.csv"))
        return {file.stem: _read_csv(file) for file in files if file.suffix == ".csv"}

    @property
    def frame(self) -> Any:
        """The only one of ``frames``."""
        frames = self.frames
        if len(frames) != 1:
            raise ValueError(f"there are {len(frames)} tables ({', '.join(frames)}); expected one (frames has them by name)")
        return next(iter(frames.values()))

    @property
    def runs(self) -> List[Path]:
        """The folders of the runs of a sweep, a study or a choice of models; those that failed too."""
        if self.path is None or not self.path.is_dir():
            return []
        return sorted(file.parent for file in self.path.glob("*/config.yaml"))

    @property
    def failures(self) -> Dict[str, str]:
        """Why runs failed, by the names of their folders."""
        return {run.name: (run / "failed.txt").read_text().strip() for run in self.runs if (run / "failed.txt").exists()}

    @property
    def best(self) -> Any:
        """The best run of a sweep by its validation sessions, or the model that a choice advises for prediction."""
        folder = self.values.get("selection", {}).get("run")
        chosen = self.values.get("for_prediction")
        if folder is None and chosen is not None and self.path is not None:
            folder = self.path / chosen
        if folder is None:
            raise ValueError("no run was selected; expected a sweep or a choice of models with validation sessions")
        return self._load(Path(folder))

    def report(self) -> Optional[str]:
        """Returns the report, a page of HTML with charts; None if the command writes none."""
        for name in ("report.html", "comparison.html"):
            if self.path is not None and (self.path / name).is_file():
                return (self.path / name).read_text()
        return None

    def _repr_html_(self) -> str:
        page = self.report()
        return f"<pre>{html.escape(self.text)}</pre>" if page is None else framed(page)

    def __repr__(self) -> str:
        return self.text.rstrip("\n") or f"<ultr.Results: {self.path}>"


def framed(page: str) -> str:
    """Returns a page of HTML for a cell of a notebook."""
    return f'<iframe srcdoc="{html.escape(page, quote=True)}" style="width: 100%; height: 600px; border: 0"></iframe>'


def _read_csv(file: Path) -> Any:
    try:
        import pandas
    except ImportError:
        with open(file, newline="", encoding="utf-8") as lines:
            header, *rows = csv.reader(lines)
        cells = {name: [row[i] for row in rows] for i, name in enumerate(header)}
        return {name: _ids(column) if name in _ID_COLUMNS else _numbers(column) for name, column in cells.items()}
    frame = pandas.read_csv(file, converters={name: str for name in _ID_COLUMNS})
    return frame.assign(**{name: _ids(list(frame[name])) for name in _ID_COLUMNS if name in frame})


#: Columns of ids, which may be texts such as "007" and "NA".
_ID_COLUMNS = ("session", "user", "query", "document")


def _ids(cells: List[str]) -> np.ndarray[Any, Any]:
    """Returns ids as whole numbers if that changes none of them, else as texts."""
    if all(re.fullmatch("0|-?[1-9][0-9]{0,17}", cell) for cell in cells):
        return np.array(cells, dtype=np.int64)
    return np.array(cells, dtype=object)


def _numbers(cells: List[str]) -> np.ndarray[Any, Any]:
    try:
        return np.array([float(cell) if cell else np.nan for cell in cells])
    except ValueError:
        return np.array(cells, dtype=object)


