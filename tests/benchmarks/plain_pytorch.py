"""The yardstick: the three models and their recipe as one writes them with PyTorch's own parts and no further thought.

``nn.MultiheadAttention``, ``nn.TransformerEncoderLayer``, ``torch.optim.AdamW``, batches stacked in Python. Nothing
here is tuned, and nothing is slowed down.
"""

from __future__ import annotations

from collections.abc import Callable

import torch
from torch import Tensor, nn
from torch.nn.functional import cross_entropy

from core.data import corpora
from core.data.vocabulary import Vocabulary


class Decoder(nn.Module):
    """MiniGPT's shape around ``nn.MultiheadAttention``."""

    def __init__(self, vocabulary: int, block: int = 48, width: int = 64, heads: int = 4, layers: int = 2) -> None:
        super().__init__()
        self.embedding = nn.Embedding(vocabulary, width)
        self.positions = nn.Embedding(block, width)
        self.blocks = nn.ModuleList(DecoderBlock(width, heads) for _ in range(layers))
        self.norm = nn.LayerNorm(width)
        self.output = nn.Linear(width, vocabulary)

    def forward(self, tokens: Tensor) -> Tensor:
        length = tokens.shape[1]
        future = torch.triu(torch.full((length, length), float("-inf")), diagonal=1)
        hidden = self.embedding(tokens) + self.positions(torch.arange(length))
        for block in self.blocks:
            hidden = block(hidden, future)
        logits: Tensor = self.output(self.norm(hidden))
        return logits


class DecoderBlock(nn.Module):
    """One pre-norm block."""

    def __init__(self, width: int, heads: int) -> None:
        super().__init__()
        self.attention_norm = nn.LayerNorm(width)
        self.attention = nn.MultiheadAttention(width, heads, batch_first=True)
        self.forward_norm = nn.LayerNorm(width)
        self.feed_forward = nn.Sequential(nn.Linear(width, 4 * width), nn.GELU(), nn.Linear(4 * width, width))

    def forward(self, hidden: Tensor, mask: Tensor) -> Tensor:
        normed = self.attention_norm(hidden)
        hidden = hidden + self.attention(normed, normed, normed, attn_mask=mask)[0]
        fed: Tensor = hidden + self.feed_forward(self.forward_norm(hidden))
        return fed


class Encoder(nn.Module):
    """MiniBERT's and TinyTransformer's shape around ``nn.TransformerEncoderLayer``."""

    def __init__(
        self, tokens: int, outputs: int, width: int, feed_forward: int, positions: nn.Module, mean: bool
    ) -> None:
        super().__init__()
        self.embedding = nn.Embedding(tokens, width)
        self.positions = positions
        layer = nn.TransformerEncoderLayer(
            width, 4, feed_forward, dropout=0.1, activation="gelu", batch_first=True, norm_first=True
        )
        self.encoder = nn.TransformerEncoder(layer, num_layers=2, enable_nested_tensor=False)
        self.output = nn.Linear(width, outputs)
        self.mean = mean

    def forward(self, tokens: Tensor) -> Tensor:
        places = self.positions(torch.arange(tokens.shape[1]))
        hidden = self.encoder(self.embedding(tokens) + places)
        logits: Tensor = self.output(hidden.mean(dim=1) if self.mean else hidden)
        return logits


class Sinusoids(nn.Module):
    """Vaswani et al. 2017, section 3.5, looked up by place."""

    def __init__(self, width: int, longest: int = 64) -> None:
        super().__init__()
        angles = torch.arange(longest)[:, None] / 10_000 ** (torch.arange(0, width, 2) / width)
        table = torch.stack([angles.sin(), angles.cos()], dim=2).flatten(1)  # (longest, width)
        self.register_buffer("table", table)

    def forward(self, places: Tensor) -> Tensor:
        table: Tensor = self.get_buffer("table")
        return table[places]


class Plain:
    """A model, its optimizer, and the loss of a fresh random batch."""

    def __init__(self, model: nn.Module, loss: Callable[[nn.Module], Tensor], learning_rate: float, steps: int) -> None:
        self.model = model
        self.loss = loss
        self.steps = steps
        self.optimizer = torch.optim.AdamW(model.parameters(), lr=learning_rate)

    def step(self) -> None:
        """One step of training."""
        self.optimizer.zero_grad()
        self.loss(self.model).backward()  # type: ignore[no-untyped-call]  # torch leaves it untyped
        self.optimizer.step()


def tiny_transformer(seed: int) -> Plain:
    """Is there a 3 among eight digits?"""
    torch.manual_seed(seed)
    sequences = torch.randint(0, 10, (4_000, 8))
    answers = (sequences == 3).any(dim=1).long()

    def loss(model: nn.Module) -> Tensor:
        chosen = torch.randint(0, len(sequences), (64,))
        return cross_entropy(model(sequences[chosen]), answers[chosen])

    model = Encoder(tokens=10, outputs=2, width=32, feed_forward=64, positions=Sinusoids(32), mean=True)
    return Plain(model, loss, learning_rate=1e-3, steps=300)


def mini_bert(seed: int) -> Plain:
    """Fill in hidden characters of the Analects."""
    torch.manual_seed(seed)
    text = corpora.read("lunyu")
    vocabulary, block = Vocabulary(text), 32
    numbers, hidden = torch.tensor(vocabulary.encode(text)), len(vocabulary)

    def loss(model: nn.Module) -> Tensor:
        starts = torch.randint(0, len(numbers) - block, (16,)).tolist()
        targets = torch.stack([numbers[start : start + block] for start in starts])
        chosen = torch.rand(targets.shape) < 0.15
        return cross_entropy(model(targets.masked_fill(chosen, hidden))[chosen], targets[chosen])

    model = Encoder(len(vocabulary) + 1, len(vocabulary), 48, 96, positions=nn.Embedding(block, 48), mean=False)
    return Plain(model, loss, learning_rate=2e-3, steps=800)


def mini_gpt(seed: int) -> Plain:
    """Predict the next character of the Dao De Jing."""
    torch.manual_seed(seed)
    text = corpora.read("daodejing")
    vocabulary, block = Vocabulary(text), 48
    numbers = torch.tensor(vocabulary.encode(text))

    def loss(model: nn.Module) -> Tensor:
        starts = torch.randint(0, len(numbers) - block, (32,)).tolist()
        inputs = torch.stack([numbers[start : start + block] for start in starts])
        targets = torch.stack([numbers[start + 1 : start + block + 1] for start in starts])
        return cross_entropy(model(inputs).transpose(1, 2), targets)

    return Plain(Decoder(len(vocabulary)), loss, learning_rate=1e-3, steps=400)


RUNS: dict[str, Callable[[int], Plain]] = {
    "tiny_transformer": tiny_transformer,
    "mini_bert": mini_bert,
    "mini_gpt": mini_gpt,
}
