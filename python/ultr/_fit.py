"""Training, and trained models."""

from __future__ import annotations

import json
import os
import tempfile
import warnings
from pathlib import Path
from typing import Any, Dict, List, Optional, Union

import numpy as np

from ultr import _core
from ultr._classes import import_classes, save_classes
from ultr._click_log import ClickLog, core_of, frame_or_arrays
from ultr._data import Data
from ultr._progress import ProgressLine, wants_progress
from ultr._results import framed
from ultr._types import Options, known, plain, used_classes

#: The name of the training file of a fit to a log in memory.
_IN_MEMORY = "data frame"


class Fit:
    """A trained model: of ``fit``, of ``run``, or read from a run's folder by ``load``."""

    def __init__(self, core: _core.TrainedModel, folder: Optional[Path] = None, log: Optional[ClickLog] = None) -> None:
        self._core = core
        self._folder = None if folder is None else folder.absolute()  # wherever the process goes
        self._log = log  # that it was trained on, if it was in memory
        self._kept: Any = None  # a temporary folder lives as long as this

    @property
    def model_type(self) -> str:
        """The name of the model's type."""
        return self._core.model_type

    @property
    def config(self) -> str:
        """The resolved configuration, in YAML."""
        return self._core.config

    @property
    def folder(self) -> Optional[Path]:
        """The folder of the run, if there is one."""
        return self._folder

    @property
    def parameters(self) -> Dict[str, np.ndarray[Any, Any]]:
        """The values of the learned parameters, by name, as logits unless a layer says otherwise."""
        return self._core.parameters()

    @property
    def epochs(self) -> Any:
        """The results of each epoch as a data frame; empty if the model was loaded."""
        rows: List[Dict[str, Any]] = self._core.epochs
        names = list(dict.fromkeys(name for row in rows for name in row))
        return frame_or_arrays({name: np.array([row.get(name, np.nan) for row in rows]) for name in names})

    @property
    def best_epoch(self) -> int:
        """The epoch whose parameters the model has, from 1; 0 if the model was loaded."""
        return self._core.best_epoch

    @property
    def was_interrupted(self) -> bool:
        """True if Ctrl-C has ended training early."""
        return self._core.was_stopped

    @property
    def results(self) -> Dict[str, Any]:
        """What results.json of the run has; the splits are evaluated when this is first asked for."""
        results: Dict[str, Any] = json.loads(self._core.results())
        return results

    def evaluate(self, log: ClickLog) -> Dict[str, Any]:
        """Returns the measures of the model's click predictions on a log, such as ll, ppl and cond_ppl."""
        return self._core.evaluate(core_of(log, "log"))

    def predict_clicks(self, log: ClickLog) -> Any:
        """Returns a data frame with one row per document of a log.

        list, query, document, position, click: as in the log
        relevance:      logit, to rank by
        probability:    P(click), whatever happens above
        probability_given_clicks_above: P(click | the clicks above in the log)
        """
        return frame_or_arrays(self._core.predict(core_of(log, "log")))

    def relevance(self) -> Any:
        """Returns a data frame with one row per query-document pair of the training sessions: query, document and
        relevance, a probability; after training also lower and upper, its 95 % interval from the likelihood (NaN if
        the model has none), impressions, clicks and mean_position (from 1)."""
        return frame_or_arrays(self._core.relevance())

    def position_bias(self) -> Any:
        """Returns a data frame of the learned effect of positions relative to the first: ``examination``, which
        multiplies clicks, or ``logit``, which adds to that of relevance. None if the model learns no such effect."""
        columns = self._core.position_bias()
        return None if columns is None else frame_or_arrays(columns)

    def sample(self, log: ClickLog, seed: int = 1) -> ClickLog:
        """Returns the lists of a log with clicks of users who follow the model."""
        return ClickLog(self._core.sample(core_of(log, "log"), seed), log._names)

    def save(self, folder: Union[str, "os.PathLike[str]"]) -> Path:
        """Writes the folder of a run, which must be new or empty. ``ultr.load`` and ultr-run read it."""
        self._core.save(Path(folder))
        save_classes(Path(folder))
        if self._folder is None:
            self._folder = Path(folder).absolute()
        return Path(folder)

    def run_folder(self) -> Path:
        """Returns the folder of the run for commands to read, a temporary one unless there is another."""
        if self._folder is not None and self._log is None:
            return self._folder
        if self._kept is None:
            self._kept = tempfile.TemporaryDirectory(prefix="ultr-")
            run = Path(self._kept.name) / "run"
            self._core.save(run)
            save_classes(run)
            if self._log is not None:  # commands read it again
                config, file = run / "config.yaml", json.dumps(str(self._log.file()))
                config.write_text(config.read_text().replace(f"\n  train: [{_IN_MEMORY}]\n", f"\n  train: [{file}]\n"))
        return Path(self._kept.name) / "run"

    @classmethod
    def load(cls, folder: Union[str, "os.PathLike[str]"]) -> Fit:
        """Reads the folder of a finished run."""
        return load(folder)

    def report(self) -> str:
        """Returns the report of the run, a page of HTML with charts."""
        return self._core.report()

    def _repr_html_(self) -> str:
        return framed(self.report())

    def __repr__(self) -> str:
        rows = self._core.epochs
        trained = f"epoch {self.best_epoch} of {len(rows)}" if rows else "loaded"
        return f"<ultr.Fit: {self.model_type}, {trained}>"

    def __getstate__(self) -> Dict[str, bytes]:
        with tempfile.TemporaryDirectory() as folder:
            run = Path(folder) / "run"
            self._core.save(run)
            save_classes(run)
            return {str(file.relative_to(run)): file.read_bytes() for file in run.rglob("*") if file.is_file()}

    def __setstate__(self, files: Dict[str, bytes]) -> None:
        self._kept = tempfile.TemporaryDirectory(prefix="ultr-")  # lives as long as this object, which reads from it
        run = Path(self._kept.name) / "run"
        for name, content in files.items():
            file = run / name
            file.parent.mkdir(parents=True, exist_ok=True)
            file.write_bytes(content)
        import_classes(run, trust=True)  # a pickle is code anyway
        self._core = _core.load(known.registry(), run)
        self._folder = self._log = None


