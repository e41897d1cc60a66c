"""The commands of ultr-run as functions, generated from their declarations, and configurations as values of Python."""

from __future__ import annotations

import inspect
import json
import re
import tempfile
import warnings
from pathlib import Path
from typing import Any, Callable, Dict, List, Optional, Tuple

from ultr import _core
from ultr._classes import save_classes
from ultr._click_log import ClickLog
from ultr._data import Data
from ultr._fit import Fit, load, warn_if_interrupted
from ultr._progress import CommandLine, ProgressLine, wants_progress
from ultr._results import Results
from ultr._types import Default, argument_name, known, plain, used_classes


def names() -> List[str]:
    """Returns the names of the functions: ``estimate_bias``."""
    return [one["name"].replace("-", "_") for one in known.group("commands")["types"]]


def function(name: str) -> Callable[..., Results]:
    """Returns the function of a command."""
    for described in known.group("commands")["types"]:
        if described["name"].replace("-", "_") == name:
            return _function(described)
    raise AttributeError(f"there is no command {name!r}")


def _function(described: Dict[str, Any]) -> Callable[..., Results]:
    fields = {argument_name(one["name"]): one for one in described["fields"]}
    positional = [name for name, one in fields.items() if one.get("positional")]
    parameters = [
        inspect.Parameter(
            name,
            inspect.Parameter.POSITIONAL_OR_KEYWORD if name in positional else inspect.Parameter.KEYWORD_ONLY,
            default=inspect.Parameter.empty if one.get("required") and name != "output" else Default(one["default"]),
        )
        for name, one in sorted(fields.items(), key=lambda item: item[0] not in positional)
    ]
    parameters.append(inspect.Parameter("progress", inspect.Parameter.KEYWORD_ONLY, default=None))
    signature = inspect.Signature(parameters, return_annotation=Results)

    def call(*arguments: Any, **options: Any) -> Results:
        given = dict(signature.bind(*arguments, **options).arguments)
        progress = given.pop("progress", None)
        return _run(described["name"], fields, given, progress)

    call.__name__ = call.__qualname__ = described["name"].replace("-", "_")
    call.__module__ = "ultr"
    lines = [described["help"], ""]
    lines += [f"{name}: {one['help']} ({one['type']}; default: {one['default'] or 'empty'})" for name, one in fields.items()]
    lines += ["progress: by default shown in terminals and notebooks", ""]
    lines.append("A file or folder ``output`` that is not given is temporary, and lives as long as the result.")
    call.__doc__ = "\n".join(lines)
    call.__signature__ = signature  # type: ignore[attr-defined]
    return call


def _run(command: str, fields: Dict[str, Any], given: Dict[str, Any], progress: Optional[bool]) -> Results:
    with tempfile.TemporaryDirectory() as files:
        values: Dict[str, Any] = {}
        for name, value in given.items():
            values[fields[name]["name"]] = _argument(fields[name], value, Path(files), values.get("run"))
        kept, path = None, values.get("output")
        if path is None and "output" in fields:
            kept = tempfile.TemporaryDirectory(prefix="ultr-")
            is_file = fields["output"].get("placeholder") == "FILE"
            path = values["output"] = str(Path(kept.name) / (f"{command}.csv" if is_file else command))
        if path is None and "folder" in values:  # of resume
            path = values["folder"]
        done = run_command(command, values, list(given.values()), progress)
    if kept is not None:
        done["text"] = _without_folder(done["text"], kept.name)
    written = None if path is None or not Path(path).exists() else Path(path)
    if written is not None and written.is_dir():
        save_classes(written)
    return Results(done, written, load, kept)


def _without_folder(text: str, folder: str) -> str:
    """Returns what a command prints without what it says about a temporary folder."""
    lines = [line for line in text.splitlines(keepends=True) if f" in {folder}" not in line]
    return "".join(lines).replace(f"{folder}/", "")


def run_command(command: str, values: Dict[str, Any], used: Any, progress: Optional[bool]) -> Dict[str, Any]:
    """Does what a command does with values that a configuration can have; ``used`` may name classes of models."""
    line = CommandLine(command) if wants_progress(progress) else None
    try:
        return _core.run_command(known.registry(*used_classes(used)), command, values, line)
    except ValueError as error:  # messages name options as the command line does
        said = re.sub(r"--([a-z][a-z-]*)", lambda option: option.group(1).replace("-", "_"), str(error))
        raise type(error)(said) from None
    finally:
        if line is not None:
            line.close()


def _argument(field: Dict[str, Any], value: Any, files: Path, run: Optional[str]) -> Any:
    """Returns a value of an option as the command takes it. Files that stand for it are written to a folder, those of
    logs with the columns that a run reads."""
    if field["name"] == "config":
        return str(config_file(value, files))
    if isinstance(value, dict) and field.get("placeholder") == "KEY=VALUE":
        return assignments(value)
    if not str(field["type"]).startswith("list"):
        return _value(field, value, files / f"{field['name']}.csv", run)
    several = value if isinstance(value, (list, tuple, range)) or hasattr(value, "tolist") else [value]
    return [_value(field, one, files / f"{field['name']}-{i}.csv", run) for i, one in enumerate(several, 1)]


