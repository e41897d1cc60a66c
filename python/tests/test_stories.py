"""Click models written as Python classes."""

import numpy as np
import pytest

import ultr
from ultr import _types


class TrustPBM(ultr.ExaminationModel):
    """Position-based model with trust bias (Agarwal et al., 2019)."""

    examination = ultr.parameter("rank", "Examination")
    relevance = ultr.parameter("document", "Relevance")
    relevant = ultr.parameter("rank", "Clicks if relevant", start=0.9)
    other = ultr.parameter("rank", "Clicks if not", start=0.1)

    def story(self, s):
        return ultr.Examination(self.examination(s), ultr.mix(self.relevance(s), self.relevant(s), self.other(s)))


class PythonPBM(ultr.ExaminationModel):
    examination = ultr.parameter("rank", "Examination, θ.")
    attraction = ultr.parameter("document", "Attraction, γ.")

    def story(self, s):
        return ultr.Examination(self.examination(s), self.attraction(s))


class PythonDBN(ultr.CascadeModel):
    attraction = ultr.parameter("document", "Attraction")
    satisfaction = ultr.parameter("document", "Satisfaction", effect="lowers")
    continuation = ultr.parameter("global", "Continuation")

    def story(self, s):
        go_on = self.continuation(s)
        return ultr.Cascade(self.attraction(s), go_on * ~self.satisfaction(s), go_on)


class TwoStates(ultr.ChainModel):
    """Users who read with care until they click, and then less."""

    attraction = ultr.parameter("document", "Attraction")
    careful = ultr.parameter("rank", "Examination before a click")
    hasty = ultr.parameter("rank", "Examination after one")

    def story(self, s):
        always = s.always()
        return ultr.Chain(
            [
                ultr.State(self.careful(s), self.attraction(s), [ultr.Move(1, always)], [ultr.Move(0, always)]),
                ultr.State(self.hasty(s), self.attraction(s), [ultr.Move(1, always)], [ultr.Move(1, always)]),
            ]
        )

    def relevance(self, s):
        return self.attraction(s)


@pytest.fixture(scope="module")
def parts(log):
    return log.split(valid=0.2, test=0.2, seed=1)


def fit(model, parts, **arguments):
    return ultr.fit(model, parts[0], parts[1], **{"optimizer": ultr.AdamW(lr=0.05), "epochs": 8, **arguments})


def expect_equal(one, other):
    assert len(one.parameters) == len(other.parameters)
    for ours, theirs in zip(one.parameters.values(), other.parameters.values()):
        np.testing.assert_array_equal(ours, theirs)


@pytest.mark.parametrize("threads", [1, 2])
def test_a_story_in_python_has_the_bits_of_one_in_cpp(parts, build, threads, monkeypatch):
    monkeypatch.setattr(_types.known, "plugins", [])  # a run names the plugins that are loaded
    ultr.load_plugin(build / "tests/examples/libtrust.so")
    cpp = ultr.models.trust_pbm(click_relevant={"start": 0.9}, click_irrelevant={"start": 0.1})
    one, other = fit(TrustPBM(), parts, threads=threads), fit(cpp, parts, threads=threads)
    expect_equal(one, other)
    test = parts[2]
    assert one.evaluate(test)["ll"] == other.evaluate(test)["ll"]
    for column in ("relevance", "probability", "probability_given_clicks_above"):
        assert (one.predict_clicks(test)[column] == other.predict_clicks(test)[column]).all()
    assert (one.sample(test).to_dataframe() == other.sample(test).to_dataframe()).all().all()


def test_built_in_models_can_be_written_in_python(parts):
    expect_equal(fit(PythonPBM(), parts), fit(ultr.models.pbm(), parts))
    one, other = fit(PythonDBN(), parts), fit(ultr.models.dbn(), parts)
    assert one.evaluate(parts[2])["ll"] == pytest.approx(other.evaluate(parts[2])["ll"], rel=1e-3)