def fit(
    model: Options,
    train: Union[ClickLog, Data],
    valid: Optional[ClickLog] = None,
    test: Optional[ClickLog] = None,
    *,
    optimizer: Optional[Options] = None,
    epochs: Optional[int] = None,
    batch_size: Optional[int] = None,
    early_stopping: Optional[int] = None,
    loss_mean: Optional[str] = None,
    shuffle: Optional[bool] = None,
    seed: Optional[int] = None,
    threads: int = 0,
    progress: Optional[bool] = None,
    name: str = "fit",
    data: Optional[Dict[str, Any]] = None,
) -> Fit:
    """Trains a model and returns it with the parameters of its best epoch.

    model:          a click model or a loss: ``ultr.models.pbm()``, ``ultr.losses.dla()``, or one of a class of yours
    train:          training sessions, or Data that have all parts
    valid:          validation sessions, for early stopping; without them all epochs run
    test:           test sessions, for the report alone
    optimizer:      such as ``ultr.AdamW(lr=0.01)``
    epochs, batch_size, early_stopping, loss_mean, shuffle: as in section ``train`` of a configuration
    seed:           of all random numbers, by default 1, or that of Data; results depend on nothing else
    threads:        0: one per core
    progress:       by default shown in terminals and notebooks
    data:           further options of section ``data`` for features, such as ``{"scaling": {"standardise": True}}``

    Results are bit-identical to those of ultr-run with the same options, data and seed. Ctrl-C ends training after the
    current step and leaves the best epoch so far.
    """
    plain(model)  # raises ValueError for a type without its ()
    if not isinstance(train, Data):
        core_of(train, "train")
    if not isinstance(model, Options) or model._group not in ("models", "losses"):
        raise ValueError(f"model is {model!r}; expected one of ultr.models, ultr.losses or an object of a class of yours")
    settings = {
        "epochs": epochs,
        "batch_size": batch_size,
        "early_stopping": early_stopping,
        "loss_mean": loss_mean,
        "shuffle": shuffle,
    }
    config: Dict[str, Any] = {
        "name": name,
        "seed": seed if seed is not None else train._seed if isinstance(train, Data) else 1,
        "threads": threads,
        "loss" if model._group == "losses" else "model": plain(model),
        "train": {option: value for option, value in settings.items() if value is not None},
    }
    if optimizer is not None:
        config["optimizer"] = plain(optimizer)
    registry = known.registry(*used_classes(model))
    sessions = len(train.train if isinstance(train, Data) else train)
    line = ProgressLine(100 if epochs is None else epochs, sessions) if wants_progress(progress) else None
    try:
        if isinstance(train, Data):
            if valid is not None or test is not None:
                raise ValueError("train is Data, which have all parts; expected neither valid nor test beside it")
            if data is not None:
                raise ValueError("data is given, and train is Data, which have all options; expected one of them")
            config["data"] = train._options
            core = _core.fit_loaded(registry, config, train._core, line)
        else:
            _expect_used(data or {}, train)
            config["data"] = {**train.data_options(), "train": [_IN_MEMORY], **plain(data or {})}
            core = _core.fit(registry, config, train._core, _log(valid, "valid"), _log(test, "test"), line)
    finally:
        if line is not None:
            line.close()
    warn_if_interrupted(core, stacklevel=3)
    return Fit(core, log=train if isinstance(train, ClickLog) else None)


def warn_if_interrupted(core: Any, stacklevel: int) -> None:
    """Warns if Ctrl-C ended training."""
    if core.was_stopped:
        text = f"training was interrupted; the model is that of epoch {core.best_epoch}"
        warnings.warn(text, stacklevel=stacklevel)


#: Options of section data that say how files are read.
_OF_FILES = ("format", "reader", "train", "valid", "test", "split", "least_word_count")


def _expect_used(data: Dict[str, Any], log: ClickLog) -> None:
    """Raises ValueError for options of section data that a log in memory has no use for."""
    if data and not log.features:
        raise ValueError("data is given, but the log has no features; expected none, since its options are for features")
    for option in data:
        if option in _OF_FILES:
            raise ValueError(f"data has {option!r}, which is for files; expected the log to have all sessions as they are")


def _log(log: Optional[ClickLog], name: str) -> Optional[_core.ClickLog]:
    return None if log is None else core_of(log, name)


def load(folder: Union[str, "os.PathLike[str]"], *, trust: bool = False) -> Fit:
    """Reads the trained model in the folder of a finished run.

    trust: import the module of a model that is a Python class, unless the class is defined already
    """
    import_classes(Path(folder), trust)
    return Fit(_core.load(known.registry(), Path(folder)), Path(folder))
