"""Click logs from tables in memory."""

from __future__ import annotations

import itertools
import os
import tempfile
import warnings
from pathlib import Path
from typing import Any, Dict, List, Optional, Sequence, Tuple, Union

import numpy as np

from ultr import _core
from ultr._columns import column, is_pandas, times


#: The arguments of a log that are columns of a table, as the format ``table`` has them.
COLUMNS = ("session", "query", "document", "position", "click", "propensity", "time", "user", "weight",
           "viewed", "skipped", "dwell")
#: Those that every log has in a file.
_WRITTEN = ("session", "query", "document", "position", "click")


class ClickLog:
    """Sessions: lists of documents that were shown, with the clicks on them.

    A log is made from a table with one row per shown document (``from_dataframe``, ``from_arrays``). It does not
    change afterwards, and its parts share their memory with it.
    """

    def __init__(self, core: _core.ClickLog, names: Optional[Dict[str, str]] = None) -> None:
        self._core = core
        self._names = {} if names is None else names  # of the columns that it was made from
        self._file: Optional[Path] = None

    @classmethod
    def from_dataframe(
        cls,
        frame: Any,
        *,
        document: str,
        session: Optional[str] = None,
        query: Optional[str] = None,
        position: Optional[str] = None,
        click: Optional[str] = None,
        propensity: Optional[str] = None,
        time: Optional[str] = None,
        user: Optional[str] = None,
        weight: Optional[str] = None,
        viewed: Optional[str] = None,
        skipped: Optional[str] = None,
        dwell: Optional[str] = None,
        features: Sequence[str] = (),
        bias_features: Sequence[str] = (),
        first_position: Any = "found",
    ) -> ClickLog:
        """Makes a log of a data frame with one row per shown document: pandas', or any object with
        ``__arrow_c_stream__``, such as polars', pyarrow's and DuckDB's. The arguments are names of columns.

        Rows with the same session and query are a list, wherever they stand. Sessions, queries and documents are
        whole numbers, texts or categories. Positions are whole numbers; ``first_position`` is the number of the
        first (0 or 1), by default 0 if the column has a 0. Without positions, documents are shown in the order of
        the rows. Clicks are booleans, or 0 and 1; without them the log can only be predicted and sampled.

        propensity:    the logging policy's probability of its choice, above 0 and at most 1
        time:          dates or whole numbers, in whose order lists are; else that of their first rows
        user:          equal sessions of different users are different lists
        weight:        the number of sessions that a list stands for, in its first row
        viewed:        1 if the document was in the user's viewport, else 0
        skipped:       1 if the user passed over the document, else 0
        dwell:         seconds that the user stayed on a clicked document; 0 if unknown
        features:      columns of numbers that towers read
        bias_features: columns of numbers that describe how a document was shown; only towers over ranks read them

        Raises DataError, with the column and the row, for a missing value or one of the wrong type.
        """
        arguments = locals()
        names = {name: arguments[name] for name in COLUMNS if arguments[name] is not None}
        every = list(dict.fromkeys([*names.values(), *features, *bias_features]))
        if hasattr(frame, "__arrow_c_stream__") and not is_pandas(frame):
            read = _core.arrow_columns(frame, [str(name) for name in every])
            given = {argument: read[str(name)] for argument, name in names.items()}
            numbers = {str(name): read[str(name)] for name in (*features, *bias_features)}
        else:
            _expect_columns(frame, {**names, **{f"features[{i}]": name for i, name in enumerate(features)},
                                    **{f"bias_features[{i}]": name for i, name in enumerate(bias_features)}})
            given = _columns({argument: (frame[name], name) for argument, name in names.items()})
            numbers = {str(name): column(frame[name], str(name)) for name in (*features, *bias_features)}
        for name in (*features, *bias_features):
            for argument in ("session", "query", "document"):
                if names.get(argument) == name:
                    raise _core.DataError(f"column {name!r} is the {argument} and a feature; expected one of them")
        _expect_distinct(numbers, len(features) + len(bias_features))
        named = {argument: str(name) for argument, name in names.items()}
        return cls._of_columns(given, list(numbers.values()), len(bias_features), first_position, named)

    @classmethod
    def from_arrays(
        cls,
        *,
        document: Any,
        session: Any = None,
        query: Any = None,
        position: Any = None,
        click: Any = None,
        propensity: Any = None,
        time: Any = None,
        user: Any = None,
        weight: Any = None,
        viewed: Any = None,
        skipped: Any = None,
        dwell: Any = None,
        features: Optional[Dict[str, Any]] = None,
        bias_features: Optional[Dict[str, Any]] = None,
        first_position: Any = "found",
    ) -> ClickLog:
        """Makes a log of arrays or lists of equal length, one entry per shown document (see from_dataframe). Features
        are arrays by name."""
        arguments = locals()
        given = _columns({name: (arguments[name], name) for name in COLUMNS if arguments[name] is not None})
        first, last = features or {}, bias_features or {}
        numbers = {str(name): column(values, str(name)) for name, values in (*first.items(), *last.items())}
        _expect_distinct(numbers, len(first) + len(last))
        return cls._of_columns(given, list(numbers.values()), len(last), first_position, {})

    @classmethod
    def _of_columns(
        cls,
        columns: Dict[str, _core.Column],
        features: List[_core.Column],
        bias_features: int,
        first_position: Any,
        names: Dict[str, str],
    ) -> ClickLog:
        if str(first_position) not in ("found", "0", "1"):
            raise ValueError(f"first_position is {first_position!r}; expected 0, 1 or 'found'")
        if features and len(features) == bias_features:
            raise _core.DataError("all features are bias_features; expected some to be left for relevance")
        core = _core.build_log(columns, features, bias_features, str(first_position))
        for note in core.notes:
            warnings.warn(note, stacklevel=3)
        return cls(core, names)

    def split(
        self, valid: float = 0.0, test: float = 0.0, seed: int = 1, by: str = "session"
    ) -> Tuple[ClickLog, ClickLog, ClickLog]:
        """Splits the log into training, validation and test sessions.

        ``by`` is "session" (each session is drawn by itself), "query" (all sessions of a query stay together) or
        "time" (the last sessions are held out). The parts are those that ``data.split`` of a configuration makes of
        the same table with the same seed.
        """
        if not (0 <= valid and 0 <= test and valid + test < 1):
            raise ValueError(f"valid is {valid} and test is {test}; expected shares from 0 that sum below 1")
        if by not in ("session", "query", "time"):
            raise ValueError(f"by is {by!r}; expected session, query or time")
        train, held_out, last = self._core.split(valid, test, seed, by)
        return ClickLog(train, self._names), ClickLog(held_out, self._names), ClickLog(last, self._names)

    def __len__(self) -> int:
        """Number of sessions: lists that were shown."""
        return self._core.sessions

    @property
    def documents(self) -> int:
        """Number of documents that were shown, over all sessions."""
        return self._core.documents

    @property
    def positions(self) -> int:
        """The last position at which a document was shown, from 1."""
        return self._core.positions

    @property
    def click_rate(self) -> float:
        """Share of documents that were clicked."""
        return self._core.click_rate

    @property
    def features(self) -> List[str]:
        """The names of the features of documents; the last of them are bias features, if there are any."""
        return self._core.features

    def save(self, file: Union[str, "os.PathLike[str]"]) -> Path:
        """Writes the log as a CSV file with one row per shown document, which ultr-run reads as format ``table``."""
        self._core.write_table(Path(file), self._column_names())
        return Path(file)

    def with_names(self, names: Dict[str, str]) -> ClickLog:
        """Returns the same log, whose columns ``save`` writes under the names of another's."""
        return self if names == self._names else ClickLog(self._core, names)

    def file(self) -> Path:
        """Returns a temporary file of ``save`` that lives as long as the process."""
        if self._file is None:
            self._file = self.save(Path(_temporary_folder()) / f"log-{next(_numbers)}.csv")
        return self._file

    def data_options(self, positions: int = 0) -> Dict[str, Any]:
        """Returns the section ``data`` of a configuration that reads what ``save`` writes, without its files."""
        columns: Dict[str, Any] = {}
        for argument, name in self._column_names().items():
            is_read_if_named = argument not in _WRITTEN and (argument != "propensity" or self._core.has_propensities)
            if name != argument or is_read_if_named:
                columns[argument] = name
        if self.features:
            first_bias = len(self.features) - self._core.bias_features
            columns.update({"features": self.features[:first_bias], "bias_features": self.features[first_bias:]})
            reader = {"type": "table", "columns": columns}
            return {"format": "feature_lists", "reader": reader, "learn_from": "clicks"}
        most = max(positions, self.positions)
        return {
            "format": "table",
            **({"columns": columns} if columns else {}),
            **({"max_positions": most} if most > _USUAL_POSITIONS else {}),
        }

    def _column_names(self) -> Dict[str, str]:
        """Returns the names of the columns that ``save`` writes, by argument: those of the columns that the log was made
        from, with an underscore before a name that another column has."""
        written = (*_WRITTEN, "propensity", *self._core.signals)
        names: Dict[str, str] = {}
        for argument in sorted(written, key=lambda one: one not in self._names):
            name = self._names.get(argument, argument)
            is_its_own = argument in self._names and name not in names.values()
            while not is_its_own and name in (*names.values(), *self.features):
                name = f"_{name}"
            names[argument] = name
        return {argument: names[argument] for argument in written}

    def to_arrays(self) -> Dict[str, np.ndarray[Any, Any]]:
        """Returns arrays with one entry per shown document: list (from 0), query, document, position (from 1), click,
        and propensity, signals and features if the log has them. A feature with the name of another of these, such as
        click, has an underscore before it."""
        return self._core.columns()

    def to_dataframe(self) -> Any:
        """Returns ``to_arrays`` as a pandas data frame."""
        import pandas

        return pandas.DataFrame(self.to_arrays())

    def __repr__(self) -> str:
        return (
            f"<ultr.ClickLog: {len(self)} sessions, {self.documents} documents, "
            f"{self.positions} positions, click rate {self.click_rate:.4f}>"
        )


