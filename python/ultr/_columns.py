"""Columns of tables, as arrays that the extension reads."""

from __future__ import annotations

import sys
from typing import Any, List, Optional, Tuple

import numpy as np

from ultr import _core


def column(values: Any, name: str) -> _core.Column:
    """Returns a column of an array, a list or a pandas Series. Arrays of numbers are not copied."""
    array, missing, categories = _parts(values)
    _expect_one_dimension(array, name)
    if array.dtype.kind in "US":
        array = array.astype(object) if array.dtype.kind == "U" else array.astype(str).astype(object)
    inner = None if categories is None else column(categories, name)
    return _core.Column(name, array, missing, inner)


def is_pandas(frame: Any) -> bool:
    """Returns true for a pandas data frame."""
    pandas = sys.modules.get("pandas")
    return pandas is not None and isinstance(frame, pandas.DataFrame)


def _parts(values: Any) -> Tuple[np.ndarray[Any, Any], Optional[np.ndarray[Any, Any]], Any]:
    """Returns values or codes, which of them are missing if they cannot say so themselves, and the categories of
    codes."""
    pandas = sys.modules.get("pandas")
    if pandas is not None and isinstance(values, (pandas.Series, pandas.Index, pandas.api.extensions.ExtensionArray)):
        kind = values.dtype
        if isinstance(kind, pandas.CategoricalDtype):
            codes = values.cat.codes if isinstance(values, pandas.Series) else values.codes
            return np.asarray(codes), None, kind.categories
        if isinstance(kind, pandas.api.extensions.ExtensionDtype):
            return _nullable(values, kind, pandas)
        return values.to_numpy(), None, None
    if isinstance(values, np.ma.MaskedArray):
        return np.asarray(values), np.ma.getmaskarray(values), None  # type: ignore[no-untyped-call]
    return np.asarray(values), None, None


def _nullable(values: Any, kind: Any, pandas: Any) -> Tuple[np.ndarray[Any, Any], Optional[np.ndarray[Any, Any]], Any]:
    missing = np.asarray(values.isna())
    numbers = getattr(kind, "numpy_dtype", None)
    if isinstance(numbers, np.dtype) and numbers.kind in "biuf":
        array = values.to_numpy(dtype=numbers, na_value=numbers.type(0))
        return array, missing if missing.any() else None, None
    return values.to_numpy(dtype=object, na_value=None), None, None


def times(values: Any, name: str) -> _core.Column:
    """Returns a column of dates or whole numbers, as whole numbers in the same order."""
    array, missing, categories = _parts(values)
    _expect_one_dimension(array, name)
    if categories is not None:
        missing = array < 0
        array = np.asarray(categories)[array] if len(categories) > 0 else array
    if array.dtype.kind == "O":
        array = _dates(array.tolist(), name)
    if array.dtype.kind == "M":
        missing = np.isnat(array) if missing is None else missing | np.isnat(array)
        array = array.astype(np.int64)
    return _core.Column(name, array.astype(array.dtype.newbyteorder("="), copy=False), missing, None)


def _dates(values: List[Any], name: str) -> np.ndarray[Any, Any]:
    """Returns dates; texts of digits are whole numbers, as in the format ``table``."""
    try:
        whole = [int(one) if isinstance(one, str) and one.isdecimal() else None if one != one else one for one in values]
        return np.asarray(whole, dtype="datetime64[us]")  # in nanoseconds, dates before 1678 and after 2262 wrap around
    except (TypeError, ValueError, OverflowError) as error:
        raise _core.DataError(f"column '{name}': {error}; expected dates or whole numbers") from None


def _expect_one_dimension(array: np.ndarray[Any, Any], name: str) -> None:
    if array.ndim != 1:
        raise _core.DataError(f"column '{name}' has {array.ndim} dimensions; expected one")
