"""Settings: what is written is read back, what is not allowed is refused in words, and defaults stay what they are."""

import dataclasses

import pytest
from hypothesis import given
from hypothesis import strategies as st

from core import i18n
from core.experiments import catalogue, find
from core.experiments.common import CORPORA
from core.settings import Setting, SettingError, Value, changed, describe, setting, values

GROUPS = {name: (experiment.settings, experiment.view) for name, experiment in catalogue().items()}
BY_NAME = {f"{name}-{one.name}": one for name, groups in GROUPS.items() for g in groups for one in describe(g)}
ALL = list(BY_NAME.values())


@pytest.mark.parametrize("one", ALL, ids=list(BY_NAME))
def test_every_setting_has_words_and_a_default_within_its_limits(one: Setting) -> None:
    assert one.label and one.help
    assert one.validate(one.default) == one.default
    assert one.parse(one.write(one.default)) == one.default


@given(st.sampled_from(ALL), st.data())
def test_what_is_written_is_read_back(one: Setting, data: st.DataObject) -> None:
    value: Value
    if one.kind == "choice":
        value = data.draw(st.sampled_from(list(one.choices)))
    elif one.kind == "switch":
        value = data.draw(st.booleans())
    elif one.kind == "text":
        value = data.draw(st.text())
    elif one.kind == "integer":
        value = data.draw(st.integers(int(one.minimum or 0), int(one.maximum or 0)))
    else:
        value = data.draw(st.floats(one.minimum, one.maximum))
    assert one.parse(one.write(value)) == value


@given(st.sampled_from(ALL), st.text())
def test_any_text_is_read_or_refused_in_words(one: Setting, written: str) -> None:
    try:
        value = one.parse(written)
    except SettingError as error:
        assert one.name in str(error)
    else:
        assert one.validate(value) == value


@pytest.mark.parametrize("written", ["nan", "inf", "-inf", "1e999", "11", "0", "-1", "0x3", "", "two"])
def test_numbers_out_of_bounds_are_refused(written: str) -> None:
    with pytest.raises(SettingError, match="learning_rate"):
        setting(find("mini_gpt").settings, "learning_rate").parse(written)


def test_unknown_names_are_refused_with_the_known_ones() -> None:
    with pytest.raises(SettingError, match="no setting “speed”; there are steps"):
        changed(find("mini_gpt").defaults(), {"speed": 3})
    with pytest.raises(SettingError, match="no experiment “gpt”; there are tiny_transformer"):
        find("gpt")
    with pytest.raises(SettingError, match="no recipe “slow”; there are document, fast"):
        find("mini_gpt").defaults("slow")


def test_heads_that_do_not_divide_the_width_are_refused() -> None:
    with pytest.raises(SettingError, match="5 heads do not divide a width of 64"):
        changed(find("mini_gpt").defaults(), {"heads": 5}).check()


def test_names_are_unique_within_a_page() -> None:
    for experiment in catalogue().values():
        names = [one.name for group in (experiment.settings, experiment.view) for one in describe(group)]
        assert len(names) == len(set(names))


GOLDEN = {
    "tiny_transformer": {"steps": 300, "batch_size": 64, "learning_rate": 1e-3, "layers": 2, "heads": 4, "width": 32}
    | {"feed_forward": 64, "dropout": 0.1, "positions": "sinusoidal", "length": 8, "sequences": 4000}
    | {"question": "contains_3", "readout": "mean"},
    "mini_bert": {"steps": 800, "batch_size": 16, "learning_rate": 2e-3, "layers": 2, "heads": 4, "width": 48}
    | {"feed_forward": 96, "dropout": 0.1, "positions": "learned", "block": 32, "mask_rate": 0.15, "corpus": "lunyu"}
    | {"mask_share": 1.0, "random_share": 0.0, "loss_on": "chosen"},
    "mini_gpt": {"steps": 400, "batch_size": 32, "learning_rate": 1e-3, "layers": 2, "heads": 4, "width": 64}
    | {"feed_forward": 256, "dropout": 0.0, "positions": "learned", "block": 48, "causal_mask": True}
    | {"corpus": "daodejing"},
    "seq2seq": {"steps": 1000, "batch_size": 128, "learning_rate": 2e-3, "layers": 2, "heads": 4, "width": 64}
    | {"feed_forward": 128, "dropout": 0.0, "positions": "sinusoidal", "exercise": "add", "digits": 2, "length": 8}
    | {"answer": "reversed", "tied_embeddings": False},
}
SHARED = {"seed": 0, "optimizer": "adamw", "beta2": 0.999, "schedule": "constant", "warmup_steps": 0} | {
    "weight_decay": 0.01,
    "gradient_clipping": 0.0,
    "gradient_accumulation": 1,
    "pre_norm": True,
    "momentum": 0.9,
    "label_smoothing": 0.0,
    "normalisation": "layer",
    "activation": "gelu",
    "key_value_heads": 0,
    "scaled": True,
    "residual": True,
}


@pytest.mark.parametrize("name", catalogue())
def test_defaults_are_promises(name: str) -> None:
    """Links leave defaults out: changing one changes every link that was ever shared."""
    texts = {"held_out": 0.0, "own_text": "", "tied_embeddings": False}
    paper = {"beta2": 0.98, "schedule": "cosine", "warmup_steps": 100, "pre_norm": False, "activation": "relu"}
    own = {"tiny_transformer": {}, "seq2seq": paper}.get(name, texts)
    assert values(find(name).defaults()) == GOLDEN[name] | SHARED | own


def test_settings_are_frozen() -> None:
    with pytest.raises(dataclasses.FrozenInstanceError):
        find("mini_gpt").defaults().steps = 3


@pytest.mark.parametrize("language", i18n.LANGUAGES)
@pytest.mark.parametrize("name", ["mini_bert", "mini_gpt"])
def test_a_summary_holds_for_every_corpus(name: str, language: str) -> None:
    summary = i18n.translate(language, find(name).summary).casefold()
    assert not [
        title for title in CORPORA.values() if i18n.translate(language, title).strip("《》").casefold() in summary
    ]