def core_of(log: Any, name: str) -> _core.ClickLog:
    """Returns the log in the extension of an argument that must be a ClickLog."""
    if not isinstance(log, ClickLog):
        raise ValueError(f"{name} is a {type(log).__name__}; expected a ClickLog (ClickLog.from_dataframe makes one)")
    return log._core


def _expect_columns(frame: Any, names: Dict[str, str]) -> None:
    if not hasattr(frame, "columns"):
        found = type(frame).__name__
        raise ValueError(f"frame is a {found}; expected a data frame (from_arrays takes arrays, ultr.read reads files)")
    known = list(frame.columns)
    for argument, name in names.items():
        if name not in known:
            shown = ", ".join(str(one) for one in known)
            raise _core.DataError(f"{argument}={name!r} is no column of the frame; expected one of {shown}")


def _expect_distinct(features: Dict[str, _core.Column], count: int) -> None:
    if len(features) < count:
        raise _core.DataError("a column is twice among features and bias_features; expected each once")


def _columns(given: Dict[str, Tuple[Any, str]]) -> Dict[str, _core.Column]:
    return {
        argument: (times if argument == "time" else column)(values, str(name))
        for argument, (values, name) in given.items()
    }


#: Positions of a list that the format ``table`` reads by default.
_USUAL_POSITIONS = 100


#: Of temporary files.
_numbers = itertools.count(1)


def _temporary_folder() -> str:
    global _folder
    if _folder is None:
        _folder = tempfile.TemporaryDirectory(prefix="ultr-logs-")
    return _folder.name


_folder: Optional[tempfile.TemporaryDirectory[str]] = None


def frame_or_arrays(columns: Dict[str, np.ndarray[Any, Any]]) -> Any:
    """Returns a pandas data frame, or the columns themselves where there is no pandas."""
    try:
        import pandas
    except ImportError:
        return columns
    return pandas.DataFrame(columns)

