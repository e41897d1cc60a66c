"""Types of the library by name, generated from their declarations."""

import inspect
import re

import pytest

import ultr
from ultr import _types


@pytest.mark.parametrize("group", _types.GROUPS)
def test_every_type_that_the_program_lists_is_there(group, ultr_run, tmp_path, monkeypatch):
    monkeypatch.setattr(_types, "known", _types._Types())  # without the classes of other tests
    listed = ultr_run("--list", cwd=tmp_path)
    section = re.search(rf"^{group}: .*\n((?:  .*\n)+)", listed, re.MULTILINE)
    assert section is not None, listed
    names = re.findall(r"^  (\S+): ", section.group(1), re.MULTILINE)
    module = getattr(ultr, group.replace("-", "_"))
    assert dir(module) == sorted(names)
    assert list(ultr.types_of(group)) == names
    for name in names:
        assert callable(getattr(module, name))


def test_groups_are_modules():
    from ultr.optimizers import adamw

    assert adamw(lr=0.5) == ultr.AdamW(lr=0.5)
    assert adamw(lr=0.5) != ultr.AdamW(lr=0.25)
    assert repr(adamw(lr=0.5)) == "ultr.optimizers.adamw(lr=0.5)"
    assert ultr.optimizers.__name__ == "ultr.optimizers"


def test_signatures_and_help_come_from_the_declarations():
    signature = inspect.signature(ultr.AdamW)
    assert {"lr", "weight_decay"} <= set(signature.parameters)
    assert repr(signature.parameters["lr"].default) == "0.003"
    assert "lr: " in ultr.AdamW.__doc__ and "Adam with decoupled weight decay." in ultr.AdamW.__doc__


def test_types_nest():
    model = ultr.models.pbm(attraction=ultr.layers.embedding(compression=ultr.compressions.hash(ratio=4)))
    assert model.to_config() == {
        "type": "pbm",
        "attraction": {"type": "embedding", "compression": "hash", "ratio": 4},
    }
    assert ultr.users.click_model(global_=0.5).to_config() == {"type": "click_model", "global": 0.5}


def test_an_unknown_type_names_those_there_are():
    with pytest.raises(AttributeError, match="ultr.models has no type 'pmb'; expected one of .*pbm"):
        ultr.models.pmb()
    with pytest.raises(ValueError, match="there is no group of types 'model'; expected one of models"):
        ultr.types_of("model")
