"""Click models and ranking losses written as Python classes.

    class TrustPBM(ultr.ExaminationModel):
        '''Position-based model with trust bias.'''
        examination = ultr.parameter("rank", "Examination")
        relevance = ultr.parameter("document", "Relevance")
        relevant = ultr.parameter("rank", "Clicks if relevant", start=0.9)
        other = ultr.parameter("rank", "Clicks if not", start=0.1)

        def story(self, s):
            return ultr.Examination(self.examination(s), ultr.mix(self.relevance(s), self.relevant(s), self.other(s)))

A story is called when a program is recorded, once per length of lists and thread; training replays programs.
"""

from __future__ import annotations

from typing import Any, Dict, List, Optional, Tuple

from ultr import _core
from ultr._types import Options, known, plain


class Declaration:
    """A part that the class of a model declares. In a story, the attribute is what was built."""

    help: str

    def build(self, builder: _core.ModelBuilder, name: str) -> Any:
        raise NotImplementedError

    def defaults(self) -> Any:
        """Returns what a configuration says if the user says nothing; None: nothing."""
        return None


class Parameter(Declaration):
    """A learned probability. Made by ``parameter``; ``self.name(s)`` is its probability in a story."""

    def __init__(self, domain: str, help: str, start: Optional[float], layer: Optional[Options], effect: str) -> None:
        self.domain, self.help, self.start, self.layer, self.effect = domain, help, start, layer, effect

    def build(self, builder: _core.ModelBuilder, name: str) -> Any:
        return builder.parameter(name, self.domain, self.help, self.effect)

    def defaults(self) -> Any:
        values = {} if self.layer is None else plain(self.layer)
        return {**values, "start": self.start} if self.start is not None else values or None

    # In a story the attribute is the built parameter; these are for readers and type checkers.
    def __call__(self, s: _core.Session) -> _core.Prob:
        raise TypeError("a parameter has a probability within a story only; expected self.name(s) there")

    def logit(self, s: _core.Session) -> _core.Logit:
        """Returns its logit, to be added to others."""
        raise TypeError("a parameter has a logit within a story only; expected self.name.logit(s) there")


class Shares(Declaration):
    """Learned shares of alternatives. Made by ``shares``; ``self.name(s)`` is the list of their probabilities."""

    def __init__(self, count: int, help: str) -> None:
        self.count, self.help = count, help

    def build(self, builder: _core.ModelBuilder, name: str) -> Any:
        return builder.shares(name, self.count, self.help)

    def __call__(self, s: _core.Session) -> List[_core.Prob]:
        raise TypeError("shares have probabilities within a story only; expected self.name(s) there")


class Setting(Declaration):
    """A number, boolean or word that a configuration chooses."""

    def __init__(self, method: str, arguments: Tuple[Any, ...], help: str) -> None:
        self.method, self.arguments, self.help = method, arguments, help

    def build(self, builder: _core.ModelBuilder, name: str) -> Any:
        return getattr(builder, self.method)(name, *self.arguments, self.help)


def parameter(
    domain: str, help: str, *, start: Optional[float] = None, layer: Optional[Options] = None, effect: str = "raises"
) -> Parameter:
    """Declares a learned probability of a model.

    domain: what it has one logit for each of: "rank", "document", "document and rank", "rank pair", "global", or, if
            sessions have signals, "rank and view", "rank and skip" or "dwell time".
    help:   one line.
    start:  its probability before training; by default, training starts at the click rate of the sessions.
    layer:  what computes its logits, such as ``ultr.layers.mlp(widths=[32])``.
    effect: whether it "raises" the click rate, "lowers" it, or has "none".
    """
    return Parameter(domain, help, start, layer, effect)


def shares(count: int, help: str) -> Shares:
    """Declares the learned shares of ``count`` alternatives, of which each session follows one."""
    return Shares(count, help)


def number(default: float, help: str, *, low: float = float("-inf"), high: float = float("inf")) -> Any:
    """Declares a number that users of the model can choose; in a story it is a float."""
    if not low <= default <= high:
        raise ValueError(f"the default is {default}; expected a number from {low} to {high}")
    return Setting("number", (float(default), low, high), help)


def boolean(default: bool, help: str) -> Any:
    """Declares a boolean that users of the model can choose."""
    return Setting("boolean", (bool(default),), help)


def word(default: str, words: List[str], help: str) -> Any:
    """Declares a word of a list that users of the model can choose."""
    if default not in words:
        raise ValueError(f"the default is {default!r}; expected one of {', '.join(words)}")
    return Setting("word", (default, list(words)), help)


class _Body(Dict[str, Any]):
    """The names in the body of a model's class: each may be declared once."""

    def __setitem__(self, name: str, value: Any) -> None:
        before = self.get(name)
        if isinstance(before, Declaration) or (name in self and isinstance(value, Declaration)):
            raise TypeError(f"{self.get('__qualname__', 'the model')} declares {name!r} twice; expected each name once")
        super().__setitem__(name, value)


