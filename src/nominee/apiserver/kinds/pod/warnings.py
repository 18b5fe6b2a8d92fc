"""What a client is told of a pod that is accepted, but hardly meant so.

Rules and words are those of pkg/api/pod/warnings.go, pkg/api/node/util.go and
pkg/api/persistentvolumeclaim/util.go, v1.37. Annotations and notations of addresses are not looked at.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from nominee.apiserver.kinds import syntax
from nominee.apiserver.kinds.field_errors import quoted
from nominee.model.quantity import nano_value

Item = Mapping[str, Any]

_NODE_LABELS = {
    "beta.kubernetes.io/arch": 'deprecated since v1.14; use "kubernetes.io/arch" instead',
    "beta.kubernetes.io/os": 'deprecated since v1.14; use "kubernetes.io/os" instead',
    "failure-domain.beta.kubernetes.io/region": (
        'deprecated since v1.17; use "topology.kubernetes.io/region" instead'
    ),
    "failure-domain.beta.kubernetes.io/zone": (
        'deprecated since v1.17; use "topology.kubernetes.io/zone" instead'
    ),
    "beta.kubernetes.io/instance-type": (
        'deprecated since v1.17; use "node.kubernetes.io/instance-type" instead'
    ),
    "app.kubernetes.io/created-by": "deprecated since v1.9",
    "scheduler.alpha.kubernetes.io/preferAvoidPods": (
        "deprecated since v1.22; use Taints and Tolerations instead"
    ),
    "node-role.kubernetes.io/master": 'use "node-role.kubernetes.io/control-plane" instead',
}

_VOLUMES = {
    "photonPersistentDisk": "deprecated in v1.11, non-functional in v1.16+",
    "gitRepo": "deprecated in v1.11, and disabled by default in v1.33+",
    "scaleIO": "deprecated in v1.16, non-functional in v1.22+",
    "flocker": "deprecated in v1.22, non-functional in v1.25+",
    "storageos": "deprecated in v1.22, non-functional in v1.25+",
    "quobyte": "deprecated in v1.22, non-functional in v1.25+",
    "glusterfs": "deprecated in v1.25, non-functional in v1.26+",
    "cephfs": "deprecated in v1.28, non-functional in v1.31+",
    "rbd": "deprecated in v1.28, non-functional in v1.31+",
}

_REQUIRED = "requiredDuringSchedulingIgnoredDuringExecution"
_PREFERRED = "preferredDuringSchedulingIgnoredDuringExecution"
_SELECTS_NOTHING = "a null labelSelector results in matching no pod"
_WHOLE = 1_000_000_000


def pod_warnings(spec: Item, path: str = "spec") -> list[str]:
    """What to tell of a pod's specification, or of a template's at its path."""
    return [
        *_of_node_labels(spec, path),
        *_of_volumes(spec.get("volumes") or (), f"{path}.volumes"),
        *_of_names(spec, path),
        *_of_amounts(spec.get("overhead") or {}, f"{path}.overhead"),
        *_of_containers(spec, path),
        *_of_ports(spec, path),
        *_of_port_names(spec, path),
        *_of_grace(spec, path),
        *_of_pod_affinity(spec.get("affinity") or {}, f"{path}.affinity"),
    ]


def claim_warnings(spec: Item, path: str) -> Iterator[str]:
    """What to tell of the specification of a volume claim."""
    resources = spec.get("resources") or {}
    for name in ("requests", "limits"):
        amounts = resources.get(name) or {}
        yield from _of_amounts(
            {key: amounts[key] for key in ("storage",) if key in amounts}, f"{path}.resources.{name}"
        )


def _of_node_labels(spec: Item, path: str) -> Iterator[str]:
    for key in spec.get("nodeSelector") or ():
        if key in _NODE_LABELS:
            yield f"{path}.nodeSelector[{key}]: {_NODE_LABELS[key]}"
    affinity = (spec.get("affinity") or {}).get("nodeAffinity") or {}
    place = f"{path}.affinity.nodeAffinity"
    for i, term in enumerate((affinity.get(_REQUIRED) or {}).get("nodeSelectorTerms") or ()):
        yield from _of_node_term(term, f"{place}.{_REQUIRED}.nodeSelectorTerms[{i}]", values=False)
    for i, weighted in enumerate(affinity.get(_PREFERRED) or ()):
        term = weighted.get("preference") or {}
        yield from _of_node_term(term, f"{place}.{_PREFERRED}[{i}].preference", values=True)
    for i, constraint in enumerate(spec.get("topologySpreadConstraints") or ()):
        key, here = constraint.get("topologyKey"), f"{path}.topologySpreadConstraints[{i}]"
        if key in _NODE_LABELS:
            yield f"{here}.topologyKey: {key} is {_NODE_LABELS[key]}"
        if constraint.get("labelSelector") is None:
            yield f"{here}.labelSelector: {_SELECTS_NOTHING}"


def _of_node_term(term: Item, path: str, *, values: bool) -> Iterator[str]:
    for i, expression in enumerate(term.get("matchExpressions") or ()):
        key, place = expression.get("key"), f"{path}.matchExpressions[{i}]"
        if key in _NODE_LABELS:
            yield f"{place}.key: {key} is {_NODE_LABELS[key]}"
        for j, value in enumerate(expression.get("values") or ()) if values else ():
            for fault in syntax.label_value(value):
                yield f"{place}.values[{j}]: {value} is invalid, {fault}"


def _of_volumes(volumes: Iterable[Item], path: str) -> Iterator[str]:
    for i, volume in enumerate(volumes):
        for name, why in _VOLUMES.items():
            if name in volume:
                yield f"{path}[{i}].{'storageOS' if name == 'storageos' else name}: {why}"
        template = (volume.get("ephemeral") or {}).get("volumeClaimTemplate")
        if template:
            place = f"{path}[{i}].ephemeral.volumeClaimTemplate.spec"
            yield from claim_warnings(template.get("spec") or {}, place)


def _of_names(spec: Item, path: str) -> Iterator[str]:
    seen = set()
    for i, alias in enumerate(spec.get("hostAliases") or ()):
        address = alias.get("ip") or ""
        if address in seen:
            yield f"{path}.hostAliases[{i}].ip: duplicate ip {quoted(address)}"
        seen.add(address)
    names = [secret.get("name") or "" for secret in spec.get("imagePullSecrets") or ()]
    for i, name in enumerate(names):
        if name in names[:i]:
            yield f"{path}.imagePullSecrets[{i}].name: duplicate name {quoted(name)}"
    for i, name in enumerate(names):
        if not name:
            yield f'{path}.imagePullSecrets[{i}].name: invalid empty name ""'


def _of_amounts(amounts: Item, path: str) -> Iterator[str]:
    """Of things that come whole, as `memory: 100m`."""
    for name in ("memory", "ephemeral-storage", "storage"):
        if name in amounts and nano_value(amounts[name]) % _WHOLE:
            why = f'fractional byte value "{amounts[name]}" is invalid, must be an integer'
            yield f"{path}[{name}]: {why}"


def _containers(spec: Item, path: str) -> Iterator[tuple[Item, str]]:
    for name in ("initContainers", "containers", "ephemeralContainers"):
        for i, container in enumerate(spec.get(name) or ()):
            yield container, f"{path}.{name}[{i}]"


def _of_containers(spec: Item, path: str) -> Iterator[str]:
    for container, place in _containers(spec, path):
        resources = container.get("resources") or {}
        for resource in ("memory", "ephemeral-storage"):
            for name in ("limits", "requests"):
                amounts = resources.get(name) or {}
                if resource in amounts:
                    yield from _of_amounts({resource: amounts[resource]}, f"{place}.resources.{name}")
        yield from _of_env(container.get("env") or (), f"{place}.env")


def _of_env(variables: Iterable[Item], path: str) -> Iterator[str]:
    """A variable that is set again, and not as an extension of what it was."""
    seen = set()
    for i, variable in enumerate(variables):
        name, value = variable.get("name") or "", variable.get("value") or ""
        reference = f"$({name})"
        extends = "valueFrom" not in variable and value != reference and reference in value
        if name in seen and not extends:
            why = f"hides previous definition of {quoted(name)}, which may be dropped when using apply"
            yield f"{path}[{i}]: {why}"
        seen.add(name)


def _of_ports(spec: Item, path: str) -> Iterator[str]:
    known: dict[tuple[Any, Any], list[tuple[str, Item]]] = {}
    for container, place in _containers(spec, path):
        for i, port in enumerate(container.get("ports") or ()):
            here = f"{place}.ports[{i}]"
            if port.get("hostIP") and not port.get("hostPort"):
                yield f"{here}: hostIP set without hostPort: {_go_port(port)}"
            others = known.setdefault((port.get("containerPort"), port.get("protocol")), [])
            for there, other in others:
                how = _clash(port, other)
                if how:
                    yield f"{here}: {how} port definition with {there}"
            others.append((here, port))


def _clash(port: Item, other: Item) -> str:
    """How two ports of one number and protocol get along."""
    number, its = port.get("hostPort") or 0, other.get("hostPort") or 0
    address, theirs = port.get("hostIP") or "", other.get("hostIP") or ""
    if (number, address) == (its, theirs):
        return "duplicate"
    if not number or not its:
        return "overlapping"
    return "dangerously ambiguous" if number == its and bool(address) != bool(theirs) else ""


def _go_port(port: Item) -> str:
    told = {
        "Name": port.get("name") or "",
        "HostPort": 0,
        "ContainerPort": port.get("containerPort") or 0,
        "Protocol": port.get("protocol") or "",
        "HostIP": port["hostIP"],
    }
    return "{" + " ".join(f"{name}:{value}" for name, value in told.items()) + "}"


def _of_port_names(spec: Item, path: str) -> Iterator[str]:
    seen: dict[str, str] = {}
    for container, place in _containers(spec, path):
        for i, port in enumerate(container.get("ports") or ()):
            name, here = port.get("name"), f"{place}.ports[{i}]"
            if name in seen:
                there = seen[name]
                why = f"services and probes that select ports by name will use {there}"
                yield f"{here}: duplicate port name {quoted(name)} with {there}, {why}"
            elif name:
                seen[name] = here


def _of_grace(spec: Item, path: str) -> Iterator[str]:
    if (spec.get("terminationGracePeriodSeconds") or 0) < 0:
        why = "must be >= 0; negative values are invalid and will be treated as 1"
        yield f"{path}.terminationGracePeriodSeconds: {why}"


def _of_pod_affinity(affinity: Item, path: str) -> Iterator[str]:
    for kind in ("podAffinity", "podAntiAffinity"):
        terms = affinity.get(kind) or {}
        for i, term in enumerate(terms.get(_REQUIRED) or ()):
            if term.get("labelSelector") is None:
                yield f"{path}.{kind}.{_REQUIRED}[{i}].labelSelector: {_SELECTS_NOTHING}"
        for i, weighted in enumerate(terms.get(_PREFERRED) or ()):
            if (weighted.get("podAffinityTerm") or {}).get("labelSelector") is None:
                place = f"{path}.{kind}.{_PREFERRED}[{i}].podAffinityTerm.labelSelector"
                yield f"{place}: {_SELECTS_NOTHING}"
