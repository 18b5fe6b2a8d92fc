"""What is printed, without what differs from run to run or is but the wording of some kubectl."""

from __future__ import annotations

import re
from collections.abc import Iterable

Rules = tuple[tuple[re.Pattern[str], str], ...]


def _rules(*rules: tuple[str, str]) -> Rules:
    return tuple((re.compile(pattern, re.MULTILINE), replacement) for pattern, replacement in rules)


_SUFFIX = "[bcdfghjklmnpqrstvwxz2456789]"
_HASH = "[bcdf4-9]{6,10}"  # up to ten digits in Kubernetes' alphabet; one in 40,000 has fewer than six
_BY_CHANCE = _rules(
    (r"\b[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}\b", "UID"),
    (r"\b\d{4}-\d\d-\d\d[T ]\d\d:\d\d:\d\d(\.\d+)?(Z| [+-]\d{4} \w+)", "TIME"),
    (r"\b[A-Z][a-z]{2}, \d\d [A-Z][a-z]{2} \d{4} \d\d:\d\d:\d\d [+-]\d{4}", "TIME"),
    (rf"(?<=-){_HASH}-{_SUFFIX}{{5}}\b", "HASH-RANDOM"),
    (rf"(?<=-){_SUFFIX}{{5}}\b", "RANDOM"),
    (r"\b(pod-template-hash|controller-revision-hash)=[0-9a-z-]+", r"\1=HASH"),
    (rf"(?<=-){_HASH}\b", "HASH"),
    (r"\b(127\.0\.0\.1):\d+\b", r"\1:PORT"),
    (r"(?<=\d:)3[0-2]\d{3}(?=/)", "PORT"),
    (r"\b10\.\d+\.\d+\.\d+\b", "IP"),
    (r"(resourceVersion\"?: )\"\d+\"", r"\1VERSION"),
    (r"(?<=  )(\d+d)?(\d+h)?(\d+m)?\d+s(?=\s|$)", "AGE"),
    (r"\((\d+[smhd])+ ago\)", "(AGE ago)"),
    (r"\(x\d+ over \w+\)", "(xN over AGE)"),
)

_NOT_AVAILABLE = r"(?: is| forwarding is) not available here"
_BY_AGE = _rules(
    (r"\x1b\[[\d;]*m", ""),
    (r"( deleted) from \S+ namespace\b", r"\1"),
    (r" annotate$", " annotated"),
    (r"^ *(Node-Selectors|Tolerations):\s+<none>\n", ""),
    (r"^ +Kube-Proxy Version: *\n", ""),
    (r"^ *creationTimestamp: null\n", ""),
    (r"^WARNING: .*version.*\n", ""),
    (r"^Warning: resource \S+ was previously managed with 'kubectl apply'.*\n", ""),
    (r"^--profile=legacy is deprecated.*\n", ""),
    (r"due to error:(?=\S)", "due to error: "),
    (r"(cannot delete )+Pods (that )?declare", "cannot delete Pods that declare"),
    (rf"^(?:[Ee]rror\b.*: )(\w+{_NOT_AVAILABLE})", r"error: \1"),
    (rf"^(?:[Ee]rror\b.*: )(port{_NOT_AVAILABLE})", r"error: \1"),
)
_WIDE = re.compile(r"(?<=\S) {2,}")


def normalised(text: str) -> list[str]:
    """The lines, without what is random, and with two spaces between columns however wide these are."""
    return [_WIDE.sub("  ", line).rstrip() for line in _replaced(text, _BY_CHANCE).splitlines()]


def in_any_words(lines: Iterable[str]) -> list[str]:
    """Lines that are the same whichever kubectl has printed the same thing; empty ones are none."""
    text = "".join(f"{line}\n" for line in lines if line)
    return _replaced(text, _BY_AGE).splitlines()


def _replaced(text: str, rules: Rules) -> str:
    for pattern, replacement in rules:
        text = pattern.sub(replacement, text)
    return text
