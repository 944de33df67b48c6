"""The optimizers a run can use. All of them are torch's own."""

from __future__ import annotations

import torch
from torch import nn

from core.experiments.common import TrainingSettings


def optimizers(model: nn.Module, settings: TrainingSettings) -> list[torch.optim.Optimizer]:
    """The optimizers that together move every weight of the model.

    ``muon`` is Muon (Jordan et al. 2024) for the matrices inside the blocks and AdamW (Loshchilov & Hutter 2017,
    arXiv:1711.05101) for embeddings, output layer, biases and norms. Muon's step is scaled to the size of AdamW's (Liu
    et al. 2025, arXiv:2502.16982), so that one learning rate serves both. ``sgd`` is stochastic gradient descent with
    momentum (Sutskever et al. 2013).
    """
    if settings.optimizer == "sgd":
        return [
            torch.optim.SGD(
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
    adamw = torch.optim.AdamW(
        rest,
        lr=settings.learning_rate,
        betas=(0.9, settings.beta2),
        weight_decay=settings.weight_decay,
        fused=True,
    )
    if not matrices:
        return [adamw]
    muon = torch.optim.Muon(
        matrices, lr=settings.learning_rate, weight_decay=settings.weight_decay, adjust_lr_fn="match_rms_adamw"
    )
    return [adamw, muon]
