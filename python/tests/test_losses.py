"""Ranking losses written as Python classes."""

import numpy as np
import pytest

import ultr
from conftest import COLUMNS, clicks_frame
from ultr.autograd import expm1, log1p, log_one_minus_sigmoid, log_sigmoid, maximum, relu, stop_gradient, where


class PythonSoftmax(ultr.RankingLoss):
    """Softmax loss of clicks."""

    def loss(self, lists):
        clicks = lists.targets()
        entropy = -lists.sum(clicks * lists.log_softmax(lists.scores()))
        return entropy / maximum(lists.sum(clicks), lists.constant(1))  # as if one document were clicked


class PythonLambdaRank(ultr.RankingLoss):
    """LambdaRank (Burges et al., 2006), divided by the ideal DCG of each list."""

    def loss(self, lists):
        x, clicks = lists.scores(), lists.targets()

        def discounts(ranks):
            return np.log(2) / log1p(ranks)

        gains = expm1(clicks * np.log(2))
        pairs = lists.pairwise_logistic(x, clicks, gain=gains, discount=discounts(lists.ranks(x)))
        ideal = lists.sum(gains * discounts(lists.ranks(clicks)))
        return where(ideal > 0, pairs / maximum(ideal, lists.constant(1e-9)), 0)


class Focal(ultr.RankingLoss):
    """Focal loss of two towers (Lin et al., 2017)."""

    examination = ultr.parameter("rank", "Logit of each rank")
    focus = ultr.number(0, "Exponent", low=0)

    def loss(self, lists):
        x, clicks = lists.scores() + lists.logits(self.examination), lists.targets()
        log_p, log_not = log_sigmoid(x), log_one_minus_sigmoid(x)
        of_click, of_skip = ultr.autograd.exp(self.focus * log_not) * log_p, ultr.autograd.exp(self.focus * log_p) * log_not
        return -lists.sum(clicks * of_click + (1 - clicks) * of_skip)


@pytest.fixture(scope="module")
def parts(log):
    return log.split(valid=0.2, test=0.2, seed=1)


@pytest.mark.parametrize("threads", [1, 2])
@pytest.mark.parametrize("loss, base", [(PythonSoftmax, "softmax"), (PythonLambdaRank, "lambdarank")])
def test_a_loss_in_python_has_the_parameters_of_one_in_cpp(parts, threads, loss, base):
    plain = dict(epochs=4, threads=threads, optimizer=ultr.SGD(lr=0.1))  # no step magnifies a last digit
    one = ultr.fit(loss(), *parts, **plain)
    other = ultr.fit(ultr.losses.naive(base=base), *parts, **plain)
    assert np.ptp(one.parameters["relevance"]) > 0.01
    np.testing.assert_allclose(one.parameters["relevance"], other.parameters["relevance"], rtol=1e-4, atol=1e-5)
    assert one.model_type == loss.__name__ and "probability" not in one.predict_clicks(parts[2])


def test_its_options_are_the_library_s(parts):
    plain = dict(epochs=3, optimizer=ultr.SGD(lr=0.1))
    one, other = (ultr.fit(loss, *parts, **plain) for loss in (Focal(), Focal(focus=2)))
    assert {"relevance", "examination"} <= set(one.parameters)
    assert not np.array_equal(one.parameters["relevance"], other.parameters["relevance"])
    with pytest.raises(ValueError, match="losses.Focal: focus is '-1'; expected at least 0"):
        Focal(focus=-1)
    assert ultr.fit(Focal(relevance=ultr.layers.embedding(dimension=2)), parts[0], epochs=1).parameters["relevance"].shape[1] == 2


def test_its_gradients_are_checked(parts):
    config = {"data": {"train": parts[0]}, "loss": Focal(focus=2)}
    assert "gradients agree with finite differences on 32 sessions" in ultr.train(config, check_gradients=True).text

    class Kinked(ultr.RankingLoss):
        """Has no derivative at the scores, whatever they are."""

        def loss(self, lists):
            x = lists.scores()
            return lists.sum(x * x + relu(x - stop_gradient(x)) * lists.targets())

    checked = ultr.train({**config, "loss": Kinked()}, check_gradients=True)
    assert checked.exit_code == 1 and "gradients DISAGREE with finite differences" in checked.text


def test_it_is_swept_saved_and_loaded(parts, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    config = {"data": {"train": parts[0], "valid": parts[1]}, "loss": Focal(), "train": {"epochs": 1}, "output": "sweep"}
    swept = ultr.run(config, sweep={"loss.focus": [0, 1]})
    assert len(swept.runs) == 2 and {ultr.load(run).model_type for run in swept.runs} == {"Focal"}


@pytest.mark.parametrize(
    "tell, kind, message",
    [
        (lambda self, lists: 0.5, ValueError, "Wrong.loss returned a float; expected a tensor of the lists"),
        (lambda self, lists: lists.scores(), ValueError, "expected one number per list, such as lists.sum(x)"),
        (lambda self, lists: lists.scores().item(), ValueError, "a tensor has no value while its loss is recorded"),
        (lambda self, lists: ultr.autograd.Tape().variable([1.0]), ValueError, "a tensor is of another call of the loss"),
        (lambda self, lists: lists.sum(lists.scores() * lists.at_positions([1.0, 0.5])), ValueError,
         "at_positions: 2 numbers; expected one for each of 5 positions"),
        (lambda self, lists: 1 / 0, ZeroDivisionError, "division by zero"),
        (lambda self, lists: lists.sum(kept[0]) if kept else kept.append(lists.scores()) or lists.sum(lists.scores()),
         ValueError, "a tensor is of another call of the loss"),
    ],
)
def test_mistakes_are_exceptions_of_one_line(parts, tell, kind, message):
    kept.clear()

    class Wrong(ultr.RankingLoss):
        loss = tell

    with pytest.raises(kind) as raised:
        ultr.fit(Wrong(), *parts, epochs=1)
    assert message in str(raised.value) and "\n" not in str(raised.value)


kept = []


def test_mistakes_in_a_class_are_found_early():
    with pytest.raises(TypeError, match="NoLoss has no method loss; expected loss\\(self, lists\\)"):

        class NoLoss(ultr.RankingLoss):
            pass

        NoLoss()
    with pytest.raises(TypeError, match="declares 'relevance', which every model or loss has"):

        class Declares(ultr.RankingLoss):
            relevance = ultr.parameter("document", "Relevance")

            def loss(self, lists):
                return lists.sum(lists.scores())

    with pytest.raises(TypeError, match="class naive has the name of a type of the library"):

        class naive(ultr.RankingLoss):
            def loss(self, lists):
                return lists.sum(lists.scores())