class _ModelMeta(type):
    """Checks the classes of models when they are defined, and makes them known by their names."""

    @classmethod
    def __prepare__(metacls, name: str, bases: Tuple[type, ...], **keywords: Any) -> _Body:  # type: ignore[override]
        return _Body()

    def __new__(metacls, name: str, bases: Tuple[type, ...], body: Dict[str, Any]) -> Any:
        made = super().__new__(metacls, name, bases, dict(body))
        declarations: Dict[str, Declaration] = {}
        for base in reversed(made.__mro__):
            declarations.update({key: one for key, one in vars(base).items() if isinstance(one, Declaration)})
        for reserved in ("to_config", "model_class", "story", "loss", *made._reserved):  # type: ignore[attr-defined]
            if reserved in declarations:
                raise TypeError(f"{name} declares {reserved!r}, which every model or loss has; expected another name")
        made._declarations = declarations  # type: ignore[attr-defined]
        group: str = made._group  # type: ignore[attr-defined]
        if callable(getattr(made, made._method, None)):  # type: ignore[attr-defined]
            if name in _core_types():
                raise TypeError(f"class {name} has the name of a type of the library; expected another name")
            registry = _core.Registry()  # of its own: a class with a mistake is known nowhere
            registry.add_model(name, name, made)
            registry.check(group, name, _defaults(declarations))
            known.classes[name] = made
            known.forget_groups()
        return made


def _defaults(declarations: Dict[str, Declaration]) -> Dict[str, Any]:
    """Returns the options that declarations give."""
    values = {name: one.defaults() for name, one in declarations.items()}
    return {name: value for name, value in values.items() if value is not None}


def _core_types() -> List[str]:
    if not _names:
        for group in _core.Registry().describe():
            if group["name"] in ("models", "losses"):
                _names.extend(one["name"] for one in group["types"])
    return _names


_names: List[str] = []


class _Declared(Options, metaclass=_ModelMeta):
    """A type that is a Python class. An object of the class is the type with its options."""

    _declarations: Dict[str, Declaration] = {}
    _group, _method, _family = "models", "story", ""
    _reserved: Tuple[str, ...] = ()

    def __init__(self, **options: Any) -> None:
        kind = type(self)
        if not self._family:
            raise TypeError(f"{kind.__name__} tells no story; expected a subclass of ExaminationModel, CascadeModel or ChainModel")
        if not callable(getattr(kind, self._method, None)):
            argument = "s" if self._method == "story" else "lists"
            raise TypeError(f"{kind.__name__} has no method {self._method}; expected {self._method}(self, {argument})")
        values = _defaults(self._declarations)
        for name, value in options.items():
            usual = values.get(name)
            if isinstance(value, dict) and isinstance(usual, dict):
                value = {**usual, **value}
            values[name] = value
        super().__init__(self._group, kind.__name__, values)
        known.registry(kind).check(self._group, kind.__name__, {name: plain(one) for name, one in self._values.items()})

    @property
    def model_class(self) -> type:
        return type(self)

    @classmethod
    def _bind(cls, builder: _core.ModelBuilder) -> _Declared:
        """Returns an object whose declared attributes are built; only its method is called."""
        bound = cls.__new__(cls)
        for name, declaration in cls._declarations.items():
            bound.__dict__[name] = declaration.build(builder, name)
        return bound


class ClickModel(_Declared):
    """The base class of click models."""


class RankingLoss(_Declared):
    """A loss that rankers are trained with: ``loss(self, lists)`` returns one number per list, as a tensor.

    lists.scores():            logits of relevance, one per document; option ``relevance`` says what computes them
    lists.logits(self.name):   logits of another parameter, one per document
    lists.targets():           clicks, click rates or labels, one per document
    lists.propensities():      the logging policy's probabilities, if the log has them
    lists.at_positions(list):  a number by displayed position
    lists.sum(x), logsumexp(x), log_softmax(x), shares(x), ranks(x): over the documents of each list
    lists.pairwise_logistic(scores, order): sum of log(1 + exp(score j - score i)) over the pairs of documents in which i
                               has the higher order, times the differences of their ``gain`` and ``discount``, and
                               ``winner`` of i and ``loser`` of j, if these are given
    lists.constant(number):    a number as a tensor
    lists.in_training:         False if a loss is only evaluated

    Other ops are those of ``ultr.autograd``. Losses are sums over documents or pairs, never means.
    """

    _group, _method, _family = "losses", "loss", "loss"
    _reserved = ("relevance",)


class ExaminationModel(ClickModel):
    """Users click what they examine and find attractive: ``story`` returns an ``Examination``.

    A parameter or method ``relevance`` is the score to rank by; without one it is attraction.
    """

    _family = "examination"


class CascadeModel(ClickModel):
    """Users read down the list and may stop: ``story`` returns a ``Cascade``.

    A parameter or method ``relevance`` is the score to rank by; without one it is attraction.
    """

    _family = "cascade"


class ChainModel(ClickModel):
    """Users are a finite-state machine over ranks: ``story`` returns a ``Chain``, and ``relevance`` is the score to
    rank by."""

    _family = "chain"
