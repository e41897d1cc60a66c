"""Logs from data frames and arrays."""

from datetime import datetime

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings, strategies as st

import ultr
from conftest import COLUMNS, clicks_frame


def small_frame() -> pd.DataFrame:
    return pd.DataFrame(
        {
            "session": [1, 1, 2, 2],
            "query": ["x", "x", "y", "y"],
            "document": ["a", "b", "a", "c"],
            "position": [1, 2, 1, 2],
            "click": [0, 1, 0, 0],
        }
    )


def build(frame: pd.DataFrame) -> ultr.ClickLog:
    return ultr.ClickLog.from_dataframe(frame, **COLUMNS)


def test_a_log_has_the_rows_of_its_frame():
    frame = small_frame()
    log = build(frame)
    assert (len(log), log.documents, log.positions, log.click_rate) == (2, 4, 2, 0.25)
    expected = frame.rename(columns={"session": "list"})
    expected["list"] -= 1
    pd.testing.assert_frame_equal(log.to_dataframe(), expected, check_dtype=False)


def test_rows_of_a_list_may_stand_anywhere():
    frame = small_frame()
    shuffled = frame.iloc[[3, 0, 2, 1]]
    rows = build(shuffled).to_dataframe()
    assert rows["query"].tolist() == ["y", "y", "x", "x"]
    assert rows["document"].tolist() == ["a", "c", "a", "b"]
    assert rows["click"].tolist() == [0, 0, 0, 1]


@pytest.mark.parametrize(
    "convert",
    [
        lambda c: c.astype("category"),
        lambda c: c.astype(str).astype("string"),
        lambda c: c.astype(object),
        lambda c: c.astype("Int64") if c.dtype.kind == "i" else c,
        lambda c: c.astype(np.uint8) if c.dtype.kind == "i" else c,
        lambda c: c.astype(np.int16) if c.dtype.kind == "i" else c,
        lambda c: c.astype(float) if c.dtype.kind == "i" else c,
        lambda c: c.astype(str).to_numpy().astype("U"),
    ],
)
@pytest.mark.parametrize("name", ["session", "query", "document"])
def test_ids_of_any_type_make_the_same_log(name, convert):
    frame = small_frame()
    expected = build(frame).to_dataframe()
    frame[name] = convert(frame[name])
    pd.testing.assert_frame_equal(build(frame).to_dataframe(), expected)


def test_whole_numbers_stay_numbers():
    frame = small_frame().assign(document=[5, 6, 5, 7])
    rows = build(frame).to_dataframe()
    assert rows["document"].tolist() == [5, 6, 5, 7]
    assert rows["document"].dtype == np.int64
    assert build(frame.assign(document=[-5, 6, 5, 7])).to_dataframe()["document"].tolist() == ["-5", "6", "5", "7"]


@pytest.mark.parametrize("clicks", [[False, True, False, False], [0.0, 1.0, 0.0, 0.0], np.uint8([0, 1, 0, 0])])
def test_clicks_are_booleans_or_numbers(clicks):
    assert build(small_frame().assign(click=clicks)).to_dataframe()["click"].tolist() == [0, 1, 0, 0]


def test_positions_may_start_at_zero_and_have_gaps():
    rows = build(small_frame().assign(position=[0, 4, 2, 1])).to_dataframe()
    assert rows["position"].tolist() == [1, 5, 2, 3]
    assert rows["document"].tolist() == ["a", "b", "c", "a"]


def test_signals_are_kept_and_read_again(tmp_path):
    frame = small_frame().assign(viewed=[True, True, False, True], left=[1, 0, 0, 1], seconds=[0, 30.5, 0, 0])
    log = ultr.ClickLog.from_dataframe(frame, **COLUMNS, viewed="viewed", skipped="left", dwell="seconds")
    rows = log.to_dataframe()
    assert rows["viewed"].tolist() == [1, 1, 0, 1]
    assert rows["skipped"].tolist() == [1, 0, 0, 1]
    assert rows["dwell"].tolist() == [0, 31, 0, 0]
    assert "left,seconds" in log.save(tmp_path / "log.csv").read_text().splitlines()[0]
    assert {"skipped": "left", "dwell": "seconds"}.items() <= log.data_options()["columns"].items()
    fit = ultr.fit(ultr.models.viewed_pbm(), log, epochs=1)
    assert len(fit.predict_clicks(log)) == 4
    with pytest.raises(ultr.DataError, match="viewed_pbm reads views"):
        ultr.fit(ultr.models.viewed_pbm(), build(frame), epochs=1)
    with pytest.raises(ultr.DataError, match="column 'seconds', row 1: -1; expected a number from 0 up"):
        ultr.ClickLog.from_dataframe(frame.assign(seconds=[0, -1, 0, 0]), **COLUMNS, dwell="seconds")


