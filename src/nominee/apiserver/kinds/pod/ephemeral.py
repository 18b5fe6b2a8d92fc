"""Adding containers to a running pod, to look at the others.

The rules of podEphemeralContainersStrategy of pkg/registry/core/pod/strategy.go and
ValidatePodEphemeralContainersUpdate of pkg/apis/core/validation/validation.go, v1.37.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from nominee.apiserver.kind import JsonObject
from nominee.apiserver.kinds.field_errors import forbidden, quoted
from nominee.apiserver.kinds.pod.resize import kept_metadata
from nominee.apiserver.kinds.pod.updates import difference
from nominee.apiserver.status import FieldError

Item = Mapping[str, Any]

_FIELD = "ephemeralContainers"


def prepare_ephemeral(item: JsonObject, old: Item) -> None:
    """Take nothing from the client but these containers."""
    added = (item.get("spec") or {}).get(_FIELD)
    spec = {name: value for name, value in (old.get("spec") or {}).items() if name != _FIELD}
    item["spec"] = {**spec, _FIELD: added} if added else spec
    item["metadata"] = kept_metadata(item["metadata"], old["metadata"])
    item["status"] = old.get("status") or {}


def validate_ephemeral(item: Item, old: Item) -> Iterator[FieldError]:
    """What is wrong with the change: those that are there stay as they are."""
    if "kubernetes.io/config.mirror" in (old["metadata"].get("annotations") or {}):
        yield forbidden("", "static pods do not support ephemeral containers")
        return
    now = {one.get("name"): one for one in (item.get("spec") or {}).get(_FIELD) or ()}
    for was in (old.get("spec") or {}).get(_FIELD) or ():
        shown = quoted(was.get("name") or "")
        container = now.get(was.get("name"))
        if container is None:
            yield forbidden(f"spec.{_FIELD}", f"existing ephemeral containers {shown} may not be removed\n")
        elif container != was:
            why = f"existing ephemeral containers {shown} may not be changed\n{difference(was, container)}"
            yield forbidden(f"spec.{_FIELD}", why)
