"""Languages: English stands in the code and is the key; other languages stand in gettext catalogues under assets.

``_("…")`` (:mod:`core.ui.language`) translates where a string is shown, ``N_("…")`` (:mod:`core.settings`) marks one
that is translated later. ``python -m core.i18n update`` brings the catalogues up to date with the code. The
catalogues are read as they are, so no compiled copy can lag behind. Left out: plural forms; sentences are worded so
as not to need them.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator
from functools import cache
from pathlib import Path

from babel.messages.catalog import Catalog
from babel.messages.extract import extract_from_dir
from babel.messages.pofile import read_po, write_po

LANGUAGES = {"en": "English", "zh": "简体中文"}
ROOT = Path(__file__).resolve().parent.parent
LOCALES = ROOT / "assets" / "locales"
SOURCES = ("core", "pages")
KEYWORDS = {"_": None, "N_": None}


def path(language: str) -> Path:
    """Where the catalogue of a language lies."""
    return LOCALES / language / "LC_MESSAGES" / "attention_live.po"


def catalogue(language: str) -> Catalog:
    """The catalogue of a language as it is on disk."""
    with path(language).open("rb") as file:
        return read_po(file, locale=language)


@cache
def messages(language: str) -> dict[str, str]:
    """Every finished translation of a language; English has none, for it is what is translated."""
    if language == "en":
        return {}
    found = ((message.id, message.string) for message in catalogue(language) if not message.fuzzy)
    return {key: string for key, string in found if isinstance(key, str) and isinstance(string, str) and key and string}


def translate(language: str, message: str, **fields: object) -> str:
    """The message in a language, its ``{placeholders}`` filled. What is not translated stays English."""
    sentence = messages(language).get(message, message)
    return sentence.format(**fields) if fields else sentence


def extracted() -> Iterator[tuple[str, int, str]]:
    """Every marked string of the code: file, line and text."""
    for source in SOURCES:
        for name, line, text, *_ in extract_from_dir(
            ROOT / source, method_map=[("**.py", "python")], keywords=KEYWORDS
        ):
            yield f"{source}/{name}", line, text if isinstance(text, str) else text[0]


def template() -> Catalog:
    """What there is to translate."""
    catalog = Catalog(charset="utf-8")
    for file, line, text in extracted():
        catalog.add(text, locations=[(file, line)])
    return catalog


def update() -> None:
    """Bring every catalogue up to date: new strings come in empty, those that are gone go."""
    for language in LANGUAGES.keys() - {"en"}:
        target = path(language)
        kept = catalogue(language) if target.exists() else Catalog(locale=language)
        kept.update(template(), no_fuzzy_matching=True, update_header_comment=False)
        kept.obsolete.clear()
        kept.fuzzy, kept.header_comment = False, f"# Attention Live: {LANGUAGES[language]}"
        target.parent.mkdir(parents=True, exist_ok=True)
        with target.open("wb") as file:
            write_po(file, kept, width=116, sort_by_file=True, include_lineno=False, ignore_obsolete=True)
        waiting = sum(1 for message in kept if message.id and not message.string)
        print(f"{target.relative_to(ROOT)}: {waiting} to translate", file=sys.stderr)


if __name__ == "__main__":
    if sys.argv[1:] != ["update"]:
        sys.exit("usage: python -m core.i18n update")
    update()
