"""What of a pod may change once it is there.

The rules of ValidatePodUpdate of pkg/apis/core/validation/validation.go, v1.37: a few fields of the
specification, and a few more as long as the pod is gated.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from difflib import unified_diff
from typing import Any

from nominee.apiserver.kinds.field_errors import forbidden, invalid, required
from nominee.apiserver.kinds.pod.affinity import REQUIRED
from nominee.apiserver.kinds.pod.containers import validate_image_text
from nominee.apiserver.kinds.syntax import between
from nominee.apiserver.status import FieldError

Item = Mapping[str, Any]

_MIRROR = "kubernetes.io/config.mirror"
_APP_ARMOR = "container.apparmor.security.beta.kubernetes.io/"
_MAX_INT32 = 2**31 - 1
_UPDATABLE = (
    "`spec.containers[*].image`,`spec.initContainers[*].image`,`spec.activeDeadlineSeconds`,"
    "`spec.tolerations` (only additions to existing tolerations),"
    "`spec.terminationGracePeriodSeconds` (allow it to be set to 1 if it was previously negative)"
)


def validate_annotation_updates(item: Item, old: Item) -> Iterator[FieldError]:
    """Annotations that stay what they were when the pod was made."""
    annotations = item["metadata"].get("annotations") or {}
    before = old["metadata"].get("annotations") or {}
    if annotations == before:
        return
    for key in before:
        if annotations.get(key) != before[key] and (what := _kept(key)):
            yield forbidden(f"metadata.annotations[{key}]", f"may not remove or update {what}")
    for key in annotations:
        if key not in before and (what := _kept(key)):
            yield forbidden(f"metadata.annotations[{key}]", f"may not add {what}")


def _kept(key: str) -> str:
    if key == _MIRROR:
        return "mirror pod annotation"
    return "AppArmor annotations" if key.startswith(_APP_ARMOR) else ""


def validate_spec_update(spec: Item, old: Item) -> Iterator[FieldError]:
    """What is wrong with the change of a specification; `spec` and `old` are both good by themselves."""
    if spec == old:
        return
    for name in ("containers", "initContainers"):
        if len(spec.get(name) or ()) != len(old.get(name) or ()):
            yield forbidden(f"spec.{name}", "pod updates may not add or remove containers")
            return
    for name in ("containers", "initContainers"):
        for position, container in enumerate(spec.get(name) or ()):
            yield from _validate_image(container, f"spec.{name}[{position}]")
    deadline = list(_validate_deadline(spec.get("activeDeadlineSeconds"), old.get("activeDeadlineSeconds")))
    yield from deadline
    if deadline and "activeDeadlineSeconds" in spec:
        return
    yield from _validate_tolerations(spec.get("tolerations") or (), old.get("tolerations") or ())
    yield from _validate_gates(spec.get("schedulingGates") or (), old.get("schedulingGates") or ())
    yield from _validate_rest(spec, old)


def _validate_image(container: Item, path: str) -> Iterator[FieldError]:
    if not container.get("image"):
        yield required(f"{path}.image")
    yield from validate_image_text(container, path)


def _validate_deadline(new: int | None, old: int | None) -> Iterator[FieldError]:
    path = "spec.activeDeadlineSeconds"
    if new is None:
        if old is not None:
            yield invalid(path, None, "must not update from a positive integer to nil value")
    elif not 0 <= new <= _MAX_INT32:
        yield invalid(path, new, between(0, _MAX_INT32))
    elif old is not None and old < new:
        yield invalid(path, new, "must be less than or equal to previous value")


def _validate_tolerations(new: Sequence[Item], old: Sequence[Item]) -> Iterator[FieldError]:
    timeless = [_timeless(toleration) for toleration in new]
    if any(_timeless(toleration) not in timeless for toleration in old):
        why = "existing toleration can not be modified except its tolerationSeconds"
        yield forbidden("spec.tolerations", why)


def _timeless(toleration: Item) -> Item:
    return {name: value for name, value in toleration.items() if name != "tolerationSeconds"}


def _validate_gates(new: Sequence[Item], old: Sequence[Item]) -> Iterator[FieldError]:
    before = {gate.get("name") for gate in old}
    for position, gate in enumerate(new):
        if gate.get("name") not in before:
            why = f"only deletion is allowed, but found new scheduling gate '{gate.get('name') or ''}'"
            yield forbidden(f"spec.schedulingGates[{position}].name", why)


def _validate_rest(spec: Item, old: Item) -> Iterator[FieldError]:
    """All that may not change is as it was, once what may has been put back."""
    munged = dict(spec)
    for name in ("containers", "initContainers"):
        if name in spec:
            before = old.get(name) or ()
            munged[name] = [
                {**one, "image": was.get("image")} for one, was in zip(spec[name], before, strict=True)
            ]
    _put_back(munged, old, "activeDeadlineSeconds", "schedulingGates", "tolerations")
    if (old.get("terminationGracePeriodSeconds") or 0) < 0 and spec.get("terminationGracePeriodSeconds") == 1:
        _put_back(munged, old, "terminationGracePeriodSeconds")
    if old.get("schedulingGates"):
        yield from _validate_gated(munged, old)
    if munged != old:
        why = f"pod updates may not change fields other than {_UPDATABLE}\n{difference(old, munged)}"
        yield forbidden("spec", why)


def _put_back(munged: dict[str, Any], old: Item, *names: str) -> None:
    for name in names:
        if name in old:
            munged[name] = old[name]
        else:
            munged.pop(name, None)


def _validate_gated(munged: dict[str, Any], old: Item) -> Iterator[FieldError]:
    """A gated pod may still be narrowed: to more labels of nodes, to fewer nodes by affinity."""
    selector, before = munged.get("nodeSelector") or {}, old.get("nodeSelector") or {}
    if any(selector.get(key) != value for key, value in before.items()):
        why = "only additions to spec.nodeSelector are allowed (no mutations or deletions)"
        yield invalid("spec.nodeSelector", selector, why)
    _put_back(munged, old, "nodeSelector")
    affinity, was = munged.get("affinity") or {}, old.get("affinity") or {}
    if affinity.get("nodeAffinity") == was.get("nodeAffinity"):
        return
    yield from _validate_node_affinity(affinity.get("nodeAffinity") or {}, was.get("nodeAffinity") or {})
    restored = {name: value for name, value in affinity.items() if name != "nodeAffinity"}
    if "nodeAffinity" in was:
        restored["nodeAffinity"] = was["nodeAffinity"]
    munged["affinity"] = restored
    if not restored and "affinity" not in old:
        del munged["affinity"]


def _validate_node_affinity(new: Item, old: Item) -> Iterator[FieldError]:
    before = (old.get(REQUIRED) or {}).get("nodeSelectorTerms") or ()
    terms = (new.get(REQUIRED) or {}).get("nodeSelectorTerms") or ()
    path = f"spec.affinity.nodeAffinity.{REQUIRED}.nodeSelectorTerms"
    if not before:
        return
    if len(terms) != len(before):
        yield invalid(path, terms, "no additions/deletions to non-empty NodeSelectorTerms list are allowed")
        return
    for position, (term, was) in enumerate(zip(terms, before, strict=True)):
        if not _only_adds(term, was):
            why = "only additions are allowed (no mutations or deletions)"
            yield invalid(f"{path}[{position}]", term, why)


def _only_adds(term: Item, was: Item) -> bool:
    names = ("matchExpressions", "matchFields")
    if not any(was.get(name) for name in names):
        return not any(term.get(name) for name in names)
    return all(
        list(term.get(name) or ())[: len(was.get(name) or ())] == list(was.get(name) or ()) for name in names
    )


def difference(old: Any, new: Any) -> str:
    """How two values differ, line by line of their JSON.

    Shaped as by Diff of apimachinery/pkg/util/diff/diff.go, v1.37.
    """
    lines = unified_diff(_lines(old), _lines(new), n=3)
    return "".join(line for line in lines if not line.startswith(("--- ", "+++ ")))


def _lines(value: Any) -> list[str]:
    text = json.dumps(value, indent=1, sort_keys=True, ensure_ascii=False)
    return [f"{line}\n" for line in text.split("\n")]
