"""Every string that can be on screen is there in every language, whole and up to date."""

from __future__ import annotations

import string
from collections.abc import Iterator

import pytest

from core import i18n
from core.experiments import catalogue
from core.settings import describe

OTHERS = sorted(i18n.LANGUAGES.keys() - {"en"})
MARKED = sorted({text for _, _, text in i18n.extracted()})


def placeholders(message: str) -> set[str]:
    """The names in braces."""
    return {name for _, name, _, _ in string.Formatter().parse(message) if name is not None}


def catalogued() -> Iterator[str]:
    """What the catalogue of experiments puts on screen; it reaches the page in variables, not under its own mark."""
    for experiment in catalogue().values():
        yield experiment.summary
        yield from experiment.metrics.values()
        for group in (experiment.settings, experiment.view):
            for setting in describe(group):
                yield from (setting.label, setting.help, *setting.choices.values())


@pytest.mark.parametrize("language", OTHERS)
def test_every_marked_string_is_translated(language: str) -> None:
    assert MARKED
    assert [text for text in MARKED if text not in i18n.messages(language)] == []


@pytest.mark.parametrize("language", OTHERS)
def test_no_translation_is_of_a_string_that_is_gone(language: str) -> None:
    assert sorted(i18n.messages(language).keys() - set(MARKED)) == []
    assert not i18n.catalogue(language).obsolete


@pytest.mark.parametrize("language", OTHERS)
def test_no_translation_is_a_guess(language: str) -> None:
    assert [message.id for message in i18n.catalogue(language) if message.fuzzy] == []


@pytest.mark.parametrize("language", OTHERS)
def test_translations_have_the_placeholders_of_the_original(language: str) -> None:
    found = i18n.messages(language).items()
    assert [text for text, translated in found if placeholders(text) != placeholders(translated)] == []


@pytest.mark.parametrize("language", OTHERS)
def test_every_word_of_the_catalogue_of_experiments_is_translated_or_a_name(language: str) -> None:
    names = {"AdamW", "SGD", "Muon + AdamW", "LayerNorm", "RMSNorm", "GELU", "ReLU", "SwiGLU", "RoPE", "ALiBi"}
    assert set(catalogued()) - names <= i18n.messages(language).keys()


def test_chinese_is_written_in_chinese() -> None:
    names = {
        "AdamW β₂",
        "Dropout",
        "Top-k",
        "Top-p",
        "[MASK]",
        "BERT: 80/10/10",
        "MiniGPT, dropout 0.1",
        "MiniGPT, dropout 0.4",
        ", ",
        "; ",
        "{measure}: {about}.",
        "{head} · ≤ {maximum}",
    }
    latin = [text for text, chinese in i18n.messages("zh").items() if not any("一" <= c <= "鿿" for c in chinese)]
    assert set(latin) <= names


def test_what_is_not_translated_stays_english() -> None:
    assert i18n.translate("zh", "no such message {here}", here=7) == "no such message 7"
    assert i18n.translate("en", "Train") == "Train" != i18n.translate("zh", "Train")
