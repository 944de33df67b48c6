"""The encoder–decoder of Vaswani et al. 2017 ("Attention Is All You Need", arXiv:1706.03762, figure 1).

The encoder reads the source in both directions. The decoder writes the target: each of its tokens sees itself and those
before it, and, through encoder–decoder attention, the whole source. Norms stand after each part, as in the paper; with
``pre_norm`` they stand before it, and one more ends each stack. Left out: beam search.
"""

from __future__ import annotations

from typing import Any

import torch
from torch import Tensor, nn

from core.experiments.common import Architecture
from core.experiments.seq2seq import END, PADDING, START, Seq2SeqSettings
from core.layers import FeedForward, MultiHeadAttention, OutputLayer, TokenEmbedding, norm
from core.models.stack import blocks, parts
from core.positions import positions


class DecoderBlock(nn.Module):
    """Masked self-attention, encoder–decoder attention and a feed-forward part (Vaswani et al. 2017, section 3.1)."""

    def __init__(self, settings: Architecture) -> None:
        super().__init__()
        width, chosen = settings.width, parts(settings)
        kind, self.pre_norm, self.residual = chosen["normalisation"], chosen["pre_norm"], chosen["residual"]
        shared: dict[str, Any] = {name: chosen[name] for name in ("key_value_heads", "dropout", "scaled")}
        self.attention = MultiHeadAttention(
            width, settings.heads, positions=chosen["positions"], queries="target", keys="target", **shared
        )
        self.cross_attention = MultiHeadAttention(width, settings.heads, queries="target", keys="source", **shared)
        self.feed_forward = FeedForward(
            width, settings.feed_forward, dropout=settings.dropout, activation=chosen["activation"]
        )
        self.attention_norm = norm(kind, width)
        self.cross_attention_norm = norm(kind, width)
        self.feed_forward_norm = norm(kind, width)
        self.dropout = nn.Dropout(settings.dropout)

    def forward(self, target: Tensor, memory: Tensor, memory_mask: Tensor | None = None) -> Tensor:
        """``target`` (batch, targets, width), ``memory`` (batch, sources, width) → (batch, targets, width).

        ``memory_mask`` (batch, sources) is True for what may be seen of the source.
        """
        if self.pre_norm:
            target = self._added(target, self.attention(self.attention_norm(target), causal=True))
            normed = self.cross_attention_norm(target)
            target = self._added(target, self.cross_attention(normed, memory, key_mask=memory_mask))
            return self._added(target, self.feed_forward(self.feed_forward_norm(target)))
        target = self.attention_norm(self._added(target, self.attention(target, causal=True)))
        crossed = self.cross_attention(target, memory, key_mask=memory_mask)
        target = self.cross_attention_norm(self._added(target, crossed))
        return self.feed_forward_norm(self._added(target, self.feed_forward(target)))

    def _added(self, target: Tensor, answer: Tensor) -> Tensor:
        answer = self.dropout(answer)
        return target + answer if self.residual else answer


class Seq2Seq(nn.Module):
    """An encoder and a decoder over one ``vocabulary`` of tokens, of which the first three are of the model's own."""

    def __init__(self, settings: Seq2SeqSettings, vocabulary: int) -> None:
        super().__init__()
        width, tied = settings.width, settings.tied_embeddings
        self.source_embedding = TokenEmbedding(vocabulary, width, scaled=True)
        self.target_embedding = TokenEmbedding(vocabulary, width, scaled=True)
        self.source_positions = positions(settings.positions, settings.longest_source(), width)
        self.target_positions = positions(settings.positions, settings.longest_target(), width)
        self.encoder_blocks = blocks(settings, "source")
        self.decoder_blocks = nn.ModuleList(DecoderBlock(settings) for _ in range(settings.layers))
        last = settings.normalisation if settings.pre_norm else "none"  # after post-norm blocks all is normalised
        self.encoder_norm, self.decoder_norm = norm(last, width), norm(last, width)
        self.dropout = nn.Dropout(settings.dropout)
        self.vocabulary = OutputLayer(width, vocabulary, tied=tied)

    def forward(self, source: Tensor, target: Tensor) -> Tensor:
        """What follows each target token: (batch, sources), (batch, targets) → (batch, targets, vocabulary) logits.

        ``target`` begins with the start token. Padding in the source is hidden; in the target it may only stand at the
        end, where no other token sees it.
        """
        memory, mask = self.encode(source)
        return self.decode(target, memory, mask)

    def encode(self, source: Tensor) -> tuple[Tensor, Tensor | None]:
        """(batch, sources) → (batch, sources, width), and where there is no padding; None when there is none at all."""
        seen = source != PADDING
        mask = None if bool(seen.all()) else seen
        memory = self.dropout(self.source_positions(self.source_embedding(source)))
        for block in self.encoder_blocks:
            memory = block(memory, key_mask=mask)
        return self.encoder_norm(memory), mask

    def decode(self, target: Tensor, memory: Tensor, memory_mask: Tensor | None = None) -> Tensor:
        """(batch, targets), (batch, sources, width) → (batch, targets, vocabulary)"""
        hidden = self.dropout(self.target_positions(self.target_embedding(target)))
        for block in self.decoder_blocks:
            hidden = block(hidden, memory, memory_mask)
        return self.vocabulary(self.decoder_norm(hidden), self.target_embedding.weight)

    @torch.no_grad()
    def write(self, source: Tensor, longest: int) -> Tensor:
        """The likeliest token after each one that was written, at most ``longest`` of them.

        (batch, sources) → (batch, written); after the end there is padding.
        """
        memory, mask = self.encode(source)
        written = torch.full((len(source), 1), START, device=source.device)
        ended = torch.zeros(len(source), dtype=torch.bool, device=source.device)
        for _ in range(longest):
            following = self.decode(written, memory, mask)[:, -1].argmax(dim=-1)  # (batch,)
            following = following.masked_fill(ended, PADDING)
            written = torch.cat((written, following[:, None]), dim=1)
            ended |= following == END
            if bool(ended.all()):
                break
        return written[:, 1:]
