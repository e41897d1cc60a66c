"""Logs from tables of other libraries, through Arrow's C stream interface."""

import pandas as pd
import pytest

import ultr
from arrow_table import Column, Table

NAMES = dict(session="session", query="query", document="document", position="position", click="click")


def columns(**changes):
    """Two batches, of two rows and of one."""
    plain = dict(
        session=Column("session", "int64", [[7, 7], [8]]),
        query=Column("query", "text", [["x", "x"], ["y"]]),
        document=Column("document", "text", [["a", "a longer name"], ["ü"]]),
        position=Column("position", "int32", [[1, 2], [1]]),
        click=Column("click", "bool", [[False, True], [False]]),
    )
    return list({**plain, **changes}.values())


def build(table):
    return ultr.ClickLog.from_dataframe(table, **NAMES)


EXPECTED = pd.DataFrame(
    {
        "list": [0, 0, 1],
        "query": ["x", "x", "y"],
        "document": ["a", "a longer name", "ü"],
        "position": [1, 2, 1],
        "click": [0, 1, 0],
    }
)

DOCUMENTS = [["a", "a longer name"], ["ü"]]


@pytest.mark.parametrize(
    "changes",
    [
        {},
        {"document": Column("document", "large_text", DOCUMENTS)},
        {"document": Column("document", "view", DOCUMENTS)},
        {"document": Column("document", "text", DOCUMENTS, offset=3)},
        {"document": Column("document", "text", DOCUMENTS, words=["ü", "a longer name", "a"])},
        {"session": Column("session", "text", [["7", "7"], ["8"]])},
        {"session": Column("session", "uint64", [[2**63, 2**63], [1]], offset=1)},
        {"position": Column("position", "float64", [[1.0, 2.0], [1.0]])},
        {"click": Column("click", "uint8", [[0, 1], [0]])},
        {"click": Column("click", "bool", [[False, True], [False]], offset=9)},
    ],
)
def test_columns_of_any_type_make_the_same_log(changes):
    table = Table(columns(**changes))
    pd.testing.assert_frame_equal(build(table).to_dataframe(), EXPECTED, check_dtype=False)
    assert table.alive == 0


@pytest.mark.parametrize(
    "changes, message",
    [
        ({"document": Column("document", "text", [["a", None], ["c"]])}, "column 'document', row 1: the value is missing"),
        ({"document": Column("document", "text", [["a", "b"], [None]], words=["a", "b"])}, "column 'document', row 2: the"),
        ({"document": Column("document", "text", [["a", ""], ["c"]])}, "column 'document', row 1: the text is empty"),
        ({"session": Column("session", "int64", [[1, 2], [None]])}, "column 'session', row 2: the value is missing"),
        ({"click": Column("click", "bool", [[None, True], [True]])}, "column 'click', row 0: the value is missing"),
        ({"query": Column("query", "null", [[None, None], [None]])}, "column 'query', row 0: the value is missing"),
        ({"click": Column("click", "null", [[None, None], [None]])}, "column 'click', row 0: the value is missing; expected 0 or 1"),
        ({"click": Column("click", "text", [["0", "1"], ["0"]])}, "column 'click': its type is text; expected numbers"),
        ({"query": Column("other", "text", [["x", "x"], ["y"]])}, "'query' is no column of the table; expected one of session, other"),
    ],
)
def test_wrong_values_are_named_by_column_and_row(changes, message):
    table = Table(columns(**changes))
    with pytest.raises(ultr.DataError) as raised:
        build(table)
    assert str(raised.value).startswith(message)


def test_types_that_are_no_ids_are_refused():
    table = Table(columns())
    table._format = lambda kind: b"+l"
    with pytest.raises(ultr.DataError, match="column 'session': its Arrow type is '\\+l'; expected numbers or texts"):
        build(table)
