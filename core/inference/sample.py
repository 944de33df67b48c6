"""One line that shows what a model has learned."""

from __future__ import annotations

from core.data.sums import Sums
from core.inference.checkpoint import Checkpoint
from core.inference.generation import generate
from core.inference.look import look
from core.runs.requests import GenerateRequest, LookRequest

CANDIDATES = 3


def sample(checkpoint: Checkpoint) -> str:
    """A model that writes goes on from the start of its example greedily; the others answer their example."""
    example = checkpoint.experiment.view().prompt
    if checkpoint.experiment.generates:
        request = GenerateRequest(prompt=example[:3], temperature=0.0)
        written = generate(checkpoint.model, checkpoint.task, checkpoint.settings, request)
        return f"{written['prompt']}{written['greedy']['text']}"
    seen = look(checkpoint.model, checkpoint.task, checkpoint.settings, LookRequest(text=example))
    if isinstance(checkpoint.task, Sums):
        return f"{example} → {checkpoint.task.answer([one.likeliest for one in seen.predictions])}"
    answers = []
    for prediction in seen.predictions:
        best = prediction.logits.topk(min(CANDIDATES, len(prediction.labels))).indices.tolist()
        answers.append(" ".join(prediction.labels[index] for index in best))
    return f"{example} → {' | '.join(answers)}"
