"""Whatever comes from outside is a request or a refusal in words."""

from __future__ import annotations

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from core.runs.requests import TEXT_LIMIT, GenerateRequest, LookRequest, changed_live
from core.settings import SettingError, describe
from tests.runs.tools import NAMES, small

scalars = st.none() | st.booleans() | st.integers() | st.floats() | st.text(st.characters())  # surrogates included
junk = st.recursive(scalars, lambda inner: st.lists(inner) | st.dictionaries(st.text(), inner), max_leaves=7)
NAMED = ["text", "given", "layer", "step", "causal_mask", "prompt", "temperature", "top_k", "tokens", "seed"]
almost = st.dictionaries(st.sampled_from(NAMED), junk)
whole = st.integers(0, 2**31 - 1)
written = st.text(st.characters(exclude_categories=["Cs"]))


@given(junk | almost)
def test_junk_is_read_or_refused_in_words(fields: object) -> None:
    for kind in (LookRequest, GenerateRequest):
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
    )
)
def test_a_generation_survives_json(request: GenerateRequest) -> None:
    assert GenerateRequest.from_json(json.loads(json.dumps(request.to_json()))) == request


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
