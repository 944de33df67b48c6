"""The checkpoints that ship with the app: small, of the document's recipe, and as good as they are said to be."""

from pathlib import Path

import pytest
import torch

from core.data.texts import NextCharacter
from core.experiments import catalogue, find
from core.inference import checkpoint
from core.inference.generation import generate
from core.inference.look import look
from core.runs.requests import GenerateRequest, LookRequest
from core.training.build import build
from core.training.objectives import exact_match

FOLDER = Path(__file__).parents[2] / "assets" / "checkpoints"


@pytest.mark.parametrize("name", catalogue())
def test_a_shipped_checkpoint_is_the_document_recipe_run_to_its_end(name: str) -> None:
    file = FOLDER / f"{name}.safetensors"
    shipped = checkpoint.load(file)
    assert file.stat().st_size < 1_000_000
    assert shipped.settings == find(name).defaults("document")
    assert shipped.step == shipped.settings.steps == len(shipped.course.loss)
    assert shipped.course.loss[-1] == pytest.approx(shipped.loss, rel=1e-5)
    assert shipped.course.evaluations[-1]["step"] == shipped.step


def test_the_shipped_classifier_is_right_about_fresh_sequences() -> None:
    shipped = checkpoint.load(FOLDER / "tiny_transformer.safetensors")
    unseen = shipped.task.held_out(shipped.settings)
    assert unseen is not None
    with torch.no_grad():
        assert torch.equal(shipped.model(unseen.inputs).argmax(dim=-1), unseen.targets)


def test_the_shipped_masked_model_fills_the_documents_blank() -> None:
    shipped = checkpoint.load(FOLDER / "mini_bert.safetensors")
    blank = look(shipped.model, shipped.task, shipped.settings, LookRequest(text="温故而_新可以为师")).predictions[0]
    assert blank.labels[int(blank.logits.argmax())] == "知"


def test_the_shipped_language_model_recites() -> None:
    shipped = checkpoint.load(FOLDER / "mini_gpt.safetensors")
    assert isinstance(shipped.task, NextCharacter)
    written = generate(shipped.model, shipped.task, shipped.settings, GenerateRequest(prompt="道可道"))
    assert written["greedy"]["recited"] >= 40


def test_a_shipped_checkpoint_can_be_made_again() -> None:
    """The quickest of them: the others take the same road. Another processor may round differently, a little."""
    shipped = checkpoint.load(FOLDER / "tiny_transformer.safetensors")
    training = build(shipped.experiment, shipped.settings)
    losses = [training.step().loss for _ in range(shipped.step)]
    assert losses[:50] == pytest.approx(shipped.course.loss[:50], abs=0.01)
    weights = shipped.model.state_dict()
    for name, tensor in training.model.state_dict().items():
        torch.testing.assert_close(tensor, weights[name], atol=0.02, rtol=0)


def test_the_shipped_encoder_decoder_adds_what_it_was_never_trained_on() -> None:
    shipped = checkpoint.load(FOLDER / "seq2seq.safetensors")
    unseen = shipped.task.held_out(shipped.settings)
    assert unseen is not None
    assert exact_match(shipped.model, unseen) >= 0.999
