"""Data that the library reads or simulates."""

from __future__ import annotations

from typing import Any, Dict, Optional

from ultr import _core
from ultr._click_log import ClickLog
from ultr._progress import ProgressLine, wants_progress
from ultr._types import Options, known, plain, used_classes


class Data:
    """Data that were read or simulated: training, validation and test sessions (see ``read``).

    The ids of documents that training sessions do not show for a query are not kept: such logs can be used, but not
    saved.
    """

    def __init__(self, core: _core.LoadedData, options: Dict[str, Any], seed: int) -> None:
        self._core, self._options, self._seed = core, options, seed

    @property
    def train(self) -> ClickLog:
        """The training sessions."""
        return ClickLog(self._core.train)

    @property
    def valid(self) -> ClickLog:
        """The validation sessions."""
        return ClickLog(self._core.valid)

    @property
    def test(self) -> ClickLog:
        """The test sessions."""
        return ClickLog(self._core.test)

    def __repr__(self) -> str:
        return f"<ultr.Data: {len(self.train)} training, {len(self.valid)} validation, {len(self.test)} test sessions>"


def read(data: Options, *, seed: int = 1, threads: int = 0, progress: Optional[bool] = None) -> Data:
    """Reads or simulates data: ``ultr.read(ultr.data_formats.tiangong(train="train.txt", valid="valid.txt"))``.

    data:     one of ``ultr.data_formats``
    seed:     of simulated data, and of splits
    threads:  0: one per core
    progress: by default shown in terminals and notebooks

    Ctrl-C ends it.
    """
    options = plain(data)
    config = {"data": options, "seed": seed, "threads": threads}
    line = ProgressLine(0, 0) if wants_progress(progress) else None
    try:
        core = _core.read(known.registry(*used_classes(data)), config, line)
    finally:
        if line is not None:
            line.close()
    return Data(core, options, seed)
