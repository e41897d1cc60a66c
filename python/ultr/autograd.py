"""The tape: tensors of float64, ops, gradients and gradient checks.

    tape = autograd.Tape()
    x, w = tape.constant([[1, 2], [3, 4]]), tape.variable([0.5, -0.5])
    loss = -autograd.mean(autograd.log_sigmoid(autograd.matvec(x, w)))
    tape.backward(loss)
    loss.item(), w.gradient

Tensors are scalars, vectors and matrices. Ops record on the tape; values are computed when they are read. ``assign`` and
``replay`` run the same program on other values. Operators are ``+ - * / ** @``, also with numbers and arrays, and
``where(a > b, yes, no)`` chooses between values.
"""

from __future__ import annotations

from typing import Any, Callable

from ultr import _core

Tape = _core.autograd.Tape
Tensor = _core.autograd.Tensor

_OPS = [name for name in dir(_core.autograd) if name[0].islower() and name != "check_gradient"]
for _name in _OPS:
    globals()[_name] = getattr(_core.autograd, _name)

__all__ = ["Tape", "Tensor", "check_gradient", *_OPS]


def check_gradient(function: Callable[..., Any], *, hold_stopped: bool = True, **inputs: Any) -> float:
    """Compares the gradients of a function of tensors with central differences, at the given arrays.

    Returns the largest error, ``|tape - differences| / max(1, |tape|, |differences|)``. Elements of a result that is not a
    scalar are weighted and summed, so that every element counts. Differences hold what passes through
    ``stop_gradient`` constant, as the tape does, unless ``hold_stopped`` is False: then the error is that of the
    gradient which training follows against the derivative of the formula.

    >>> check_gradient(lambda a, b: logaddexp(a, b), a=[0.5, -1], b=[2, 3]) < 1e-8
    True
    """
    names = list(inputs)
    error, _ = _core.autograd.check_gradient(
        lambda tensors: function(**dict(zip(names, tensors))), [(name, inputs[name]) for name in names], hold_stopped
    )
    return float(error)


def __getattr__(name: str) -> Any:
    raise AttributeError(f"ultr.autograd has no op {name!r}; expected one of {', '.join(_OPS)}")
