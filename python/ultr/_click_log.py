"""Click logs from tables in memory."""

from __future__ import annotations

import warnings
from typing import Any, Dict, List, Optional, Tuple

import numpy as np

from ultr import _core
from ultr._columns import column, is_pandas, times


class ClickLog:
    """Sessions: lists of documents that were shown, with the clicks on them.

    A log is made from a table with one row per shown document (``from_dataframe``, ``from_arrays``). It does not
    change afterwards, and its parts share their memory with it.
    """

    def __init__(self, core: _core.ClickLog) -> None:
        self._core = core

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
        first_position: Any = "found",
    ) -> ClickLog:
        """Makes a log of a data frame with one row per shown document: pandas', or any object with
        ``__arrow_c_stream__``, such as polars', pyarrow's and DuckDB's. The arguments are names of columns.

        Rows with the same session and query are a list, wherever they stand. Sessions, queries and documents are
        whole numbers, texts or categories. Positions are whole numbers; ``first_position`` is the number of the
        first (0 or 1), by default 0 if the column has a 0. Without positions, documents are shown in the order of
        the rows. Clicks are booleans, or 0 and 1; without them the log can only be predicted.

        Raises DataError, with the column and the row, for a missing value or one of the wrong type.
        """
        names = {
            "session": session,
            "query": query,
            "document": document,
            "position": position,
            "click": click,
            "propensity": propensity,
            "time": time,
        }
        if hasattr(frame, "__arrow_c_stream__") and not is_pandas(frame):
            return cls._of_arrow(frame, {key: str(one) for key, one in names.items() if one is not None}, first_position)
        known = list(frame.columns)
        for argument, name in names.items():
            if name is not None and name not in known:
                shown = ", ".join(str(one) for one in known)
                raise _core.DataError(f"{argument}={name!r} is no column of the frame; expected one of {shown}")
        given = {argument: (frame[name], name) for argument, name in names.items() if name is not None}
        return cls._build(given, first_position)

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
        first_position: Any = "found",
    ) -> ClickLog:
        """Makes a log of arrays or lists of equal length, one entry per shown document (see from_dataframe)."""
        arrays = {
            "session": session,
            "query": query,
            "document": document,
            "position": position,
            "click": click,
            "propensity": propensity,
            "time": time,
        }
        given = {name: (values, name) for name, values in arrays.items() if values is not None}
        return cls._build(given, first_position)

    @classmethod
    def _of_arrow(cls, table: Any, names: Dict[str, str], first_position: Any) -> ClickLog:
        columns = _core.arrow_columns(table, list(names.values()))
        return cls._of_columns({argument: columns[name] for argument, name in names.items()}, first_position)

    @classmethod
    def _build(cls, given: Dict[str, Tuple[Any, str]], first_position: Any) -> ClickLog:
        columns = {
            argument: (times if argument == "time" else column)(values, str(name))
            for argument, (values, name) in given.items()
        }
        return cls._of_columns(columns, first_position)

    @classmethod
    def _of_columns(cls, columns: Dict[str, _core.Column], first_position: Any) -> ClickLog:
        if str(first_position) not in ("found", "0", "1"):
            raise ValueError(f"first_position is {first_position!r}; expected 0, 1 or 'found'")
        core = _core.build_log(
            columns["document"],
            columns.get("session"),
            columns.get("query"),
            columns.get("position"),
            columns.get("click"),
            columns.get("propensity"),
            columns.get("time"),
            str(first_position),
        )
        for note in core.notes:
            warnings.warn(note, stacklevel=4)
        return cls(core)

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
        return ClickLog(train), ClickLog(held_out), ClickLog(last)

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

    def to_arrays(self) -> Dict[str, np.ndarray[Any, Any]]:
        """Returns arrays with one entry per shown document: list (from 0), query, document, position (from 1) and
        click."""
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


def frame_or_arrays(columns: Dict[str, np.ndarray[Any, Any]]) -> Any:
    """Returns a pandas data frame, or the columns themselves where there is no pandas."""
    try:
        import pandas
    except ImportError:
        return columns
    return pandas.DataFrame(columns)


__all__: List[str] = ["ClickLog", "frame_or_arrays"]