def test_a_column_that_is_two_arguments_is_saved_twice(tmp_path):
    frame = small_frame().assign(shown=[1, 2, 1, 2])
    log = ultr.ClickLog.from_dataframe(frame, session="query", query="query", document="shown", position="shown", click="click")
    assert log.save(tmp_path / "log.csv").read_text().splitlines()[:2] == ["query,_query,shown,_shown,click", "1,x,1,1,0"]
    options = log.data_options()
    assert options == {"format": "table", "columns": {"session": "query", "query": "_query", "document": "shown", "position": "_shown"}}
    again = ultr.read(ultr.data_formats.table(train=str(tmp_path / "log.csv"), columns=options["columns"])).train
    assert again.to_dataframe().astype(str).equals(log.to_dataframe().astype(str))


def test_columns_may_be_left_out():
    frame = small_frame()
    without = ultr.ClickLog.from_dataframe(frame, session="session", query="query", document="document")
    assert without.to_dataframe()["position"].tolist() == [1, 2, 1, 2]
    assert without.click_rate == 0
    one = ultr.ClickLog.from_dataframe(frame, document="position", click="click")
    assert len(one) == 1


def test_a_saved_log_has_each_column_name_once(tmp_path):
    log = ultr.ClickLog.from_dataframe(small_frame(), session="session", document="query", click="click")
    rows = pd.read_csv(log.save(tmp_path / "log.csv"))
    assert list(rows) == ["session", "_query", "query", "position", "click"]
    assert rows["query"].tolist() == ["x", "x", "y", "y"]
    assert log.data_options()["columns"] == {"query": "_query", "document": "query"}


def test_each_log_has_a_file_of_its_own():
    files = [build(small_frame().assign(document=[name, "b", "c", "d"])).file() for name in ("x", "y", "z")]
    assert [pd.read_csv(file)["document"][0] for file in files] == ["x", "y", "z"]


def test_arrays_make_the_same_log_as_a_frame():
    frame = small_frame()
    log = ultr.ClickLog.from_arrays(**{name: frame[name].tolist() for name in COLUMNS})
    pd.testing.assert_frame_equal(log.to_dataframe(), build(frame).to_dataframe())


@pytest.mark.parametrize(
    "column, values, message",
    [
        ("document", ["a", None, "a", "c"], "column 'document', row 1: the value is missing; expected a whole number or text"),
        ("document", ["a", "b", np.nan, "c"], "column 'document', row 2: the value is missing"),
        ("document", ["a", "", "a", "c"], "column 'document', row 1: the text is empty; expected a whole"),
        ("document", ["a", "\ud800", "a", "c"], "column 'document', row 1: the text has half of a surrogate pair"),
        ("document", ["a", 1.5, "a", "c"], "column 'document', row 1: a float '1.5'; expected a whole number or text"),
        ("document", ["a", True, "a", "c"], "column 'document', row 1: a bool 'True'; expected a whole number or text"),
        ("document", [True, True, False, False], "column 'document': its type is bool; expected whole numbers or texts"),
        ("session", pd.array([1, None, 2, 2], dtype="Int64"), "column 'session', row 1: the value is missing"),
        ("session", [1.0, np.nan, 2.0, 2.0], "column 'session', row 1: the value is missing"),
        ("session", [1.0, 1.5, 2.0, 2.0], "column 'session', row 1: 1.5; expected a whole number or text"),
        ("query", pd.Categorical(["x", None, "y", "y"]), "column 'query', row 1: the value is missing"),
        ("query", pd.array(["x", "x", None, "y"], dtype="string"), "column 'query', row 2: the value is missing"),
        ("click", [0, 2, 0, 0], "column 'click', row 1: 2; expected 0 or 1"),
        ("click", [0, -1, 0, 0], "column 'click', row 1: -1; expected 0 or 1"),
        ("click", [0, 0.5, 0, 0], "column 'click', row 1: 0.5; expected 0 or 1"),
        ("click", ["0", "1", "0", "0"], "column 'click', row 0: '0'; expected a number"),
        ("click", pd.array([True, None, False, False], dtype="boolean"), "column 'click', row 1: the value is missing"),
        ("position", [1, -2, 1, 2], "column 'position', row 1: -2; expected a whole number from 0 to 65535"),
        ("position", [1, np.nan, 1, 2], "column 'position', row 1: the value is missing"),
        ("position", [1, 1, 1, 2], "row 1: position 1 of its list is also in row 0; expected one document per position"),
    ],
)
def test_wrong_values_are_named_by_column_and_row(column, values, message):
    with pytest.raises(ultr.DataError) as raised:
        build(small_frame().assign(**{column: values}))
    assert str(raised.value).startswith(message)
    assert isinstance(raised.value, ValueError)
    assert "\n" not in str(raised.value)


