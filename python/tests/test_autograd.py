"""The tape from Python."""

import numpy as np
import pytest

import ultr
from ultr import autograd

POSITIVE = {"log", "log1p", "sqrt", "softplus_inverse", "segment_shares"}
NEGATIVE = {"log1mexp"}


@pytest.mark.parametrize("name", autograd._OPS)
def test_gradients_of_every_op_agree_with_differences(name):
    random = np.random.default_rng(1)
    op = getattr(autograd, name)
    x = random.uniform(0.3, 2, 6) * (-1 if name in NEGATIVE else 1 if name in POSITIVE else random.choice([-1, 1], 6))
    if name in ("matmul", "matvec"):
        b = random.normal(size=(3, 2) if name == "matmul" else 3)
        assert autograd.check_gradient(op, a=x.reshape(2, 3), b=b) < 1e-8
    elif name == "logsubexp":
        assert autograd.check_gradient(op, a=x + 3, b=x) < 1e-8
    elif name in ("maximum", "minimum", "logaddexp", "sigmoid_cross_entropy"):
        assert autograd.check_gradient(op, a=x, b=random.uniform(0, 1, 6)) < 1e-8
    elif name == "where":
        assert autograd.check_gradient(lambda a, b: op(a > b, a * b, 2), a=x, b=x[::-1].copy()) < 1e-8
    elif name == "pairwise_logistic":
        assert autograd.check_gradient(lambda x: op(x, autograd.stop_gradient(-x), [0, 2, 6]), x=x) < 1e-8
    elif name.startswith("segment"):
        assert autograd.check_gradient(lambda x: op(x, [0, 2, 6]), x=x) < 1e-8
    elif name == "clamp":
        assert autograd.check_gradient(lambda x: op(x, -1, 1), x=x) < 1e-8
    elif name in ("sum", "mean", "max", "logsumexp"):
        for axis in (None, 1) if name == "logsumexp" else (None, 0, 1):
            assert autograd.check_gradient(lambda x: op(x, axis=axis), x=x.reshape(2, 3)) < 1e-8
    else:
        assert autograd.check_gradient(op, x=x) < 1e-8


def test_a_loss_is_differentiated_and_replayed():
    x, y = np.array([[1.0, 2.0], [3.0, -4.0], [0.5, 0.0]]), np.array([1.0, 0.0, 1.0])
    tape = autograd.Tape()
    w = tape.variable([0.5, -0.5])
    loss = autograd.mean(autograd.sigmoid_cross_entropy(autograd.matvec(tape.constant(x), w), tape.constant(y)))

    def expected(w):
        p = 1 / (1 + np.exp(-x @ w))
        return -np.mean(y * np.log(p) + (1 - y) * np.log(1 - p)), x.T @ (p - y) / 3

    for values in ([0.5, -0.5], [1.0, 0.25]):
        tape.assign(w, values)
        tape.replay()
        tape.backward(loss)
        value, gradient = expected(np.array(values))
        assert loss.item() == pytest.approx(value, rel=1e-12)
        np.testing.assert_allclose(w.gradient, gradient, rtol=1e-12)


def test_operators_are_those_of_numpy():
    tape = autograd.Tape()
    a, b = np.array([[1.0, 2.0], [3.0, 4.0]]), np.array([0.5, -1.0])
    x, y = tape.variable(a), tape.variable(b)
    np.testing.assert_array_equal((2 * x + y / 4 - 1).values, 2 * a + b / 4 - 1)
    np.testing.assert_array_equal((1 - x).values, 1 - a)
    np.testing.assert_array_equal((-x @ x).values, -a @ a)
    np.testing.assert_array_equal((x @ y).values, a @ b)
    np.testing.assert_array_equal((1 / y + abs(y)).values, 1 / b + abs(b))
    np.testing.assert_array_equal((a * x - x / a + b).values, a * a - a / a + b)
    np.testing.assert_array_equal((a @ x).values, a @ a)
    np.testing.assert_array_equal((b / y).values, b / b)
    np.testing.assert_array_equal((y**3).values, b**3)
    np.testing.assert_array_equal((y**-2).values, b**-2.0)
    np.testing.assert_allclose((tape.variable([-1.01, 0.99]) ** 65).values, np.array([-1.01, 0.99]) ** 65, rtol=1e-13)
    np.testing.assert_allclose((tape.variable([0.3, 2.0]) ** 0.7).values, np.array([0.3, 2.0]) ** 0.7, rtol=1e-14)
    assert repr(x) == "<ultr.autograd.Tensor [2, 2]>"


@pytest.mark.parametrize("power", [0, 1, 2, 3, 7, -1, -2, 1.5, -0.3])
def test_powers_have_gradients(power):
    assert autograd.check_gradient(lambda x: x**power, x=[0.5, 1.0, 2.0]) < 1e-8
    if power == int(power):
        assert autograd.check_gradient(lambda x: x**power, x=[-0.5, -1.0, -2.0]) < 1e-8


def test_comparisons_choose_values():
    tape = autograd.Tape()
    x = tape.variable([-1.0, 0.0, 2.0])
    np.testing.assert_array_equal(autograd.where(x > 0, x, 0).values, [0, 0, 2])
    np.testing.assert_array_equal(autograd.where(x < 0, 5, x * x).values, [5, 0, 4])
    with pytest.raises(TypeError, match=r"a comparison of tensors has no value .* expected where\(a > b, yes, no\)"):
        max(x, x)


def test_a_wrong_gradient_is_found():
    assert autograd.check_gradient(lambda x: autograd.square(x) + x, x=[1.0, 2.0]) < 1e-8
    half = lambda x: x * autograd.stop_gradient(x)  # the gradient is x, where the derivative is 2 x
    assert autograd.check_gradient(half, x=[1.0, 2.0]) < 1e-8  # held constant, as training holds it
    assert autograd.check_gradient(half, x=[1.0, 2.0], hold_stopped=False) == pytest.approx(0.5)
    assert autograd.check_gradient(autograd.relu, x=[0.0]) > 0.4  # which has no derivative there


def test_shapes_that_do_not_fit_are_one_line():
    tape = autograd.Tape()
    with pytest.raises(ValueError, match="matmul: .*expected|matmul: .*differ"):
        tape.variable(np.ones((2, 3))) @ tape.variable(np.ones((2, 3)))
    with pytest.raises(ValueError, match="an array has 3 dimensions; expected at most 2"):
        tape.variable(np.ones((2, 3, 1)))
    with pytest.raises(ValueError, match="offsets of segments do not rise from 0 to 3"):
        autograd.segment_sum(tape.variable(np.ones(3)), [0, 2])
    with pytest.raises(AttributeError, match="ultr.autograd has no op 'cosh'; expected one of abs"):
        autograd.cosh
    with pytest.raises(ValueError):
        autograd.Tape().variable([1.0]) + tape.variable([1.0])
    x, other = tape.variable(1.0), autograd.Tape()
    with pytest.raises(ValueError, match="backward: the tensor is on another tape; expected one of this tape"):
        other.backward(x)
    with pytest.raises(ValueError, match="assign: the tensor is on another tape"):
        other.assign(x, 2.0)
    assert x.item() == 1
    assert ultr.autograd is autograd
