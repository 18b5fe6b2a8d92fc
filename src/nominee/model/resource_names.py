"""The kinds of resource names, by which the scheduler decides what it counts."""

from __future__ import annotations

from functools import lru_cache

from nominee.model.label_syntax import is_qualified_name

CPU = "cpu"
MEMORY = "memory"
EPHEMERAL_STORAGE = "ephemeral-storage"
PODS = "pods"
HUGEPAGES_PREFIX = "hugepages-"
ATTACHABLE_VOLUMES_PREFIX = "attachable-volumes-"
_NATIVE_DOMAIN = "kubernetes.io/"
_QUOTA_PREFIX = "requests."


def is_hugepage(name: str) -> bool:
    """Tell whether a resource is huge pages of some size."""
    return name.startswith(HUGEPAGES_PREFIX)


def is_attachable_volume(name: str) -> bool:
    """Tell whether a resource counts volumes that can be attached to a node."""
    return name.startswith(ATTACHABLE_VOLUMES_PREFIX)


def is_prefixed_native(name: str) -> bool:
    """Tell whether a resource is in a domain of Kubernetes' own."""
    return _NATIVE_DOMAIN in name


def is_native(name: str) -> bool:
    """Tell whether a resource is Kubernetes' own; names without a domain are."""
    return "/" not in name or is_prefixed_native(name)


@lru_cache(maxsize=4096)
def is_extended_resource_name(name: str) -> bool:
    """Tell whether a resource is somebody else's, such as `example.com/gpu`.

    Reproduces IsExtendedResourceName of pkg/apis/core/v1/helper/helpers.go, v1.37.
    """
    if is_native(name) or name.startswith(_QUOTA_PREFIX):
        return False
    return is_qualified_name(_QUOTA_PREFIX + name)


@lru_cache(maxsize=4096)
def is_scalar_resource_name(name: str) -> bool:
    """Tell whether a resource is counted besides cpu, memory and ephemeral storage.

    Reproduces IsScalarResourceName of pkg/scheduler/util/utils.go, v1.37.
    """
    return (
        is_extended_resource_name(name)
        or is_hugepage(name)
        or is_prefixed_native(name)
        or is_attachable_volume(name)
    )


def is_pod_level_resource(name: str) -> bool:
    """Tell whether a resource may be requested for a pod as a whole."""
    return name in (CPU, MEMORY) or is_hugepage(name)


def is_counted(name: str) -> bool:
    """Tell whether requests of a resource count against a node at all."""
    return name in (CPU, MEMORY, EPHEMERAL_STORAGE) or is_scalar_resource_name(name)
