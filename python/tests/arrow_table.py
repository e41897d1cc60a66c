"""A table behind Arrow's C stream interface, made with ctypes alone."""

import ctypes
from typing import Any, List, Optional

import numpy as np

P = ctypes.POINTER


class Schema(ctypes.Structure):
    pass


class Array(ctypes.Structure):
    pass


class Stream(ctypes.Structure):
    pass


RELEASE_SCHEMA = ctypes.CFUNCTYPE(None, P(Schema))
RELEASE_ARRAY = ctypes.CFUNCTYPE(None, P(Array))
RELEASE_STREAM = ctypes.CFUNCTYPE(None, P(Stream))
GET_SCHEMA = ctypes.CFUNCTYPE(ctypes.c_int, P(Stream), P(Schema))
GET_NEXT = ctypes.CFUNCTYPE(ctypes.c_int, P(Stream), P(Array))
GET_ERROR = ctypes.CFUNCTYPE(ctypes.c_char_p, P(Stream))
i64 = ctypes.c_int64
Schema._fields_ = [
    ("format", ctypes.c_char_p), ("name", ctypes.c_char_p), ("metadata", ctypes.c_char_p), ("flags", i64),
    ("n_children", i64), ("children", P(P(Schema))), ("dictionary", P(Schema)), ("release", RELEASE_SCHEMA),
    ("private_data", ctypes.c_void_p),
]
Array._fields_ = [
    ("length", i64), ("null_count", i64), ("offset", i64), ("n_buffers", i64), ("n_children", i64),
    ("buffers", P(ctypes.c_void_p)), ("children", P(P(Array))), ("dictionary", P(Array)), ("release", RELEASE_ARRAY),
    ("private_data", ctypes.c_void_p),
]
Stream._fields_ = [
    ("get_schema", GET_SCHEMA), ("get_next", GET_NEXT), ("get_last_error", GET_ERROR), ("release", RELEASE_STREAM),
    ("private_data", ctypes.c_void_p),
]

FORMATS = {"int8": b"c", "uint8": b"C", "int16": b"s", "int32": b"i", "int64": b"l", "uint64": b"L", "float64": b"g"}


KEPT: List[Any] = []  # what readers may release after the table itself is gone


class Column:
    """One column: a format and one list of values per batch, in which None is missing."""

    def __init__(self, name: str, kind: str, batches: List[List[Any]], words: Optional[List[str]] = None, offset: int = 0):
        self.name, self.kind, self.batches, self.words, self.offset = name, kind, batches, words, offset


