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


def build_with_times(kind, times, words=None):
    documents, sessions = Column("document", "text", [["a", "b"], ["c"]]), Column("session", "int64", [[1, 2], [3]])
    table = Table([documents, sessions, Column("time", kind, times, words)])
    return ultr.ClickLog.from_dataframe(table, document="document", session="session", time="time")


@pytest.mark.parametrize(
    "kind, times",
    [
        ("int64", [[-5, -1], [-3]]),
        ("int64", [[-(2**63), 2**63 - 1], [0]]),
        ("uint64", [[1, 2**64 - 1], [2**63]]),
        ("date", [[-5, 1], [-3]]),
    ],
)
def test_lists_are_in_the_order_of_their_times(kind, times):
    assert build_with_times(kind, times).to_dataframe()["document"].tolist() == ["a", "c", "b"]


@pytest.mark.parametrize(
    "kind, times, words, message",
    [
        ("text", [["2020-01-03", "2020-01-01"], ["2020-01-02"]], None, "column 'time': its type is text; expected dates or"),
        ("text", [["b", "a"], ["c"]], ["c", "a", "b"], "column 'time': its type is text; expected dates or whole numbers"),
        ("float64", [[3.0, 1.0], [2.0]], None, "column 'time': its type is float64; expected dates or whole numbers"),
        ("int64", [[3, 1], [None]], None, "column 'time', row 2: the value is missing; expected a time"),
    ],
)
def test_wrong_times_are_named(kind, times, words, message):
    with pytest.raises(ultr.DataError) as raised:
        build_with_times(kind, times, words)
    assert str(raised.value).startswith(message)


@pytest.mark.parametrize("kind", ["text", "large_text", "view", "words"])
def test_slices_have_their_rows_alone(kind):
    documents = [["a", "b", "a longer name", None, "e"], [None, "g", "h", "i", "j"]]
    words = ["j", "i", "h", "g", "e", "a longer name", "b", "a"] if kind == "words" else None
    table = Table(
        [
            Column("document", "text" if words else kind, documents, words, offset=2),
            Column("session", "int64", [[1, 1, 2, 2, 3], [4, 4, 4, 5, 5]]),
            Column("click", "bool", [[True, False, True, True, None], [True, False, True, False, None]], offset=7),
        ],
        first=1,
        length=2,
    )
    rows = ultr.ClickLog.from_dataframe(table, document="document", session="session", click="click").to_dataframe()
    assert rows["document"].tolist() == ["b", "a longer name", "g", "h"]
    assert rows["list"].tolist() == [0, 1, 2, 2]
    assert rows["click"].tolist() == [0, 1, 0, 1]


def test_rows_that_are_missing_as_a_whole_are_refused():
    documents = Column("document", "int64", [[1, 2, 3]])
    with pytest.raises(ultr.DataError, match="a row of the table is missing as a whole"):
        ultr.ClickLog.from_dataframe(Table([documents], valid=[True, False, True]), document="document")
    log = ultr.ClickLog.from_dataframe(Table([documents], first=2, valid=[True, False, True]), document="document")
    assert log.to_dataframe()["document"].tolist() == [3]


def test_a_column_alone_is_no_table():
    table = Table(columns())
    one_schema = table._one_schema
    table._one_schema = lambda schema, format, name: one_schema(schema, b"n" if format == b"+s" else format, name)
    with pytest.raises(ultr.DataError, match="the Arrow type of the table is 'n'; expected a struct"):
        build(table)
    assert table.alive == 0


def test_types_that_are_no_ids_are_refused():
    table = Table(columns())
    table._format = lambda kind: b"+l"
    with pytest.raises(ultr.DataError, match="column 'session': its Arrow type is '\\+l'; expected numbers or texts"):
        build(table)
