"""What preemption says to users: upstream's texts, byte for byte.

They stand in pkg/scheduler/framework/preemption/preemption.go and
pkg/scheduler/framework/plugins/defaultpreemption/default_preemption.go, v1.37.
"""

from __future__ import annotations

from collections.abc import Sequence

from nominee.errors import PluginError

NEVER_PREEMPTS = "not eligible due to preemptionPolicy=Never."
WAITS_FOR_VICTIM = "not eligible due to a terminating pod on the nominated node."
NO_VICTIMS = "No preemption victims found for incoming pod"
NOT_HELPFUL = "Preemption is not helpful for scheduling"
NO_CANDIDATE = "no candidate node for preemption"
NO_NODES = "no nodes available"


def prefixed(text: str) -> str:
    """As it is appended to the text of the failure."""
    return f"preemption: {text}" if text else ""


def no_victim_on(node_name: str) -> str:
    """The pod fits on the node although nobody would have to go."""
    return f'expected at least one victim pod on node "{node_name}"'


def filter_failed(failure: PluginError) -> str:
    """A filter failed on a node."""
    return f'running "{failure.plugin}" filter plugin: {failure.__cause__ or failure}'


def joined(errors: Sequence[str]) -> str:
    """Several errors as one text (NewAggregate of apimachinery pkg/util/errors, v1.37)."""
    return f"[{', '.join(errors)}]" if len(errors) > 1 else "".join(errors)