class Table:
    """A table of columns with ``__arrow_c_stream__``. It counts the structs that were not released. A slice has the
    rows of each batch from the first, up to ``length``; ``valid`` has a flag per row of a batch."""

    def __init__(
        self, columns: List[Column], first: int = 0, length: Optional[int] = None, valid: Optional[List[bool]] = None
    ) -> None:
        self.columns, self.first, self.length, self.valid = columns, first, length, valid
        self.kept = KEPT
        self.alive = 0
        self.next_batch = 0

    def __arrow_c_stream__(self, requested_schema: Any = None) -> Any:
        self.next_batch = 0
        stream = Stream(
            GET_SCHEMA(self._schema), GET_NEXT(self._next), GET_ERROR(lambda _: b"no reason"),
            RELEASE_STREAM(lambda _: None), None,
        )
        self.kept.append(stream)
        capsule = ctypes.pythonapi.PyCapsule_New
        capsule.restype, capsule.argtypes = ctypes.py_object, [ctypes.c_void_p, ctypes.c_char_p, ctypes.c_void_p]
        return capsule(ctypes.addressof(stream), b"arrow_array_stream", None)

    def _released(self, struct: Any) -> None:
        struct.contents.release = type(struct.contents.release)()
        self.alive -= 1

    def _keep(self, value: Any) -> Any:
        self.kept.append(value)
        return value

    def _one_schema(self, schema: Schema, format: bytes, name: str) -> None:
        schema.format, schema.name = format, name.encode()
        schema.release = self._keep(RELEASE_SCHEMA(lambda one: None))

    def _schema(self, _: Any, out: Any) -> int:
        root = out.contents
        self._one_schema(root, b"+s", "")
        root.release = self._keep(RELEASE_SCHEMA(self._released))
        self.alive += 1
        children = self._keep((P(Schema) * len(self.columns))())
        for i, column in enumerate(self.columns):
            child = self._keep(Schema())
            self._one_schema(child, b"i" if column.words else self._format(column.kind), column.name)
            if column.words:
                words = self._keep(Schema())
                self._one_schema(words, b"u", "")
                child.dictionary = ctypes.pointer(words)
            children[i] = ctypes.pointer(child)
        root.n_children, root.children = len(self.columns), children
        return 0

    @staticmethod
    def _format(kind: str) -> bytes:
        return {"text": b"u", "large_text": b"U", "view": b"vu", "bool": b"b", "date": b"tdD", "null": b"n"}.get(kind) or FORMATS[kind]

    def _next(self, _: Any, out: Any) -> int:
        root = out.contents
        root.release = RELEASE_ARRAY()
        if self.next_batch == len(self.columns[0].batches):
            return 0
        children = self._keep((P(Array) * len(self.columns))())
        for i, column in enumerate(self.columns):
            children[i] = ctypes.pointer(self._array(column, column.batches[self.next_batch]))
        rows = len(self.columns[0].batches[self.next_batch]) - self.first
        root.length, root.offset = rows if self.length is None else min(rows, self.length), self.first
        root.n_children, root.children = len(children), children
        root.null_count = 0 if self.valid is None else self.valid.count(False)
        valid = None if self.valid is None else np.packbits(self.valid, bitorder="little")
        root.n_buffers, root.buffers = 1, self._buffers([valid])
        root.release = self._keep(RELEASE_ARRAY(self._released))
        self.alive += 1
        self.next_batch += 1
        return 0

    def _buffers(self, arrays: List[Optional[np.ndarray]]) -> Any:
        self.kept.append(arrays)
        places = [None if array is None else array.ctypes.data for array in arrays]
        return self._keep((ctypes.c_void_p * len(places))(*places))

    def _array(self, column: Column, values: List[Any]) -> Array:
        array = self._keep(Array())
        padded = [None] * column.offset + list(values)
        array.length, array.offset = len(values), column.offset
        array.null_count = sum(value is None for value in values)
        if column.kind == "null":
            return array  # has no buffers
        valid = np.packbits([value is not None for value in padded], bitorder="little")
        if column.words:
            codes = np.array([-1 if value is None else column.words.index(value) for value in padded], dtype=np.int32)
            buffers: List[Optional[np.ndarray]] = [valid, codes]
            array.dictionary = ctypes.pointer(self._array(Column("", "text", []), column.words))
        else:
            buffers = [valid, *self._values(column.kind, padded)]
        array.n_buffers, array.buffers = len(buffers), self._buffers(buffers)
        return array

    @staticmethod
    def _values(kind: str, values: List[Any]) -> List[np.ndarray]:
        if kind == "bool":
            return [np.packbits([bool(value) for value in values], bitorder="little")]
        if kind in ("text", "large_text"):
            texts = [(value or "").encode() for value in values]
            offsets = np.cumsum([0] + [len(text) for text in texts])
            return [offsets.astype(np.int32 if kind == "text" else np.int64), np.frombuffer(b"".join(texts) + b"\0", np.uint8)]
        if kind == "view":
            views, data = b"", b""
            for value in values:
                text = (value or "").encode()
                views += len(text).to_bytes(4, "little")
                if len(text) <= 12:
                    views += text.ljust(12, b"\0")
                else:
                    views += text[:4] + (0).to_bytes(4, "little") + len(data).to_bytes(4, "little")
                    data += text
            return [np.frombuffer(views, np.uint8), np.frombuffer(data + b"\0", np.uint8)]
        dtype = np.int32 if kind == "date" else kind
        return [np.array([0 if value is None else value for value in values], dtype=dtype)]