def test_an_exception_of_an_id_is_passed_on():
    class Unusable:
        def __index__(self):
            raise RuntimeError("no number")

    with pytest.raises(RuntimeError, match="no number"):
        ultr.ClickLog.from_arrays(document=np.array([Unusable(), 1], dtype=object), click=[0, 1])


@pytest.mark.parametrize(
    "name, values",
    [
        ("document", [5, 6, 7]),
        ("document", ["a", "b", "c"]),
        ("document", np.array(["a", "b", "c"], dtype=object)),
        ("click", [0, 1, 1]),
        ("click", [False, True, True]),
        ("position", [1, 2, 3]),
        ("propensity", [0.5, 0.5, 0.5]),
        ("time", [3, 1, 2]),
        ("time", np.array(["2020", "2021", "2022"], dtype="datetime64[s]")),
    ],
)
def test_masked_values_are_missing(name, values):
    arrays = {"document": [1, 2, 3], name: np.ma.array(values, mask=[False, False, True])}
    with pytest.raises(ultr.DataError, match=f"column '{name}', row 2: the value is missing"):
        ultr.ClickLog.from_arrays(**arrays)
    assert ultr.ClickLog.from_arrays(**{**arrays, name: np.ma.array(values)}).documents == 3
    with pytest.raises(ultr.DataError, match="column 'price', row 2: the value is missing"):
        ultr.ClickLog.from_arrays(document=[1, 2, 3], features={"price": np.ma.array([1, 2, 3], mask=[0, 0, 1])})


def test_a_frame_without_a_column_names_those_it_has():
    with pytest.raises(ultr.DataError, match="click='clicked' is no column of the frame; expected one of session, query"):
        ultr.ClickLog.from_dataframe(small_frame(), document="document", click="clicked")


def test_empty_frames_and_uneven_arrays_are_refused():
    with pytest.raises(ultr.DataError, match="no rows"):
        build(small_frame().iloc[:0])
    with pytest.raises(ultr.DataError, match="column 'click' has 1 rows; expected 2"):
        ultr.ClickLog.from_arrays(document=[1, 2], click=[0])


def test_arrays_of_numbers_are_not_changed():
    frame = clicks_frame(50)
    documents = np.arange(len(frame))
    documents.setflags(write=False)
    log = ultr.ClickLog.from_arrays(document=documents, session=frame["session"].to_numpy())
    assert log.documents == len(frame)


def test_strided_arrays_are_read():
    table = np.arange(20).reshape(10, 2)
    rows = ultr.ClickLog.from_arrays(document=table[:, 1], session=table[:, 0]).to_dataframe()
    assert rows["document"].tolist() == table[:, 1].tolist()


def test_split_is_that_of_the_same_seed(log):
    parts = log.split(valid=0.2, test=0.1, seed=3)
    again = log.split(valid=0.2, test=0.1, seed=3)
    other = log.split(valid=0.2, test=0.1, seed=4)
    for part, same in zip(parts, again):
        pd.testing.assert_frame_equal(part.to_dataframe(), same.to_dataframe())
    assert sum(len(part) for part in parts) == len(log)
    assert 80 < len(parts[1]) < 160 and 30 < len(parts[2]) < 100
    assert not parts[1].to_dataframe().equals(other[1].to_dataframe())


def test_split_by_query_keeps_queries_together(log):
    parts = [set(part.to_dataframe()["query"]) for part in log.split(valid=0.3, test=0.3, by="query")]
    assert all(parts)
    assert not parts[0] & parts[1] and not parts[0] & parts[2] and not parts[1] & parts[2]


def test_split_by_time_holds_out_the_last_sessions():
    frame = small_frame().assign(time=pd.to_datetime(["2024-02-01", "2024-02-01", "2024-01-01", "2024-01-01"]))
    log = ultr.ClickLog.from_dataframe(frame, time="time", **COLUMNS)
    train, _, test = log.split(test=0.5, by="time")
    assert set(train.to_dataframe()["query"]) == {"y"}
    assert set(test.to_dataframe()["query"]) == {"x"}


