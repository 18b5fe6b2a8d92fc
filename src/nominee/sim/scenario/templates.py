"""Objects made from templates; what does not differ between them is decoded once and shared."""

from __future__ import annotations

from random import Random
from typing import Any

from msgspec.structs import replace

from nominee.config.duration import Duration
from nominee.errors import InputError, shown
from nominee.model.codec import decode_object
from nominee.model.node import Node
from nominee.model.pod import Pod
from nominee.sim.run_time import DURATION, run_time
from nominee.sim.scenario.types import Span, Template, TemplateRef

HOSTNAME = "kubernetes.io/hostname"
ZONE = "topology.kubernetes.io/zone"


class PodMould:
    """Makes pods of one template."""

    def __init__(self, template: Template, random: Random) -> None:
        pod = decode_object(_pod_manifest(template))
        if not isinstance(pod, Pod):
            raise InputError(f"must be a Pod, not a {pod.KIND}", field="object.kind")
        run_time(pod)
        self._pod = pod
        self._duration = template.duration
        self._random = random
        self._annotated: dict[float, dict[str, str]] = {}

    def pod(self, name: str, namespace: str) -> Pod:
        meta = self._pod.metadata
        annotations = meta.annotations if self._duration is None else self._annotations(self._duration)
        return replace(
            self._pod, metadata=replace(meta, name=name, namespace=namespace, annotations=annotations)
        )

    def _annotations(self, span: Span) -> dict[str, str]:
        seconds = span.least
        if span.least < span.most:
            seconds = float(round(self._random.uniform(span.least, span.most)))
        try:
            return self._annotated[seconds]
        except KeyError:
            made = self._annotated[seconds] = self._pod.metadata.annotations | {DURATION: _written(seconds)}
            return made


class NodeMould:
    """Makes nodes of one template."""

    def __init__(self, template: Template) -> None:
        node = decode_object(_node_manifest(template))
        if not isinstance(node, Node):
            raise InputError(f"must be a Node, not a {node.KIND}", field="object.kind")
        self._node = node

    def node(self, name: str, zone: str = "") -> Node:
        labels = self._node.labels | {HOSTNAME: name} | ({ZONE: zone} if zone else {})
        return replace(self._node, metadata=replace(self._node.metadata, name=name, labels=labels))


def resolve(reference: TemplateRef, templates: dict[str, Template]) -> Template:
    """The template itself, whether named or written in place."""
    if isinstance(reference, Template):
        return reference
    if reference not in templates:
        known = ", ".join(sorted(templates)) or "none"
        raise InputError(f"no template is named {reference!r}: there are {known}", field="template")
    return templates[reference]


def _written(seconds: float) -> str:
    return str(Duration(round(seconds * 1e9)))


def _metadata(template: Template) -> dict[str, Any]:
    meta = dict(_part(template.object, "metadata"))
    meta["name"] = "template"
    meta["labels"] = {**_part(meta, "labels", "metadata."), **template.labels}
    meta["annotations"] = {**_part(meta, "annotations", "metadata."), **template.annotations}
    return meta


def _part(base: dict[str, Any], name: str, above: str = "") -> dict[str, Any]:
    """A part of the object that must be a mapping, if it is there at all."""
    part = base.get(name)
    if not isinstance(part, dict | None):
        raise InputError(f"expected an object, got {shown(part)}", field=f"object.{above}{name}")
    return part or {}


def _pod_manifest(template: Template) -> dict[str, Any]:
    base = template.object
    if template.capacity:
        raise InputError("pods have none", field="capacity")
    spec = {**_part(base, "spec"), **template.spec}
    if template.requests or "containers" not in spec:
        spec["containers"] = [{"name": "main", "resources": {"requests": template.requests}}]
    extra = {
        "priority": template.priority,
        "priorityClassName": template.priority_class or None,
        "terminationGracePeriodSeconds": template.grace,
    }
    spec |= {name: value for name, value in extra.items() if value is not None}
    meta = _metadata(template)
    return {"apiVersion": "v1", "kind": "Pod", **base, "metadata": meta, "spec": spec}


def _node_manifest(template: Template) -> dict[str, Any]:
    base = template.object
    for name in ("requests", "priority", "priority_class", "grace", "duration"):
        if getattr(template, name):
            raise InputError("nodes have none", field=name)
    spec = {**_part(base, "spec"), **template.spec}
    status = dict(_part(base, "status"))
    if template.capacity:
        status["capacity"] = status["allocatable"] = {"pods": 110, **template.capacity}
    meta = _metadata(template)
    return {"apiVersion": "v1", "kind": "Node", **base, "metadata": meta, "spec": spec, "status": status}
