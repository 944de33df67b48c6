"""The encoder–decoder: parity with torch's own, the laws of its three kinds of attention, its exercises."""

from typing import Any

import pytest
import torch
from torch import Tensor, nn

from core.capture import recording
from core.data.sums import PLUS, TOKENS, Sums, held_back
from core.experiments import find
from core.experiments.seq2seq import END, PADDING, START, Seq2SeqSettings
from core.inference.look import Looked, look
from core.models.seq2seq import Seq2Seq
from core.runs.requests import LookRequest
from core.settings import changed
from core.training.build import Training, build
from core.training.objectives import exact_match

EXERCISES = ["add", "reverse", "sort"]


def settings(**changes: Any) -> Seq2SeqSettings:
    small = {"width": 28, "heads": 7, "feed_forward": 40, "layers": 3, "batch_size": 11}
    made: Seq2SeqSettings = changed(find("seq2seq").defaults(), small | changes)
    return made


def built(**changes: Any) -> Training:
    training = build(find("seq2seq"), settings(**changes))
    training.model.eval()
    return training


def asked(training: Training, text: str, **request: Any) -> Looked:
    return look(training.model, training.task, training.settings, LookRequest(text=text, **request))


def copy_attention(own: Any, other: Any) -> None:
    for name in ("weight", "bias"):
        stacked = torch.cat([getattr(part, name) for part in (own.query, own.key, own.value)])
        getattr(other, f"in_proj_{name}").copy_(stacked)
        getattr(other.out_proj, name).copy_(getattr(own.output, name))


@torch.no_grad()
def reference_of(own: Seq2Seq, chosen: Seq2SeqSettings) -> nn.Transformer:
    """torch's own Transformer with the same weights. It ends post-norm stacks in one more norm; the paper does not."""
    other = nn.Transformer(
        chosen.width,
        chosen.heads,
        chosen.layers,
        chosen.layers,
        chosen.feed_forward,
        dropout=0.0,
        activation=chosen.activation,
        batch_first=True,
        norm_first=chosen.pre_norm,
    ).eval()
    for mine, theirs in zip(own.encoder_blocks, other.encoder.layers, strict=True):
        copy_attention(mine.attention, theirs.self_attn)
        copy_parts(mine, theirs, ("attention_norm", "feed_forward_norm"))
    for mine, theirs in zip(own.decoder_blocks, other.decoder.layers, strict=True):
        copy_attention(mine.attention, theirs.self_attn)
        copy_attention(mine.cross_attention, theirs.multihead_attn)
        copy_parts(mine, theirs, ("attention_norm", "cross_attention_norm", "feed_forward_norm"))
    if chosen.pre_norm:
        other.encoder.norm.load_state_dict(own.encoder_norm.state_dict())
        other.decoder.norm.load_state_dict(own.decoder_norm.state_dict())
    else:
        other.encoder.norm = other.decoder.norm = None
    return other


def copy_parts(mine: Any, theirs: Any, norms: tuple[str, ...]) -> None:
    theirs.linear1.load_state_dict(mine.feed_forward.expand.state_dict())
    theirs.linear2.load_state_dict(mine.feed_forward.contract.state_dict())
    for place, name in enumerate(norms, 1):
        getattr(theirs, f"norm{place}").load_state_dict(getattr(mine, name).state_dict())


@pytest.mark.filterwarnings("ignore:enable_nested_tensor")  # a fast path of torch's that is not taken
@pytest.mark.parametrize("pre_norm", [False, True])
@pytest.mark.parametrize("padded", [False, True])
def test_the_same_weights_give_what_torchs_transformer_gives(pre_norm: bool, padded: bool) -> None:
    chosen = settings(pre_norm=pre_norm)
    torch.manual_seed(3)
    own = Seq2Seq(chosen, len(TOKENS)).eval()
    for parameter in own.parameters():  # norms and biases too: at the start they would hide where they belong
        nn.init.normal_(parameter, std=0.3)
    source = torch.randint(3, len(TOKENS), (5, 5))
    target = torch.randint(1, len(TOKENS), (5, 4))
    if padded:
        source[2, 3:] = source[4, 1:] = PADDING
    other = reference_of(own, chosen)
    with torch.no_grad():
        memory, _ = own.encode(source)
        embedded = [
            place(table(tokens))
            for place, table, tokens in (
                (own.source_positions, own.source_embedding, source),
                (own.target_positions, own.target_embedding, target),
            )
        ]
        hidden = other(
            *embedded,
            tgt_mask=nn.Transformer.generate_square_subsequent_mask(4),
            src_key_padding_mask=source == PADDING if padded else None,
            memory_key_padding_mask=source == PADDING if padded else None,
            tgt_is_causal=True,
        )
        logits = own.vocabulary(hidden)
        theirs = other.encoder(embedded[0], src_key_padding_mask=source == PADDING if padded else None)
        seen = source != PADDING  # what stands on padding is never seen: torch may leave zeros there
        torch.testing.assert_close(memory[seen], theirs[seen], atol=1e-5, rtol=1e-5)
        torch.testing.assert_close(own(source, target), logits, atol=1e-5, rtol=1e-5)