def _value(field: Dict[str, Any], value: Any, file: Path, run: Optional[str]) -> Any:
    if isinstance(value, Fit):
        return str(value.run_folder())
    if isinstance(value, Results):
        return str(value.path)
    if field["name"] != "output" and isinstance(value, ClickLog):
        return str((value if run is None else value.with_names(_columns_of(Path(run)))).save(file))
    if field["name"] != "output" and hasattr(value, "to_csv"):
        value.to_csv(file, index=False)
        return str(file)
    return plain(value)


def _columns_of(run: Path) -> Dict[str, str]:
    """Returns the names of the columns that a run reads; none if it is no run, which its command says."""
    config = run / "config.yaml"
    return _core.data_columns(config.read_text(encoding="utf-8")) if config.is_file() else {}


def assignments(overrides: Dict[str, Any], values: bool = False) -> List[str]:
    """Returns overrides as ultr-run takes them; with ``values``, each is a list of the values of a sweep."""
    texts = []
    for key, value in overrides.items():
        one = [_yaml(each) for each in value] if values else [_yaml(value)]
        texts.append(f"{key}={','.join(one)}")
    return texts


def _yaml(value: Any) -> str:
    if isinstance(value, (str, Path)) and _PLAIN.fullmatch(str(value)) and str(value).lower() not in _NO_TEXT:
        return str(value)
    return json.dumps(plain(value), ensure_ascii=False, default=_of_numpy_or_path)


#: Texts that YAML has without quotes, and words that it takes for something else.
_PLAIN = re.compile(r"[A-Za-z/_][A-Za-z0-9/_.-]*")
_NO_TEXT = ("true", "false", "null", "yes", "no", "on", "off", "y", "n")


def _of_numpy_or_path(value: Any) -> Any:
    return value.tolist() if hasattr(value, "tolist") else str(value)


def config_file(config: Any, files: Path) -> Path:
    """Returns the file of a configuration: a path, a dict, Data, or a log or logs (training, validation, test), which
    are its data."""
    if isinstance(config, Data):
        config = {"data": config._options, "seed": config._seed}
    if isinstance(config, ClickLog) or (isinstance(config, tuple) and all(isinstance(one, ClickLog) for one in config)):
        logs = (config,) if isinstance(config, ClickLog) else config
        config = {"data": dict(zip(("train", "valid", "test"), logs))}
    if not isinstance(config, dict):
        return Path(config)
    if isinstance(config.get("data"), dict):
        config = {**config, "data": _data(config["data"])}
    file = files / "run.yaml"
    file.write_text(_yaml(config), encoding="utf-8")
    return file


def _data(data: Dict[str, Any]) -> Dict[str, Any]:
    """Returns section data of a configuration, with the files of the logs that it has."""
    logs = {part: one for part, one in data.items() if isinstance(one, ClickLog)}
    if not logs:
        return data
    train = logs.get("train")
    if train is None:
        raise ValueError("data has logs, and train is none of them; expected a ClickLog as data.train")
    files = {part: [str(one.with_names(train._names).file())] for part, one in logs.items()}
    return {**train.data_options(max(one.positions for one in logs.values())), **data, **files}


def run(
    config: Any,
    overrides: Optional[Dict[str, Any]] = None,
    *,
    sweep: Optional[Dict[str, Any]] = None,
    progress: Optional[bool] = None,
) -> Any:
    """Does what a configuration says and fills its folder, as ``ultr-run CONFIG KEY=VALUE ...`` does.

    config:    a file, or a dict; a ClickLog in place of the files of section data
    overrides: options to change, by their dotted names: ``{"optimizer.lr": 0.01}``
    sweep:     options with several values, of which all combinations are run and compared:
               ``{"model": [ultr.models.pbm(), TrustPBM()], "seed": range(1, 6)}``

    Returns a Fit of a single run, and Results of a sweep, a study or an analysis. Ctrl-C stops a single run as
    ``ultr.fit`` says; it ends a sweep, and ``ultr.resume`` goes on from its folder.
    """
    changed = {} if overrides is None else overrides
    varied = {} if sweep is None else {key: list(values) for key, values in sweep.items()}
    for key, values in varied.items():
        if not values:
            raise ValueError(f"sweep has no values for {key!r}; expected one at least")
    with tempfile.TemporaryDirectory() as files:
        file = config_file(config, Path(files))
        pairs: List[Tuple[str, Any]] = [(key, plain(one)) for key, one in changed.items()]
        folder, kind = _core.planned_folder(file, pairs)
        several = 1
        for values in varied.values():
            several *= len(values)
        if kind == "experiment" and several == 1:
            pairs += [(key, plain(values[0])) for key, values in varied.items()]
            return _one_run(file, pairs, [config, changed, varied], progress)
        given = {**changed, "output": str(folder)}
        swept = {"config": str(file), "overrides": assignments(given) + assignments(varied, values=True)}
        done = run_command("train", swept, [config, changed, varied], progress)
    save_classes(folder)
    if done["exit_code"] == 1:
        warnings.warn("some runs failed (failures says why)", stacklevel=2)
    return Results(done, folder, load, None)


def _one_run(file: Path, overrides: List[Tuple[str, Any]], used: Any, progress: Optional[bool]) -> Fit:
    line = ProgressLine(0, 0) if wants_progress(progress) else None
    try:
        core, folder = _core.run(known.registry(*used_classes(used)), file, overrides, line)
    finally:
        if line is not None:
            line.close()
    warn_if_interrupted(core, stacklevel=4)
    save_classes(folder)
    return Fit(core, folder)
