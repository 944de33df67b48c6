"""What a study has found so far, as its worker tells the server. Shared by both."""

from __future__ import annotations

import dataclasses
from dataclasses import dataclass, field
from typing import Any, Literal

StudyStatus = Literal["running", "finished", "cancelled", "failed"]


@dataclass(frozen=True, kw_only=True)
class Findings:
    """The state of a study. ``partial`` is None when nothing new can be shown; ``result`` comes with the end."""

    study: str
    fraction: float
    status: StudyStatus
    partial: Any = None
    result: Any = None
    sentence: str | None = None  # why it failed, to be translated; None: a mistake of ours
    fields: dict[str, Any] = field(default_factory=dict)
    seconds: float = 0.0  # of its own turns

    def to_json(self) -> dict[str, Any]:
        """The findings as plain values."""
        return {one.name: getattr(self, one.name) for one in dataclasses.fields(self)}
