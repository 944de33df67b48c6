"""The formula as it is shown: it leads from the query and the key of a forward pass to what the pass computed."""

from __future__ import annotations

from itertools import product
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st

from core.capture import recording
from core.experiments import catalogue, find
from core.experiments.pretrained import EXAMPLE, OTHER_EXAMPLE
from core.inference.checkpoint import Checkpoint, load
from core.inference.lab import Worked, work_out
from core.inference.look import look
from core.inference.pretrained import load as load_pretrained
from core.layers import MultiHeadAttention
from core.runs.labs import lab_frame, unpack_lab
from core.runs.requests import LabRequest, LookRequest
from core.settings import changed
from core.training.build import build
from core.what_if import asked, what_if
from tests.core.minilm import folder, needs_minilm

NAMES = [name for name, one in catalogue().items() if not one.answers]  # with one row of tokens
SHIPPED = Path(__file__).parents[2] / "assets" / "checkpoints"
SWITCHES = list(product((None, True, False), repeat=3))


@pytest.fixture(scope="module", params=NAMES)
def shipped(request: pytest.FixtureRequest) -> Checkpoint:
    """Each model that ships."""
    return load(SHIPPED / f"{request.param}.safetensors")


def lab(seen: Checkpoint, **request: Any) -> Worked:
    """Work the formula out on the model's own sentence, or on another."""
    text = request.pop("text", seen.experiment.view().prompt)
    return work_out(seen.model, seen.task, seen.settings, LabRequest(text=text, **request))


@pytest.mark.parametrize(("causal", "scaled", "positions"), SWITCHES)
def test_the_formula_leads_to_what_the_pass_computed(
    shipped: Checkpoint, causal: bool | None, scaled: bool | None, positions: bool | None
) -> None:
    worked = lab(shipped, layer=1, head=2, causal_mask=causal, scaled=scaled, positions=positions)
    d = worked.query.shape[-1]
    by_hand = worked.query @ worked.key.T * (1.0 if scaled is False else d**-0.5)
    if causal or (causal is None and shipped.experiment.name == "mini_gpt"):
        by_hand = by_hand.masked_fill(torch.ones_like(by_hand, dtype=torch.bool).triu(1), -torch.inf)
    torch.testing.assert_close(by_hand.softmax(-1), worked.weights, atol=1e-5, rtol=0)
    torch.testing.assert_close(worked.weights @ worked.value, worked.mixed, atol=1e-5, rtol=0)
    assert max(vars(worked.laws).values()) < 1e-5
    assert worked.laws.future_weight == 0


def test_untouched_switches_show_what_a_look_shows(shipped: Checkpoint) -> None:
    text = shipped.experiment.view().prompt
    seen = look(shipped.model, shipped.task, shipped.settings, LookRequest(text=text, layer=1))
    for head in range(4):
        assert torch.equal(lab(shipped, layer=1, head=head).weights, seen.map.weights[0, head])


def test_shares_of_all_heads_are_what_the_layer_adds(shipped: Checkpoint) -> None:
    heads = [lab(shipped, layer=1, head=head) for head in range(4)]
    layer = shipped.model.get_submodule(heads[0].map.name)
    assert isinstance(layer, MultiHeadAttention)
    with torch.no_grad():
        whole = layer.output(torch.cat([one.mixed for one in heads], dim=-1))
    torch.testing.assert_close(sum(one.share for one in heads) + layer.output.bias, whole, atol=1e-5, rtol=0)


def test_each_switch_changes_the_computation_of_later_layers_too(shipped: Checkpoint) -> None:
    trained = lab(shipped, layer=1)
    without = lab(shipped, layer=1, positions=False)
    assert (trained.positions, without.positions) == (True, False)
    other_mask = lab(shipped, layer=1, causal_mask=not trained.causal)
    unscaled = lab(shipped, layer=1, scaled=False)
    assert (trained.scaled, unscaled.scaled, unscaled.scale) == (True, False, 1.0)
    for one in (without, other_mask, unscaled):
        assert not torch.allclose(one.query, trained.query, atol=1e-4)


