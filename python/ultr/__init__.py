"""Click models and unbiased learning-to-rank: the C++ library ultr from Python.

    log = ultr.ClickLog.from_dataframe(frame, session="session", query="query", document="document",
                                       position="position", click="click")
    train, valid, test = log.split(valid=0.1, test=0.1, seed=1)
    fit = ultr.fit(ultr.models.pbm(), train, valid, optimizer=ultr.AdamW(lr=0.01), epochs=50)
    fit.evaluate(test)
"""

import sys as _sys
import typing as _typing
from typing import Any as _Any, List as _List

from ultr import _commands, _types, autograd
from ultr._core import (
    Cascade,
    Chain,
    DataError,
    Diverged,
    Error,
    Examination,
    Lists,
    Move,
    Prob,
    Session,
    State,
    __version__,
    mix,
    sigmoid,
)
from ultr._click_log import ClickLog
from ultr._commands import run
from ultr._data import Data, read
from ultr._fit import Fit, fit, load
from ultr._results import Results
from ultr._stories import (
    CascadeModel,
    ChainModel,
    ClickModel,
    ExaminationModel,
    RankingLoss,
    boolean,
    number,
    parameter,
    shares,
    word,
)
from ultr._types import Options, load_plugin, types_of

_types.add_modules(_sys.modules[__name__])

#: Optimizers under the names that other libraries give them.
_OPTIMIZERS = {"AdamW": "adamw", "Adam": "adam", "Adagrad": "adagrad", "SGD": "sgd", "EM": "em"}


def _missing(name: str) -> _Any:
    if name in _OPTIMIZERS:
        return getattr(_sys.modules["ultr.optimizers"], _OPTIMIZERS[name])
    if not name.startswith("_") and name in _commands.names():
        return _commands.function(name)
    raise AttributeError(f"module 'ultr' has no attribute {name!r}")


if _typing.TYPE_CHECKING:  # generated when the package runs; stubs are written by python/stubs/write_stubs.py
    from ultr import (
        analyses,
        compressions,
        data_formats,
        feature_formats,
        layers,
        learning_targets,
        list_generators,
        logging_policies,
        losses,
        models,
        optimizers,
        order_rankers,
        relevance_types,
        schedules,
        users,
    )
    from ultr._command_functions import *
    from ultr.optimizers import adagrad as Adagrad, adam as Adam, adamw as AdamW, em as EM, sgd as SGD
else:
    __getattr__ = _missing


def __dir__() -> _List[str]:
    return sorted({*__all__, *_commands.names(), *_types.module_names()})


__all__ = [
    "Adagrad",
    "Adam",
    "AdamW",
    "Cascade",
    "CascadeModel",
    "Chain",
    "ChainModel",
    "ClickLog",
    "ClickModel",
    "Data",
    "DataError",
    "Diverged",
    "EM",
    "Error",
    "Examination",
    "ExaminationModel",
    "Fit",
    "Lists",
    "Move",
    "Options",
    "Prob",
    "RankingLoss",
    "Results",
    "SGD",
    "Session",
    "State",
    "__version__",
    "autograd",
    "boolean",
    "fit",
    "load",
    "load_plugin",
    "mix",
    "number",
    "parameter",
    "read",
    "run",
    "shares",
    "sigmoid",
    "types_of",
    "word",
]
