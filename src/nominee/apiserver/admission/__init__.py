"""Admission: what the server adds to objects and refuses for reasons that lie outside of them.

Plugins run in upstream's order (pkg/kubeapiserver/options/plugins.go, v1.37), and only for objects as a
whole: upstream's leave subresources alone, too. The one that looks at bindings is asked by the binding.
"""

from __future__ import annotations

from functools import lru_cache
from typing import TYPE_CHECKING

from nominee.apiserver.admission.claims import admit_resize, protect, set_default_class
from nominee.apiserver.admission.namespace import admit_content, keep_immortal
from nominee.apiserver.admission.nodes import taint_not_ready
from nominee.apiserver.admission.plugin import Function, Plugin, Request
from nominee.apiserver.admission.pods import add_default_tolerations, set_service_account
from nominee.apiserver.admission.priority import (
    CLASSES,
    admit_priority,
    keep_system_class,
    set_group_priority,
    set_priority,
)
from nominee.apiserver.admission.services import assign
from nominee.apiserver.admission.topology import copy_labels
from nominee.apiserver.kind import Context, JsonObject, Kind

if TYPE_CHECKING:
    from nominee.apiserver.rest.rest import Rest

_CLAIMS = "persistentvolumeclaims"
_CREATE = ("CREATE",)
_WRITE = ("CREATE", "UPDATE")

MUTATING: tuple[Plugin, ...] = (
    Plugin("NamespaceLifecycle", admit_content, _CREATE),
    Plugin("ServiceAccount", set_service_account, _CREATE, ("pods",)),
    Plugin("TaintNodesByCondition", taint_not_ready, _CREATE, ("nodes",)),
    Plugin("Priority", set_priority, _WRITE, ("pods",)),
    Plugin("Priority", set_group_priority, _CREATE, ("podgroups.scheduling.k8s.io",)),
    Plugin("DefaultTolerationSeconds", add_default_tolerations, _WRITE, ("pods",)),
    Plugin("DefaultStorageClass", set_default_class, _CREATE, (_CLAIMS,)),
    Plugin("StorageObjectInUseProtection", protect, _CREATE, (_CLAIMS, "persistentvolumes")),
    Plugin("", assign, _WRITE, ("services",)),
    Plugin("PodTopologyLabels", copy_labels, _CREATE, ("pods",)),
)

VALIDATING: tuple[Plugin, ...] = (
    Plugin("NamespaceLifecycle", keep_immortal, ("DELETE",), ("namespaces",)),
    Plugin("Priority", admit_priority, _WRITE, (CLASSES,)),
    Plugin("", keep_system_class, ("DELETE",), (CLASSES,)),
    Plugin("PersistentVolumeClaimResize", admit_resize, ("UPDATE",), (_CLAIMS,)),
)


def mutate(rest: Rest, kind: Kind, item: JsonObject, old: JsonObject | None, context: Context) -> None:
    """Add to an object, in place, what belongs there; raises an `ApiError` to refuse it."""
    operation = "CREATE" if old is None else "UPDATE"
    functions = _mutating(kind.names.resource, operation)
    if functions:
        request = Request(rest, kind, item, old, context, operation)
        for function in functions:
            function(request)


def check(
    rest: Rest, kind: Kind, item: JsonObject, old: JsonObject | None, context: Context, operation: str
) -> None:
    """Refuse a write that is good in itself by raising an `ApiError`."""
    functions = _validating(kind.names.resource, operation)
    if functions:
        request = Request(rest, kind, item, old, context, operation)
        for function in functions:
            function(request)


@lru_cache(maxsize=1024)
def _mutating(resource: str, operation: str) -> tuple[Function, ...]:
    return tuple(plugin.function for plugin in MUTATING if plugin.handles(resource, operation))


@lru_cache(maxsize=1024)
def _validating(resource: str, operation: str) -> tuple[Function, ...]:
    return tuple(plugin.function for plugin in VALIDATING if plugin.handles(resource, operation))
