"""What is said of a text that a model does not read just as it was written: on every page and on the command line."""

from __future__ import annotations

from collections.abc import Mapping

from core.settings import N_

SENTENCES = {  # by the notice's code, or by code and side
    "unknown_characters": N_("Not in the vocabulary, so left out: {characters}"),
    "unknown_words": N_("Not in the vocabulary, so read as [UNK]: {words}"),
    "cropped_start": N_("The model reads {kept} tokens at once: the first {kept} of {given} are shown."),
    "cropped_end": N_("The model reads {kept} tokens at once: the last {kept} of {given} are shown."),
    "text_cut": N_("Of {given} characters the first {kept} were sent."),
    "text_cut_end": N_("Of {given} characters the last {kept} were sent."),
    "empty": N_("There is nothing to read, so the model starts from {start}."),
    "sum_read_as": N_("The model reads a sum of two numbers of its length; this is read as {sum}."),
    "no_such_layer": N_("There is no layer {asked}; layer {shown} is shown."),
    "no_such_head": N_("This model has no head {asked}, so none of that name is silenced."),
    "head_replaced": N_("There is no head {asked}; head {shown} is shown."),
    "no_such_key": N_("There is no token at position {asked} whose key could be hidden."),
    "no_such_token": N_("There is no token {asked}: the last one is {last}."),
}


def told(notice: Mapping[str, object]) -> str:
    """A notice as a sentence in English, on one line whatever was typed."""
    code = str(notice["code"])
    message = SENTENCES.get(f"{code}_{notice.get('side')}") or SENTENCES[code]
    return message.format(**{name: _plain(value) for name, value in notice.items()})


def _plain(value: object) -> object:
    if not isinstance(value, str):
        return value
    return "".join(c if c.isprintable() else c.encode("unicode_escape").decode("ascii") for c in value)