def test_a_chain_of_states_trains(parts):
    fitted = fit(TwoStates(), parts)
    assert fitted.evaluate(parts[2])["ppl"] < 2
    assert 0 < fitted.relevance()["relevance"].min() and fitted.relevance()["relevance"].max() < 1


def test_examination_of_a_rank_is_the_position_bias(parts):
    fitted = fit(PythonPBM(), parts)
    expected = fit(ultr.models.pbm(), parts).position_bias()
    assert fitted.position_bias().equals(expected)
    assert fit(TwoStates(), parts, epochs=1).position_bias() is None


def test_the_story_is_called_for_programs_not_for_steps(parts):
    class Counting(ultr.ExaminationModel):
        calls = 0
        examination = ultr.parameter("rank", "Examination")
        attraction = ultr.parameter("document", "Attraction")

        def story(self, s):
            Counting.calls += 1
            return ultr.Examination(self.examination(s), self.attraction(s))

    fit(Counting(), parts, epochs=1, batch_size=8, threads=1)
    once = Counting.calls
    Counting.calls = 0
    fit(Counting(), parts, epochs=30, batch_size=8, threads=1, early_stopping=0)
    # Each validation records a program; the steps, of which there are 45 per epoch, do not.
    assert Counting.calls <= once + 29 * 3


def test_options_of_parameters_are_the_library_s(parts):
    tower = TrustPBM(relevance=ultr.layers.embedding(dimension=2))
    assert fit(tower, parts, epochs=1).parameters["relevance"].shape[1] == 2
    assert TrustPBM(relevant={"start": 0.8}).to_config()["relevant"] == {"start": 0.8}
    with pytest.raises(ValueError, match="models.TrustPBM: relevant.start is '2'; expected above 0 and below 1"):
        TrustPBM(relevant={"start": 2})
    with pytest.raises(ValueError, match="models.TrustPBM: unknown key 'relevants'; did you mean 'relevant'"):
        TrustPBM(relevants={"start": 0.8})


def test_settings_reach_the_story(parts):
    class Settings(ultr.ExaminationModel):
        seen = []
        attraction = ultr.parameter("document", "Attraction")
        depth = ultr.number(2, "Depth", low=1)
        kind = ultr.word("plain", ["plain", "odd"], "Kind")
        strict = ultr.boolean(False, "Strict")

        def story(self, s):
            Settings.seen.append((self.depth, self.kind, self.strict))
            return ultr.Examination(s.always(), self.attraction(s))

    fit(Settings(depth=3, kind="odd"), parts, epochs=1)
    assert set(Settings.seen) == {(3.0, "odd", False)}


def test_a_class_works_wherever_a_type_s_name_works(parts, tmp_path, frame, monkeypatch):
    monkeypatch.chdir(tmp_path)  # in which the run's folder is made
    mixture = ultr.models.mixture(components=[PythonPBM(), ultr.models.gctr()])
    assert fit(mixture, parts, epochs=2).model_type == "mixture"
    frame.to_csv(tmp_path / "clicks.csv", index=False)
    (tmp_path / "trust.yaml").write_text(
        "data: {format: table, train: clicks.csv}\nmodel: TrustPBM\ntrain: {epochs: 1}\noutput: run\n"
    )
    assert ultr.run(tmp_path / "trust.yaml").model_type == "TrustPBM"
    expect_equal(ultr.load(tmp_path / "run"), ultr.load(tmp_path / "run"))


def test_a_redefined_class_takes_the_place_of_the_first(parts):
    def define(start):
        class Redefined(ultr.ExaminationModel):
            attraction = ultr.parameter("document", "Attraction", start=start)

            def story(self, s):
                return ultr.Examination(s.always(), self.attraction(s))

        return Redefined

    first, second = define(0.2), define(0.7)
    one, other = fit(first(), parts, epochs=1), fit(second(), parts, epochs=1)
    assert not np.array_equal(*(list(each.parameters.values())[-1] for each in (one, other)))


def story_of(tell):
    class Wrong(ultr.ExaminationModel):
        attraction = ultr.parameter("document", "Attraction")
        story = tell

    return Wrong()


kept = []