def test_embeddings_are_scaled_by_the_root_of_the_width() -> None:
    model = built().model
    tokens = torch.tensor([[5, 7]])
    for table in (model.source_embedding, model.target_embedding):
        assert isinstance(table, nn.Embedding)
        torch.testing.assert_close(table(tokens), table.weight[tokens] * 28**0.5)


@pytest.mark.parametrize("pre_norm", [False, True])
@pytest.mark.parametrize("exercise", EXERCISES)
def test_the_laws_hold_in_all_three_kinds_of_attention(exercise: str, pre_norm: bool) -> None:
    training = built(exercise=exercise, pre_norm=pre_norm)
    seen = asked(training, "12+39")
    kinds = [(one.queries, one.keys) for one in seen.maps]
    assert kinds == [("source", "source")] * 3 + [("target", "target"), ("target", "source")] * 3
    for one in seen.maps:
        assert one.weights.shape[2:] == (len(seen.streams[one.queries]), len(seen.streams[one.keys]))
        torch.testing.assert_close(one.weights.sum(dim=-1), torch.ones(one.weights.shape[:3]), atol=1e-6, rtol=0)
        torch.testing.assert_close(one.weights @ one.value, one.mixed, atol=1e-5, rtol=0)
        if one.keys == "target":
            assert one.weights.triu(1).abs().max() == 0
        else:
            assert (one.weights > 0).all()


@pytest.mark.parametrize("exercise", EXERCISES)
def test_recording_changes_nothing(exercise: str) -> None:
    training = built(exercise=exercise)
    batch = training.task.held_out(training.settings)
    assert batch is not None
    with torch.no_grad():
        plain = training.model(batch.source, batch.inputs)
        with recording(training.model) as maps:
            recorded = training.model(batch.source, batch.inputs)
    assert len(maps) == 9
    torch.testing.assert_close(plain, recorded, atol=1e-6, rtol=1e-5)


def test_padding_is_never_seen_and_changes_nothing() -> None:
    training = built(exercise="sort")
    row = torch.tensor([[5, 9, 4]])
    padded = torch.cat((row, torch.full((1, 4), PADDING)), dim=1)
    target = torch.tensor([[START, 6, 8]])
    with torch.no_grad(), recording(training.model) as maps:
        long = training.model(padded, target)
    with torch.no_grad():
        short = training.model(row, target)
    torch.testing.assert_close(long, short, atol=1e-5, rtol=1e-5)
    for one in maps:
        if one.keys == "source":
            assert one.weights[..., 3:].abs().max() == 0


def test_a_later_token_leaves_what_was_written_before() -> None:
    model = built().model
    source, target = torch.tensor([[4, 5, PLUS, 6, 7]]), torch.tensor([[START, 5, 6, 7]])
    with torch.no_grad():
        before, after = model(source, target), model(source, target.index_fill(1, torch.tensor([3]), 9))
    torch.testing.assert_close(before[:, :3], after[:, :3], atol=1e-6, rtol=0)


def test_what_is_written_is_the_likeliest_token_after_the_models_own() -> None:
    training = built(exercise="reverse")
    model, task = training.model, training.task
    assert isinstance(model, Seq2Seq) and isinstance(task, Sums)
    batch = task.held_out(training.settings)
    written = model.write(batch.source, task.longest)  # type: ignore[arg-type]
    with torch.no_grad():
        again = model(batch.source, task.begun(written)).argmax(dim=-1)
    open_places = written != PADDING
    assert torch.equal(again[open_places], written[open_places])


class Right(nn.Module):
    """Writes the answers that it was given, one of them wrong."""

    def __init__(self, answers: Tensor) -> None:
        super().__init__()
        self.answers = answers.clone()
        self.answers[0, 0] = PLUS

    def write(self, source: Tensor, longest: int) -> Tensor:
        return self.answers


def test_exact_match_counts_whole_answers() -> None:
    batch = Sums(settings()).held_out(settings())
    assert exact_match(Right(batch.targets), batch) == pytest.approx(1 - 1 / len(batch.targets))