@pytest.mark.parametrize(
    "times",
    [
        [-5, -1, -3],
        np.array([-(2**63), 2**63 - 1, 0]),
        np.array([1, 2**64 - 1, 2**63], dtype=np.uint64),
        np.array([1, 3, 2], dtype=">i4"),
        pd.Categorical([1, 3, 2], categories=[3, 2, 1]),
        pd.Categorical(pd.to_datetime(["2020-01-01", "2020-01-03", "2020-01-02"]), ordered=True).reorder_categories(
            pd.to_datetime(["2020-01-03", "2020-01-01", "2020-01-02"])
        ),
        np.array([datetime(1020, 1, 1), datetime(3000, 1, 1), datetime(2020, 1, 1)], dtype=object),
        np.array(["1020-01-01", "3000-01-01", "2020-01-01"], dtype="datetime64[s]"),
        pd.Series(["1020-01-01", "3000-01-01", "2020-01-01"]),
        pd.Series(["20200131", "20200301", "20200201"]),
    ],
)
def test_lists_are_in_the_order_of_their_times(times):
    log = ultr.ClickLog.from_arrays(session=[1, 2, 3], document=["a", "b", "c"], time=times)
    assert log.to_dataframe()["document"].tolist() == ["a", "c", "b"]


@pytest.mark.parametrize(
    "times, message",
    [
        (pd.Categorical([3, None, 2]), "column 'time', row 1: the value is missing; expected a time"),
        (pd.Categorical([None, None, None]), "column 'time', row 0: the value is missing; expected a time"),
        (pd.array([3, 1, None], dtype="Int64"), "column 'time', row 2: the value is missing; expected a time"),
        (pd.Series([pd.Timestamp(2020, 1, 1), pd.NaT, None], dtype=object), "column 'time', row 1: the value is missing;"),
        (np.array(["2020", "NaT", "2021"], dtype="datetime64[D]"), "column 'time', row 1: the value is missing;"),
        (pd.Series(["x", "y", "z"]), "column 'time': "),
        (np.array([[1], [2], [3]]), "column 'time' has 2 dimensions; expected one"),
        ([1.0, 2.0, 3.0], "column 'time': its type is float64; expected dates or whole numbers"),
        ([True, False, True], "column 'time': its type is bool; expected dates or whole numbers"),
    ],
)
def test_wrong_times_are_named(times, message):
    with pytest.raises(ultr.DataError) as raised:
        ultr.ClickLog.from_arrays(session=[1, 2, 3], document=["a", "b", "c"], time=times)
    assert str(raised.value).startswith(message)


def test_shares_of_a_split_are_checked(log):
    with pytest.raises(ValueError, match="valid is 0.5 and test is 0.5; expected shares"):
        log.split(valid=0.5, test=0.5)


def test_logs_without_clicks_to_learn_from_warn():
    with pytest.warns(UserWarning, match="no document is clicked"):
        build(small_frame().assign(click=0))


ids = st.one_of(
    st.integers(min_value=-(2**63), max_value=2**63 - 1),
    st.text(min_size=1, max_size=5).filter(lambda text: text.isprintable()),
)


@settings(max_examples=60, deadline=None)
@given(st.data())
def test_any_frame_comes_back_or_is_refused_with_one_line(data):
    rows = data.draw(st.integers(min_value=1, max_value=20))
    column = lambda values: data.draw(st.lists(values, min_size=rows, max_size=rows))
    sessions = column(st.integers(min_value=0, max_value=4))
    documents = column(st.one_of(ids, st.sampled_from([None, float("nan"), 1.5, True, b"x", "", 3.0])))
    clicks = column(st.sampled_from([0, 1, True, 1, 0, 0]))
    documents_array = np.empty(rows, dtype=object)
    documents_array[:] = documents
    try:
        log = ultr.ClickLog.from_arrays(session=sessions, document=documents_array, click=clicks)
    except ultr.DataError as error:
        assert "\n" not in str(error) and "column 'document', row" in str(error)
        assert any(not isinstance(d, (int, str)) or d == "" or isinstance(d, bool) for d in documents)
        return
    expected = [
        (str(int(document) if isinstance(document, float) else document), int(click))
        for _, document, click in sorted(
            zip([sessions.index(s) for s in sessions], documents, clicks), key=lambda row: row[0]
        )
    ]
    columns = log.to_arrays()
    assert [(str(d), int(c)) for d, c in zip(columns["document"], columns["click"])] == expected