def test_without_positions_weights_move_with_their_tokens() -> None:
    seen = load(SHIPPED / "tiny_transformer.safetensors")
    there, back = (lab(seen, text=text, positions=False, layer=1).weights for text in ("31459", "95413"))
    torch.testing.assert_close(there, back.flip(0, 1), atol=1e-5, rtol=0)
    there, back = (lab(seen, text=text, layer=1).weights for text in ("31459", "95413"))
    assert not torch.allclose(there, back.flip(0, 1), atol=1e-2)


@pytest.fixture(scope="module")
def sums() -> Checkpoint:
    """The encoder–decoder that ships: layers 0 and 1 are the encoder's, then decoder and cross by turns."""
    return load(SHIPPED / "seq2seq.safetensors")


ENCODER, DECODER, CROSS = (0, 1), (2, 4), (3, 5)


@pytest.mark.parametrize("layer", range(6))
@pytest.mark.parametrize(
    ("causal", "scaled", "positions"), [(None, None, None), (True, False, None), (False, True, False)]
)
def test_three_kinds_of_attention_lead_to_what_the_pass_computed(
    sums: Checkpoint, layer: int, causal: bool | None, scaled: bool | None, positions: bool | None
) -> None:
    worked = lab(sums, text="47+85", layer=layer, head=3, causal_mask=causal, scaled=scaled, positions=positions)
    queries, keys = ("source" if layer in ENCODER else "target"), ("target" if layer in DECODER else "source")
    assert (worked.map.queries, worked.map.keys) == (queries, keys)
    assert worked.weights.shape == (len(worked.streams[queries]), len(worked.streams[keys]))
    assert worked.streams["source"] == tuple("47+85")
    assert worked.causal == (layer in DECODER and causal is not False)
    by_hand = worked.query @ worked.key.T * (1.0 if scaled is False else worked.query.shape[-1] ** -0.5)
    if worked.causal:
        by_hand = by_hand.masked_fill(torch.ones_like(by_hand, dtype=torch.bool).triu(1), -torch.inf)
    torch.testing.assert_close(by_hand.softmax(-1), worked.weights, atol=1e-5, rtol=0)
    torch.testing.assert_close(worked.weights @ worked.value, worked.mixed, atol=1e-5, rtol=0)
    assert max(vars(worked.laws).values()) < 1e-5


@pytest.mark.parametrize("layer", range(6))
def test_heads_of_every_kind_add_up_to_what_the_layer_hands_on(sums: Checkpoint, layer: int) -> None:
    heads = [lab(sums, layer=layer, head=head) for head in range(4)]
    part = sums.model.get_submodule(heads[0].map.name)
    assert isinstance(part, MultiHeadAttention)
    handed: list[torch.Tensor] = []
    listening = part.register_forward_hook(lambda _part, _given, answer: handed.append(answer[0]))
    lab(sums, layer=layer)
    listening.remove()
    again = sum(one.weights @ one.value @ part.output.weight[:, 16 * n : 16 * (n + 1)].T for n, one in enumerate(heads))
    torch.testing.assert_close(again + part.output.bias, handed[-1], atol=1e-5, rtol=0)


def test_the_decoder_reads_what_the_model_itself_has_written(sums: Checkpoint) -> None:
    worked = lab(sums, text="47+85")
    seen = look(sums.model, sums.task, sums.settings, LookRequest(text="47+85"))
    assert worked.streams == seen.streams
    assert worked.answer is not None
    assert worked.answer.written == worked.answer.right == ("2", "3", "1", "[END]")
    assert worked.streams["target"] == ("[START]", "2", "3", "1")
    lost = lab(sums, text="47+85", positions=False).answer
    assert lost is not None
    assert lost.written != lost.right == ("2", "3", "1", "[END]")
    assert lab(load(SHIPPED / "mini_gpt.safetensors")).answer is None


