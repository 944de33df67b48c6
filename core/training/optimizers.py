"""The optimizers a run can use. All of them are torch's own."""

from __future__ import annotations

import inspect
from typing import TypeVar, cast

import torch
from torch import nn
from torch.optim import Optimizer

from core.experiments.common import TrainingSettings

Kind = TypeVar("Kind", bound=Optimizer)


def without_compiler(kind: type[Kind]) -> type[Kind]:
    """The same optimizer, whose methods leave torch's compiler alone.

    Torch wraps them so that ``torch.compile`` passes them by, and the wrappers load the whole compiler when they are
    first called: a second of a processor and tens of megabytes in each worker, for something that nothing here uses.
    """
    wrapped = ("add_param_group", "zero_grad", "state_dict", "load_state_dict")
    plain = {name: inspect.unwrap(getattr(kind, name)) for name in wrapped}
    plain["step"] = torch.no_grad()(inspect.unwrap(kind.step))
    return cast(type[Kind], type(kind.__name__, (kind,), plain | {"__module__": __name__, "__doc__": kind.__doc__}))


SGD = without_compiler(torch.optim.SGD)
AdamW = without_compiler(torch.optim.AdamW)
Muon = without_compiler(torch.optim.Muon)


def optimizers(model: nn.Module, settings: TrainingSettings) -> list[Optimizer]:
    """The optimizers that together move every weight of the model.

    ``muon`` is Muon (Jordan et al. 2024) for the matrices inside the blocks and AdamW (Loshchilov & Hutter 2017,
    arXiv:1711.05101) for embeddings, output layer, biases and norms. Muon's step is scaled to the size of AdamW's (Liu
    et al. 2025, arXiv:2502.16982), so that one learning rate serves both. ``sgd`` is stochastic gradient descent with
    momentum (Sutskever et al. 2013).
    """
    if settings.optimizer == "sgd":
        return [
            SGD(
                model.parameters(),
                lr=settings.learning_rate,
                momentum=settings.momentum,
                weight_decay=settings.weight_decay,
            )
        ]
    matrices = [p for name, p in model.named_parameters() if p.ndim == 2 and "blocks." in name]
    if settings.optimizer != "muon":
        matrices = []
    chosen = {id(parameter) for parameter in matrices}
    rest = [parameter for parameter in model.parameters() if id(parameter) not in chosen]
    adamw = AdamW(
        rest,
        lr=settings.learning_rate,
        betas=(0.9, settings.beta2),
        weight_decay=settings.weight_decay,
        fused=True,
    )
    if not matrices:
        return [adamw]
    muon = Muon(matrices, lr=settings.learning_rate, weight_decay=settings.weight_decay, adjust_lr_fn="match_rms_adamw")
    return [adamw, muon]