@pytest.mark.parametrize("digits", [1, 2, 3])
def test_held_out_sums_are_never_trained_on_in_either_order(digits: int) -> None:
    task, base = Sums(settings(digits=digits)), 10**digits
    trained = set(task._training.tolist())
    held = task._unseen.tolist()
    assert held and len(trained) > 0.85 * base**2
    assert not trained & {*held, *(pair % base * base + pair // base for pair in held)}


@pytest.mark.parametrize("exercise", ["reverse", "sort"])
def test_held_out_rows_are_never_trained_on(exercise: str) -> None:
    task = Sums(settings(exercise=exercise))
    trained = {tuple(row) for row in task._training.tolist()}
    assert not trained & {tuple(row) for row in task._unseen.tolist()}


def test_about_a_tenth_is_held_back() -> None:
    assert held_back(torch.arange(10_000)).float().mean().item() == pytest.approx(0.1, abs=0.01)


@pytest.mark.parametrize(
    ("changes", "text", "answer"),
    [
        ({}, "12+39", "150[END]"),
        ({"answer": "forwards"}, "12+39", "051[END]"),
        ({"answer": "forwards"}, "７ + 5", "012[END]"),
        ({"answer": "forwards", "digits": 3}, "999+1", "1000[END]"),
        ({"exercise": "reverse"}, "4931", "1394[END]"),
        ({"exercise": "sort"}, "4931", "1349[END]"),
    ],
)
def test_the_right_answer_is_known(changes: dict[str, Any], text: str, answer: str) -> None:
    task = Sums(settings(**changes))
    reading = task.read(text)
    logits = torch.zeros(1, len(answer) - 4, len(TOKENS))
    assert "".join(str(one.correct) for one in task.predictions(logits, reading)) == answer
    assert not reading.notices


@pytest.mark.parametrize(
    ("text", "read", "code"),
    [
        ("", "00+00", "empty"),
        ("12", "12+00", "sum_read_as"),
        ("+5", "00+05", None),
        ("123+4", "23+04", "sum_read_as"),
        ("1+2+3", "01+02", "sum_read_as"),
        ("<b>1+2", "01+02", "unknown_characters"),
        ("++", "00+00", "sum_read_as"),
        ("9" * 100_000, "99+00", "sum_read_as"),
    ],
)
def test_any_text_is_read_as_a_sum(text: str, read: str, code: str | None) -> None:
    reading = Sums(settings()).read(text)
    assert "".join(reading.tokens) == read
    assert [TOKENS[number] for number in reading.numbers] == list(read)
    assert code is None or code in [one["code"] for one in reading.notices]


@pytest.mark.parametrize(
    ("change", "written", "answer"),
    [
        ({}, ("1", "5", "0", "[END]"), "51"),
        ({"answer": "forwards"}, ("0", "5", "1", "[END]"), "51"),
        ({}, ("0", "0", "0", "[END]"), "0"),
        ({}, ("5", "[END]", "1", "1"), "5"),
        ({}, ("[END]",), ""),
        ({}, ("1", "5", "0", "2"), "2051"),
        ({"exercise": "sort"}, ("0", "0", "7", "[END]"), "007"),
    ],
)
def test_an_answer_is_read_as_a_person_writes_it(change: dict[str, Any], written: tuple[str, ...], answer: str) -> None:
    assert Sums(settings(**change)).answer(written) == answer


@pytest.mark.parametrize("exercise", EXERCISES)
def test_targets_end_and_inputs_begin(exercise: str) -> None:
    batch = Sums(settings(exercise=exercise)).held_out(settings())
    assert (batch.inputs[:, 0] == START).all()
    assert ((batch.targets == END).sum(dim=1) == 1).all()
    assert batch.chosen is not None
    assert torch.equal(batch.chosen, batch.targets != PADDING)


@pytest.mark.parametrize("exercise", EXERCISES)
def test_the_same_settings_give_the_same_run_and_it_learns(exercise: str) -> None:
    chosen = settings(exercise=exercise, dropout=0.1, warmup_steps=5, steps=60)
    losses = []
    for _ in range(2):
        training = build(find("seq2seq"), chosen)
        losses.append([training.step().loss for _ in range(60)])
    assert losses[0] == losses[1]
    assert sum(losses[0][-5:]) < 0.9 * sum(losses[0][:5])


def test_hidden_keys_are_those_of_the_source() -> None:
    seen = asked(built(), "12+39", without_keys=(2,))
    for one in seen.maps:
        if one.keys == "source":
            assert one.weights[..., 2].max() == 0
        else:
            assert one.weights[0, :, 2, 2].min() > 0
    assert seen.ablation.keys == {2} and len(seen.baseline) == len(seen.predictions)


@pytest.mark.parametrize(
    "change", [{"tied_embeddings": True}, {"positions": "rope", "width": 56}, {"positions": "alibi"}]
)
def test_other_settings_build_and_answer(change: dict[str, Any]) -> None:
    training = built(**change)
    before = [training.step().loss for _ in range(3)]
    training.model.eval()
    assert all(torch.isfinite(torch.tensor(before)))
    assert asked(training, "12+39").streams["target"][0] == "[START]"


def test_the_fast_recipe_adds_in_half_the_steps() -> None:
    experiment = find("seq2seq")
    training = build(experiment, experiment.defaults("fast"))
    assert training.settings.steps <= experiment.defaults().steps / 2
    for _ in range(training.settings.steps):
        training.step()
    assert training.evaluate()["exact_match"] >= 0.999