def test_the_mask_is_the_decoders_alone(sums: Checkpoint) -> None:
    encoder, decoder, cross = (
        [lab(sums, layer=layer, causal_mask=mask) for mask in (True, False)] for layer in (1, 2, 3)
    )
    assert torch.equal(encoder[0].weights, encoder[1].weights)
    assert (decoder[0].weights.triu(1) == 0).all()
    assert (decoder[1].weights > 0).all()
    assert torch.equal(cross[0].key, cross[1].key)
    assert (cross[0].weights > 0).all()
    assert not torch.allclose(cross[0].query, cross[1].query, atol=1e-4)  # they come from the decoder's own attention
    assert [one.causal_mask for one in encoder] == [True, False]


def test_only_heads_that_join_the_same_tokens_send_one_there(sums: Checkpoint) -> None:
    for own, layer in ((ENCODER, 1), (DECODER, 2), (CROSS, 5)):
        worked = lab(sums, layer=layer, cell=(3, 2))
        assert worked.at_cell.shape == (6, 4)
        for one in range(6):
            assert bool(torch.isnan(worked.at_cell[one]).all()) == (one not in own)
        for one, head in product(own, range(4)):
            assert worked.at_cell[one, head] == lab(sums, layer=one, head=head).weights[3, 2]


def test_a_cell_across_two_rows_of_tokens_has_a_place_in_each(sums: Checkpoint) -> None:
    assert lab(sums, text="47+85", layer=5, cell=(3, 4)).cell == (3, 4)
    assert lab(sums, text="47+85", layer=5, words=("[START]", "5")).cell == (0, 4)
    alone = lab(sums, text="47+85", layer=5)
    assert alone.weights[alone.cell] == alone.weights.max()
    beyond = lab(sums, text="47+85", layer=5, cell=(4, 4))  # a token of the source, but none of the target
    assert {"code": "no_such_token", "asked": 4, "last": 3} in beyond.notices
    assert beyond.cell == alone.cell
    for layer in DECODER:
        query, key = lab(sums, text="47+85", layer=layer).cell
        assert 0 < key < query


@pytest.mark.parametrize("kind", ["sinusoidal", "learned", "none"])
def test_positions_are_left_out_of_models_that_have_them(kind: str) -> None:
    experiment = find("mini_bert")
    training = build(experiment, changed(experiment.defaults(), {"positions": kind}))
    training.model.eval()
    on, off = (
        work_out(training.model, training.task, training.settings, LabRequest(text="温故", positions=positions))
        for positions in (True, False)
    )
    assert (on.has_positions, on.positions) == (kind != "none", kind != "none")
    assert not off.positions
    assert torch.equal(on.query, off.query) == (kind == "none")


def test_a_question_what_if_ends_with_its_block_and_changes_no_weights() -> None:
    layer = MultiHeadAttention(15, 5).eval()
    tokens = torch.randn(2, 7, 15)
    plain = layer(tokens)
    with what_if(causal=True, scaled=False, positions=False):
        fused = layer(tokens)
        with recording(layer) as maps:
            torch.testing.assert_close(layer(tokens), fused, atol=1e-5, rtol=0)
        assert maps[0].scale == 1.0
        assert not maps[0].allowed[0, 0, 0, 1]
    assert torch.equal(layer(tokens), plain)
    assert not torch.allclose(fused, plain)
    assert (asked().causal, asked().scaled, asked().positions) == (None, None, True)


def test_a_mask_is_not_put_between_two_streams() -> None:
    layer = MultiHeadAttention(15, 5, queries="target", keys="source").eval()
    with what_if(causal=True), recording(layer) as maps:
        layer(torch.randn(1, 3, 15), torch.randn(1, 7, 15))
    assert bool(maps[0].allowed.all())


def test_a_cell_is_found_by_place_by_words_and_by_itself(shipped: Checkpoint) -> None:
    text = {"tiny_transformer": "31459", "mini_bert": "温故知新", "mini_gpt": "道可非常"}[shipped.experiment.name]
    tokens = shipped.task.read(text).tokens
    assert lab(shipped, text=text, cell=(3, 1)).cell == (3, 1)
    assert lab(shipped, text=text, words=(tokens[2], tokens[0])).cell == (2, 0)
    alone = lab(shipped, text=text, words=("no such", "token"))
    assert alone.cell == lab(shipped, text=text).cell
    assert alone.cell[0] != alone.cell[1]
    apart = alone.weights.clone().fill_diagonal_(0)
    assert alone.weights[alone.cell] == apart.max()
    beyond = lab(shipped, text=text, cell=(99, 0), layer=77, head=55)
    assert {one["code"] for one in beyond.notices} >= {"no_such_token", "no_such_layer", "head_replaced"}
    assert (beyond.layer, beyond.head) == (1, 3)


