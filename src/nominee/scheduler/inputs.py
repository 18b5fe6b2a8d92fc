"""What drivers tell the scheduler."""

from __future__ import annotations

import msgspec

from nominee.model.meta import NamedObject
from nominee.scheduler.extenders import FilterAnswer, VictimsAnswer


class Seen(msgspec.Struct, frozen=True):
    """An object exists, in this form; new or changed, the scheduler knows what it has seen before."""

    item: NamedObject


class Gone(msgspec.Struct, frozen=True):
    """An object was deleted; the last form anybody saw."""

    item: NamedObject


class Completed(msgspec.Struct, frozen=True):
    """An effect was carried out, or was not: `error` says why.

    rejected   the error is a PreBind plugin's refusal, not a fault
    missing    the object was not there (any more)
    said       the answer to a question
    """

    effect_id: int
    error: str | None = None
    rejected: bool = False
    missing: bool = False
    said: FilterAnswer | VictimsAnswer | None = None


Input = Seen | Gone | Completed
