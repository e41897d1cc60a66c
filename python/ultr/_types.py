"""The types of the library: models, losses, layers, optimizers, ..., generated from their declarations."""

from __future__ import annotations

import inspect
import keyword
import sys
import types
from typing import Any, Callable, Dict, List, Optional, Tuple

from ultr import _core

#: Groups of types, by their names in the library. Each is a module of the package: ultr.data_formats.
GROUPS = (
    "models",
    "losses",
    "layers",
    "compressions",
    "optimizers",
    "schedules",
    "data-formats",
    "feature-formats",
    "list-generators",
    "learning-targets",
    "relevance-types",
    "logging-policies",
    "order-rankers",
    "users",
    "analyses",
)


class Options:
    """A type of the library with its options: ``ultr.optimizers.adamw(lr=0.01)``."""

    def __init__(self, group: str, name: str, values: Dict[str, Any]) -> None:
        self._group = group
        self._name = name
        self._values = values

    def to_config(self) -> Dict[str, Any]:
        """Returns the section of a configuration that says the same."""
        key = "format" if self._group == "data-formats" else "type"
        return {key: self._name, **{name: plain(value) for name, value in self._values.items()}}

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Options) and self.to_config() == other.to_config() and self._group == other._group

    def __hash__(self) -> int:
        return hash((self._group, self._name))

    def __repr__(self) -> str:
        values = ", ".join(f"{name}={value!r}" for name, value in self._values.items())
        return f"ultr.{self._group.replace('-', '_')}.{self._name}({values})"


def plain(value: Any) -> Any:
    """Returns a value in which sections of a configuration stand for types."""
    if isinstance(value, type) and value.__name__ in known.classes:
        return value.__name__
    if hasattr(value, "to_config"):
        return value.to_config()
    if inspect.isfunction(value) and value.__module__ in sys.modules and isinstance(
        sys.modules[value.__module__], _GroupModule
    ):
        name = f"{value.__module__}.{value.__name__}"
        raise ValueError(f"{name} is a function; expected {name}(), with its options")
    if isinstance(value, dict):
        return {key: plain(one) for key, one in value.items()}
    if isinstance(value, (list, tuple)):
        return [plain(one) for one in value]
    return value


class Default:
    """The default of an option, as help() shows it."""

    def __init__(self, text: str) -> None:
        self.text = text

    def __repr__(self) -> str:
        return self.text or "''"


class _Types:
    """The registry of the library with the plugins and classes of this process."""

    def __init__(self) -> None:
        self.plugins: List[str] = []
        self.classes: Dict[str, type] = {}
        self._made: Optional[Tuple[Any, _core.Registry]] = None
        self._groups: Optional[Dict[str, Dict[str, Any]]] = None

    def registry(self, *used: type) -> _core.Registry:
        """Returns a registry; the classes ``used`` take the place of others of their names."""
        classes = {**self.classes, **{one.__name__: one for one in used}}
        key = (tuple(self.plugins), tuple(classes.items()))
        if self._made is None or self._made[0] != key:
            made = _core.Registry()
            for plugin in self.plugins:
                made.load_plugin(plugin)
            for name, model in classes.items():
                made.add_model(name, _first_line(model), model)
            self._made = (key, made)
        return self._made[1]

    def group(self, name: str) -> Dict[str, Any]:
        """Returns the description of a group."""
        if self._groups is None:
            self._groups = {one["name"]: one for one in self.registry().describe()}
        if name not in self._groups:
            raise ValueError(f"there is no group of types {name!r}; expected one of {', '.join(self._groups)}")
        return self._groups[name]

    def forget_groups(self) -> None:
        self._groups = None


def _first_line(model: type) -> str:
    return (inspect.getdoc(model) or model.__name__).splitlines()[0]


known = _Types()


def types_of(group: str) -> Dict[str, str]:
    """Returns the help of each type of a group, such as "models" or "metrics", by its name."""
    return {one["name"]: one["help"] for one in known.group(group)["types"]}


def load_plugin(file: Any) -> None:
    """Loads a plugin, a shared object that adds types to the library."""
    path = str(file)
    if path in known.plugins:
        return
    _core.Registry().load_plugin(path)  # throws if it cannot be loaded
    known.plugins.append(path)
    known.forget_groups()


def _maker(group: str, described: Dict[str, Any]) -> Callable[..., Options]:
    """Returns the function that makes options of a type."""
    name = described["name"]
    inline = {option["name"] for option in described["fields"] if option["inline"]}

    def make(**given: Any) -> Options:
        values: Dict[str, Any] = {}
        for key, value in given.items():
            key = key[:-1] if key.endswith("_") and keyword.iskeyword(key[:-1]) else key
            if key in inline and isinstance(value, Options):  # its options stand beside it
                values.update({key: value._name, **value._values})
            else:
                values[key] = value
        known.registry(*used_classes(values)).check(group, name, {key: plain(one) for key, one in values.items()})
        return Options(group, name, values)

    make.__name__ = make.__qualname__ = name
    make.__module__ = module_name(group)
    lines = [described["help"], ""]
    for option in described["fields"]:
        lines.append(f"{option['name']}: {option['help']} ({option['type']}; default: {option['default'] or 'empty'})")
    make.__doc__ = "\n".join(lines)
    make.__signature__ = inspect.Signature(  # type: ignore[attr-defined]
        [
            inspect.Parameter(argument_name(option["name"]), inspect.Parameter.KEYWORD_ONLY, default=Default(option["default"]))
            for option in described["fields"]
        ],
        return_annotation=Options,
    )
    return make


def argument_name(option: str) -> str:
    """Returns the name of an option as an argument: words of Python get an underscore."""
    return option + "_" if keyword.iskeyword(option) else option


def used_classes(value: Any) -> List[type]:
    """Returns the model classes that options name, directly or within."""
    found: List[type] = []
    if isinstance(value, type) and hasattr(value, "model_class"):
        found.append(value)
    elif isinstance(value, Options):
        if hasattr(value, "model_class"):
            found.append(value.model_class)
        found += used_classes(value._values)
    elif isinstance(value, dict):
        for one in value.values():
            found += used_classes(one)
    elif isinstance(value, (list, tuple)):
        for one in value:
            found += used_classes(one)
    return found


def module_name(group: str) -> str:
    return "ultr." + group.replace("-", "_")


def module_names() -> List[str]:
    """Returns the names of the groups in the package."""
    return [module_name(group).split(".")[1] for group in GROUPS]


class _GroupModule(types.ModuleType):
    """A group of types as a module whose functions are made when they are first used."""

    def __init__(self, group: str) -> None:
        super().__init__(module_name(group))
        self.__dict__["_group"] = group

    def __getattr__(self, name: str) -> Any:
        if name == "__doc__":
            return known.group(self._group)["help"]
        if name == "__all__":
            return list(types_of(self._group))
        if name.startswith("__"):
            raise AttributeError(name)
        for described in known.group(self._group)["types"]:
            if described["name"] == name:
                return _maker(self._group, described)
        names = ", ".join(types_of(self._group))
        raise AttributeError(f"{self.__name__} has no type {name!r}; expected one of {names}")

    def __dir__(self) -> List[str]:
        return list(types_of(self._group))


def add_modules(package: types.ModuleType) -> None:
    """Adds the modules of all groups to the package."""
    for group in GROUPS:
        module = _GroupModule(group)
        sys.modules[module.__name__] = module
        setattr(package, module.__name__.split(".")[1], module)
