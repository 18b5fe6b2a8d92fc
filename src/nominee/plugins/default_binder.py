"""DefaultBinder: binds the pod through the API server."""

from __future__ import annotations

from dataclasses import dataclass

from nominee.framework import Api, Cycle, Node, Pod


@dataclass(frozen=True, slots=True, kw_only=True)
class DefaultBinder:
    """Creates the pod's binding.

    Reproduces pkg/scheduler/framework/plugins/defaultbinder/default_binder.go, v1.37.
    """

    async def bind(self, pod: Pod, node: Node, cycle: Cycle, api: Api) -> None:
        """Bind, in the driver; what the server answers is the driver's to judge."""
        await api.bind(pod, node.name)