def test_every_head_says_what_it_gives_the_cell(shipped: Checkpoint) -> None:
    worked = lab(shipped, cell=(2, 1))
    assert worked.at_cell.shape == (2, 4)
    for layer, head in product(range(2), range(4)):
        assert worked.at_cell[layer, head] == lab(shipped, layer=layer, head=head).weights[2, 1]
    masked = lab(shipped, cell=(1, 2), causal_mask=True)
    assert torch.isnan(masked.at_cell).all()


@given(text=st.text(max_size=60), layer=st.integers(0, 3), head=st.integers(0, 5))
def test_any_text_can_be_worked_out_and_packed(text: str, layer: int, head: int) -> None:
    seen = load(SHIPPED / "mini_gpt.safetensors")
    header, arrays = unpack_lab(lab_frame("run", "stopped", seen, LabRequest(text=text, layer=layer, head=head)))
    length = len(header["tokens"])
    assert {name: array.shape for name, array in arrays.items()} == {
        **dict.fromkeys(("query", "key", "value", "mixed"), (length, 16)),
        **dict.fromkeys(("scores", "scaled", "masked", "weights"), (length, length)),
        "share": (length, 64),
        "at_cell": (2, 4),
    }
    np.testing.assert_allclose(arrays["query"] @ arrays["key"].T, arrays["scores"], atol=1e-4)
    future = np.triu(np.ones((length, length), dtype=bool), 1)
    assert np.isneginf(arrays["masked"][future]).all()
    np.testing.assert_array_equal(arrays["masked"][~future], arrays["scaled"][~future])


@given(text=st.text(st.sampled_from("0123456789+ x漢"), max_size=20), layer=st.integers(0, 7), head=st.integers(0, 5))
def test_any_sum_can_be_worked_out_and_packed(sums: Checkpoint, text: str, layer: int, head: int) -> None:
    header, arrays = unpack_lab(lab_frame("run", "stopped", sums, LabRequest(text=text, layer=layer, head=head)))
    queries, keys = (len(header["streams"][header[name]]) for name in ("queries", "keys"))
    assert {name: array.shape for name, array in arrays.items()} == {
        **dict.fromkeys(("query", "mixed"), (queries, 16)),
        **dict.fromkeys(("key", "value"), (keys, 16)),
        **dict.fromkeys(("scores", "scaled", "masked", "weights"), (queries, keys)),
        "share": (queries, 64),
        "at_cell": (6, 4),
    }
    assert len(header["maps"]) == 6
    assert header["maps"][header["layer"]] == {"queries": header["queries"], "keys": header["keys"]}
    assert header["answer"]["right"][-1] == "[END]"


@needs_minilm
def test_minilm_sends_it_to_the_animal_in_two_heads_whatever_the_sentence_means() -> None:
    seen = load_pretrained(folder() / "model")
    tired, wide = (lab(seen, text=text, words=("it", "animal")).at_cell for text in (EXAMPLE, OTHER_EXAMPLE))
    best = tired.flatten().argsort(descending=True)[:2].tolist()
    assert [divmod(place, 12) for place in best] == [(5, 11), (3, 1)]
    assert [round(tired[place].item(), 2) for place in ((3, 1), (5, 11))] == [0.64, 0.65]
    assert [round(wide[place].item(), 2) for place in ((3, 1), (5, 11))] == [0.27, 0.50]
    street = lab(seen, text=EXAMPLE, words=("it", "street")).at_cell
    assert [round(street[place].item(), 2) for place in ((3, 1), (5, 11))] == [0.05, 0.02]
