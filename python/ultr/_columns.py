"""Columns of tables, as arrays that the extension reads."""

from __future__ import annotations

import sys
from typing import Any, Optional, Tuple

import numpy as np

from ultr import _core


def column(values: Any, name: str) -> _core.Column:
    """Returns a column of an array, a list or a pandas Series. Arrays of numbers are not copied."""
    array, missing, categories = _parts(values)
    if array.ndim != 1:
        raise _core.DataError(f"column '{name}' has {array.ndim} dimensions; expected one")
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
    return np.asarray(values), None, None


def _nullable(values: Any, kind: Any, pandas: Any) -> Tuple[np.ndarray[Any, Any], Optional[np.ndarray[Any, Any]], Any]:
    missing = np.asarray(values.isna())
    numbers = getattr(kind, "numpy_dtype", None)
    if isinstance(numbers, np.dtype) and numbers.kind in "biuf":
        array = values.to_numpy(dtype=numbers, na_value=numbers.type(0))
        return array, missing if missing.any() else None, None
    return values.to_numpy(dtype=object, na_value=None), None, None


def times(values: Any, name: str) -> _core.Column:
    """Returns a column of numbers from 0 up in the order of times: dates or whole numbers."""
    array, missing, _ = _parts(values)
    if array.dtype.kind == "O":
        array = np.asarray(array.tolist(), dtype="datetime64[ns]")
    gone = np.isnat(array) if array.dtype.kind == "M" else missing
    if gone is not None and gone.any():
        raise _core.DataError(f"column '{name}', row {int(np.argmax(gone))}: the value is missing; expected a time")
    if array.dtype.kind not in "Miu":
        raise _core.DataError(f"column '{name}': its type is {array.dtype}; expected dates or whole numbers")
    whole = array.astype(np.int64)
    if len(whole) > 0:
        whole = whole - whole.min()
    return _core.Column(name, whole, None, None)