@pytest.mark.parametrize(
    "tell, kind, message",
    [
        (lambda self, s: 0.5, ValueError, "Wrong.story returned a float; expected an ultr.Examination"),
        (lambda self, s: None, ValueError, "Wrong.story returned a NoneType; expected an ultr.Examination"),
        (lambda self, s: self.attraction(s), ValueError, "Wrong.story returned a ultr._core.Prob; expected an ultr.Examination"),
        (lambda self, s: 1 / 0, ZeroDivisionError, "division by zero"),
        (lambda self, s: self.examination(s), AttributeError, "'Wrong' object has no attribute 'examination'"),
        (lambda self, s: self.attraction(s) and s.always(), TypeError, "a probability has no value while its story is recorded"),
        (
            lambda self, s: kept.append(s.always()) or ultr.Examination(kept[0], self.attraction(s)),
            ValueError,
            "a probability or session is of another call of the story",
        ),
    ],
)
def test_mistakes_in_a_story_are_exceptions_of_one_line(parts, tell, kind, message):
    kept.clear()
    with pytest.raises(kind) as raised:
        fit(story_of(tell), parts, epochs=1)
    assert message in str(raised.value)
    assert "\n" not in str(raised.value)


@pytest.mark.parametrize(
    "tell, message",
    [
        (lambda a, s: ultr.Chain([]), "a chain has no states; expected one at least"),
        (lambda a, s: chain_of(a, s, after_click=2), "a move leads to state 2; expected one of 0 to 1"),
        (lambda a, s: chain_of(a, s, after_skip=5), "a move leads to state 5; expected one of 0 to 1"),
        (lambda a, s: chain_of(a, s, start=3), "a move leads to state 3; expected one of 0 to 1"),
    ],
)
def test_a_chain_has_the_states_that_its_moves_lead_to(parts, tell, message):
    class WrongChain(ultr.ChainModel):
        relevance = ultr.parameter("document", "Relevance")

        def story(self, s):
            return tell(self.relevance(s), s)

    with pytest.raises(ValueError, match=message):
        fit(WrongChain(), parts, epochs=1)


def chain_of(attraction, s, after_click=0, after_skip=1, start=0):
    """A chain of two equal states whose moves lead to the given ones."""
    state = ultr.State(s.always(), attraction, [ultr.Move(after_click, s.always())], [ultr.Move(after_skip, s.always())])
    return ultr.Chain([state, state], [ultr.Move(start, s.always())])


def test_mistakes_in_a_class_are_found_early(parts):
    with pytest.raises(TypeError, match="NoStory has no method story; expected story\\(self, s\\)"):

        class NoStory(ultr.ExaminationModel):
            attraction = ultr.parameter("document", "Attraction")

        NoStory()
    with pytest.raises(TypeError, match="Twice declares 'attraction' twice; expected each name once"):

        class Twice(ultr.ExaminationModel):
            attraction = ultr.parameter("document", "Attraction")
            attraction = ultr.parameter("rank", "Attraction")

    with pytest.raises(TypeError, match="class pbm has the name of a type of the library"):

        class pbm(ultr.ExaminationModel):
            def story(self, s):
                return ultr.Examination(s.always(), s.always())

    with pytest.raises(ValueError, match="a parameter is one per 'position'; expected one of global, rank"):

        class Domain(ultr.ExaminationModel):
            attraction = ultr.parameter("position", "Attraction")

            def story(self, s):
                return ultr.Examination(s.always(), self.attraction(s))

    fit(PythonPBM(), parts, epochs=1)  # classes with mistakes are known nowhere


def test_a_default_is_one_of_the_values():
    with pytest.raises(ValueError, match="the default is 5; expected a number from 0 to 1"):
        ultr.number(5, "Depth", low=0, high=1)
    with pytest.raises(ValueError, match="the default is 'z'; expected one of a, b"):
        ultr.word("z", ["a", "b"], "Kind")


def test_a_parameter_has_no_probability_outside_of_a_story():
    with pytest.raises(TypeError, match="within a story only"):
        TrustPBM.examination(None)
