"""The types of arguments in the stubs that python/stubs/write_stubs.py writes."""

import os
from typing import Any, Dict, Sequence, Tuple, Union

from ultr._click_log import ClickLog
from ultr._fit import Fit
from ultr._results import Results as Results
from ultr._types import Options as Options

File = Union[str, "os.PathLike[str]"]
Config = Union[File, Dict[str, Any], ClickLog, Tuple[ClickLog, ...]]
Run = Union[File, Fit, Results]
Overrides = Union[Dict[str, Any], Sequence[str]]
Table = Union[File, ClickLog, Any]
Type = Union[str, type, Options]
