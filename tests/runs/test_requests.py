"""Whatever comes from outside is a request or a refusal in words."""

from __future__ import annotations

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from core.runs.requests import (
    MOST_HEADS,
    MOST_KEYS,
    MOST_STEPS,
    TEXT_LIMIT,
    GenerateRequest,
    LookRequest,
    PastRequest,
    changed_live,
)
from core.settings import SettingError, describe
from tests.runs.tools import NAMES, small

scalars = st.none() | st.booleans() | st.integers() | st.floats() | st.text(st.characters())  # surrogates included
junk = st.recursive(scalars, lambda inner: st.lists(inner) | st.dictionaries(st.text(), inner), max_leaves=7)
NAMED = ["text", "given", "layer", "step", "causal_mask", "prompt", "temperature", "top_k", "tokens", "seed"]
LISTS = ["ablate", "without_keys", "steps"]
listed = st.lists(scalars | st.lists(scalars, max_size=3), max_size=200)
almost = st.dictionaries(st.sampled_from(NAMED + LISTS), junk) | st.dictionaries(st.sampled_from(LISTS), listed)
whole = st.integers(0, 2**31 - 1)
heads = st.lists(st.tuples(whole, whole), max_size=MOST_HEADS).map(tuple)
written = st.text(st.characters(exclude_categories=["Cs"]))


@given(junk | almost)
def test_junk_is_read_or_refused_in_words(fields: object) -> None:
    for kind in (LookRequest, GenerateRequest, PastRequest):
        try:
            request = kind.from_json(fields)
        except SettingError as refusal:
            assert str(refusal).encode("utf-8")
        else:
            assert json.dumps(request.to_json(), ensure_ascii=False, allow_nan=False).encode("utf-8")


@given(
    st.builds(
        LookRequest,
        text=written,
        given=st.none() | whole,
        layer=whole,
        step=st.none() | whole,
        causal_mask=st.none() | st.booleans(),
        ablate=heads,
        without_keys=st.lists(whole, max_size=MOST_KEYS).map(tuple),
    )
)
def test_a_look_survives_json(request: LookRequest) -> None:
    assert LookRequest.from_json(json.loads(json.dumps(request.to_json()))) == request


@given(
    st.builds(
        GenerateRequest,
        prompt=written,
        temperature=st.floats(0, 100),
        top_k=whole,
        tokens=st.integers(1, 1000),
        seed=whole,
        causal_mask=st.none() | st.booleans(),
        step=st.none() | whole,
        ablate=heads,
    )
)
def test_a_generation_survives_json(request: GenerateRequest) -> None:
    assert GenerateRequest.from_json(json.loads(json.dumps(request.to_json()))) == request


@given(
    st.builds(
        PastRequest,
        text=written,
        given=st.none() | whole,
        causal_mask=st.none() | st.booleans(),
        steps=st.lists(whole, max_size=MOST_STEPS).map(tuple),
    )
)
def test_a_question_about_the_past_survives_json(request: PastRequest) -> None:
    assert PastRequest.from_json(json.loads(json.dumps(request.to_json()))) == request
    assert PastRequest.from_json(request.to_json()) == request


@pytest.mark.parametrize(
    ("fields", "said"),
    [
        ({"ablate": 3}, "ablate is a list, not “3”"),
        ({"ablate": [[0, 1, 2]]}, "ablate lists pairs of layer and head, not “[…]”"),
        ({"ablate": [[0, True]]}, "ablate lists whole numbers, not “True”"),
        ({"ablate": [[0, 0]] * (MOST_HEADS + 1)}, f"ablate has at most {MOST_HEADS} entries, not {MOST_HEADS + 1}"),
        ({"without_keys": ["道"]}, "without_keys lists whole numbers, not “道”"),
        ({"without_keys": [-1]}, "without_keys lies between 0 and 2147483647, not -1"),
        ({"without_keys": [0] * (MOST_KEYS + 1)}, "without_keys has at most 128 entries, not 129"),
    ],
)
def test_what_is_wrong_in_a_list_is_named(fields: object, said: str) -> None:
    with pytest.raises(SettingError) as refusal:
        LookRequest.from_json(fields)
    assert str(refusal.value) == said


@given(st.integers(TEXT_LIMIT + 1, 3 * TEXT_LIMIT))
def test_a_long_text_is_cut_and_its_length_told(length: int) -> None:
    request = LookRequest.from_json({"text": "字" * length})
    assert (len(request.text), request.given) == (TEXT_LIMIT, length)


@pytest.mark.parametrize("name", NAMES)
def test_only_live_settings_change_under_way(name: str) -> None:
    settings = small(name)
    for setting in describe(settings):
        value = getattr(settings, setting.name)
        if setting.live:
            assert changed_live(settings, {setting.name: value}) == settings
        else:
            with pytest.raises(SettingError, match="new run"):
                changed_live(settings, {setting.name: value})
