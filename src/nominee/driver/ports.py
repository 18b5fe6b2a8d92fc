"""What the driver asks of the cluster: `live` answers over the network, `embedded` out of its own store.

Every call raises what `nominee.errors` has for it: an `ApiError` if the server refused, a
`TransportError` if it did not answer in time, in which case it may have acted all the same. Calls take
as long as they take; time-outs and what is worth trying again are the implementation's affair.
"""

from __future__ import annotations

from typing import Any, Protocol

from nominee.framework import Pod


class Cluster(Protocol):
    """The API server, whichever it is: what plugins may use, and the few writes that effects consist of.

    Plugins get these methods as their `Api`; `record` and `sleep` are added by the driver. Objects are
    JSON trees, `kind` is that of a known kind, and `key` its `namespace/name`, or the name alone where
    the kind has no namespaces.
    """

    async def get(self, kind: str, key: str) -> dict[str, Any]:
        """The object as it is now."""
        ...

    async def create(self, kind: str, item: dict[str, Any]) -> dict[str, Any]:
        """Create it; answers with what was created, `generateName` resolved."""
        ...

    async def update(self, kind: str, item: dict[str, Any], *, subresource: str = "") -> dict[str, Any]:
        """Replace it, or a subresource of it, if its `resourceVersion` is still the current one."""
        ...

    async def patch_status(self, kind: str, key: str, patch: dict[str, Any]) -> dict[str, Any]:
        """Patch the status subresource with {"status": …}: pods by strategic merge, others by merge."""
        ...

    async def delete(self, kind: str, key: str) -> None:
        """Delete it, with its own grace period."""
        ...

    async def bind(self, pod: Pod, node_name: str) -> None:
        """Bind the pod, if it is the one that was meant (uid) and has no node yet."""
        ...

    async def patch_pod_status(self, pod: Pod, patch: dict[str, Any]) -> None:
        """A strategic merge patch of pods/status: {"metadata": {"uid": …}, "status": …}."""
        ...

    async def delete_pod(self, pod: Pod) -> None:
        """Delete the pod, if it is the one that was meant (uid), with its own grace period."""
        ...

    async def create_event(self, namespace: str, event: dict[str, Any]) -> None:
        """Create an event (events.k8s.io/v1)."""
        ...

    async def patch_event(self, namespace: str, name: str, patch: dict[str, Any]) -> None:
        """A merge patch of an event (events.k8s.io/v1): of its series."""
        ...
