"""The progress of training, in a terminal or a notebook."""

from __future__ import annotations

import sys
from typing import Any, Dict, Optional, TextIO


def _bar(share: float) -> str:
    return ("#" * int(20 * share)).ljust(20)


class ProgressLine:
    """One line on standard error that shows the epoch, redrawn in place."""

    def __init__(self, epochs: int, sessions: int, stream: Optional[TextIO] = None) -> None:
        self._epochs, self._sessions = epochs, sessions
        self._stream = sys.stderr if stream is None else stream
        self._last = ""
        self._width = 0

    def step(self, epoch: int, sessions: int) -> None:
        share = sessions / max(self._sessions, 1)
        self._draw(f"epoch {epoch}/{self._epochs} [{_bar(share)}] {self._last}")

    def epoch(self, results: Dict[str, Any]) -> None:
        self._last = f"train loss {results['train_loss']:.5f}"
        if "valid_loss" in results:
            self._last += f", valid loss {results['valid_loss']:.5f}"
        self._last += f", {results['sessions_per_second']:.3g} sessions/s"
        self._draw(f"epoch {results['epoch']}/{self._epochs} {self._last}")

    def progress(self, work: str, unit: str, done: int, total: int) -> None:
        share = min(done / max(total, 1), 1)
        self._draw(f"{work} [{_bar(share)}] {100 * share:.0f} % of {total:,} {unit.strip()}")

    def close(self) -> None:
        if self._width > 0:
            self._stream.write("\n")
            self._stream.flush()

    def _draw(self, text: str) -> None:
        self._stream.write("\r" + text.ljust(self._width))
        self._stream.flush()
        self._width = len(text)


class CommandLine:
    """One line on standard error that shows what a command does: its bar, or what it printed last."""

    def __init__(self, command: str) -> None:
        self._line = ProgressLine(0, 0)
        self._line._draw(command)

    def printed(self, text: str) -> None:
        lines = text.strip().splitlines()
        if lines:
            self._line._draw(lines[-1][:120])

    def progress(self, work: str, unit: str, done: int, total: int) -> None:
        self._line.progress(work, unit, done, total)

    def close(self) -> None:
        self._line.close()


def wants_progress(progress: Optional[bool]) -> bool:
    """Returns what the user has asked for; by default, a terminal or a notebook shows progress."""
    if progress is not None:
        return progress
    return sys.stderr.isatty() or "ipykernel" in sys.modules
