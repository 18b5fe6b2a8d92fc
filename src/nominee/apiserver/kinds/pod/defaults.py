"""What a pod has without asking for it.

Reproduces SetObjectDefaults_Pod of pkg/apis/core/v1/{zz_generated.defaults,defaults}.go, v1.37. Go's
zero values count as absent, so an empty text is filled like a missing one.
"""

from __future__ import annotations

from typing import Any

from nominee.apiserver.kind import JsonObject
from nominee.apiserver.kinds.pod.images import default_pull_policy
from nominee.apiserver.kinds.pod.volume_defaults import default_volume
from nominee.apiserver.kinds.quantities import canonical_milli, canonicalize

_PROBE = (("timeoutSeconds", 1), ("periodSeconds", 10), ("successThreshold", 1), ("failureThreshold", 3))
_PROBES = ("livenessProbe", "readinessProbe", "startupProbe")


def default_pod(item: JsonObject) -> None:
    """Fill in a pod."""
    spec = item.setdefault("spec", {})
    default_pod_spec(spec)
    if spec["terminationGracePeriodSeconds"] < 0:
        spec["terminationGracePeriodSeconds"] = 1
    for container in spec.get("containers") or ():
        _default_requests(container["resources"])
    for container in spec.get("initContainers") or ():
        _default_requests(container["resources"])
    spec.setdefault("enableServiceLinks", True)
    if spec.get("hostNetwork"):
        _default_host_ports(spec)


def default_pod_template(template: JsonObject) -> None:
    """Fill in the template of a pod, which keeps more open than a pod."""
    template.setdefault("metadata", {})
    default_pod_spec(template.setdefault("spec", {}))


def default_pod_spec(spec: JsonObject) -> None:
    """Fill in what both pods and templates of pods have."""
    account = spec.get("serviceAccountName") or spec.get("serviceAccount")
    if account:
        spec["serviceAccountName"] = spec["serviceAccount"] = account
    _fill(spec, "dnsPolicy", "ClusterFirst")
    _fill(spec, "restartPolicy", "Always")
    _fill(spec, "schedulerName", "default-scheduler")
    spec.setdefault("securityContext", {})
    spec.setdefault("terminationGracePeriodSeconds", 30)
    for container in spec.get("containers") or ():
        default_container(container)
    for container in spec.get("initContainers") or ():
        default_container(container)
    for container in spec.get("ephemeralContainers") or ():
        default_container(container)
    for volume in spec.get("volumes") or ():
        default_volume(volume)
    if overhead := spec.get("overhead"):
        canonicalize(overhead)
    if resources := spec.get("resources"):
        _canonicalize_resources(resources)


def default_container(container: JsonObject) -> None:
    """Fill in a container of any sort."""
    if not container.get("imagePullPolicy"):
        container["imagePullPolicy"] = default_pull_policy(container.get("image") or "")
    _fill(container, "terminationMessagePath", "/dev/termination-log")
    _fill(container, "terminationMessagePolicy", "File")
    _canonicalize_resources(container.setdefault("resources", {}))
    for port in container.get("ports") or ():
        _fill(port, "protocol", "TCP")
    for variable in container.get("env") or ():
        if source := variable.get("valueFrom"):
            default_field_source(source)
    for name in _PROBES:
        if name in container:
            _default_probe(container[name])
    if lifecycle := container.get("lifecycle"):
        for name in ("postStart", "preStop"):
            _default_handler(lifecycle.get(name) or {})


def default_field_source(source: JsonObject) -> None:
    """Fill in what names a field of the pod or of a container's resources."""
    if "fieldRef" in source:
        _fill(source["fieldRef"], "apiVersion", "v1")
    if "resourceFieldRef" in source:
        reference = source["resourceFieldRef"]
        reference["divisor"] = canonical_milli(reference.get("divisor") or "0")
    if "fileKeyRef" in source:
        source["fileKeyRef"].setdefault("optional", False)


def _canonicalize_resources(resources: JsonObject) -> None:
    if limits := resources.get("limits"):
        canonicalize(limits)
    if requests := resources.get("requests"):
        canonicalize(requests)


def _default_requests(resources: JsonObject) -> None:
    """What has a limit asks for as much, unless it says how much it asks for; in pods only."""
    limits = resources.get("limits")
    if not limits:
        return
    requests = resources.setdefault("requests", {})
    for name, quantity in limits.items():
        requests.setdefault(name, quantity)


def _default_host_ports(spec: JsonObject) -> None:
    for container in (*(spec.get("containers") or ()), *(spec.get("initContainers") or ())):
        for port in container.get("ports") or ():
            if not port.get("hostPort") and port.get("containerPort"):
                port["hostPort"] = port["containerPort"]


def _default_probe(probe: JsonObject) -> None:
    for name, value in _PROBE:
        _fill(probe, name, value)
    _default_handler(probe)
    if "grpc" in probe:
        probe["grpc"].setdefault("service", "")


def _default_handler(handler: JsonObject) -> None:
    if "httpGet" in handler:
        _fill(handler["httpGet"], "path", "/")
        _fill(handler["httpGet"], "scheme", "HTTP")


def _fill(item: JsonObject, name: str, value: Any) -> None:
    if not item.get(name):
        item[name] = value
