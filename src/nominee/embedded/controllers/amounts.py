"""Numbers of pods, given as such or as a share of all."""

from __future__ import annotations


def amount(value: int | str, total: int, *, up: bool) -> int:
    """A number, or a percentage of `total`, rounded up or down.

    Reproduces GetScaledValueFromIntOrPercent of apimachinery/pkg/util/intstr/intstr.go, v1.37.
    """
    if isinstance(value, int):
        return value
    percent = int(value.removesuffix("%")) * total
    return -(-percent // 100) if up else percent // 100


def fenceposts(surge: int | str, unavailable: int | str, desired: int) -> tuple[int, int]:
    """How many more pods there may be, and how many fewer: never neither, or nothing would move.

    Reproduces ResolveFenceposts of pkg/controller/deployment/util/deployment_util.go, v1.37.
    """
    more, fewer = amount(surge, desired, up=True), amount(unavailable, desired, up=False)
    return (more, fewer) if more or fewer else (0, 1)
