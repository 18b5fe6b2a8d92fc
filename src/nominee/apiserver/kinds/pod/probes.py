"""Probes of containers, and what is done when they start and stop.

The rules of validateProbe and validateLifecycle of pkg/apis/core/validation/validation.go, v1.37.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any

from nominee.apiserver.kinds import syntax
from nominee.apiserver.kinds.field_errors import NEGATIVE, forbidden, invalid, not_supported, required
from nominee.apiserver.kinds.pod.ports import validate_port_reference
from nominee.apiserver.status import FieldError

Item = Mapping[str, Any]

PROBES = ("livenessProbe", "readinessProbe", "startupProbe")
_COUNTS = ("initialDelaySeconds", "timeoutSeconds", "periodSeconds", "successThreshold", "failureThreshold")
_PROBE_HANDLERS = ("exec", "httpGet", "tcpSocket", "grpc")
_LIFECYCLE_HANDLERS = ("exec", "httpGet", "tcpSocket", "sleep")
_PLAIN_SIGNALS = (
    "ABRT", "ALRM", "BUS", "CHLD", "CLD", "CONT", "FPE", "HUP", "ILL", "INT", "IO", "IOT", "KILL", "PIPE",
    "POLL", "PROF", "PWR", "QUIT", "RTMAX", *(f"RTMAX-{n}" for n in range(1, 15)), "RTMIN",
    *(f"RTMIN+{n}" for n in range(1, 16)), "SEGV", "STKFLT", "STOP", "SYS", "TERM", "TRAP", "TSTP", "TTIN",
    "TTOU", "URG", "USR1", "USR2", "VTALRM", "WINCH", "XCPU", "XFSZ",
)  # fmt: skip
_LINUX_SIGNALS = tuple(sorted(f"SIG{name}" for name in _PLAIN_SIGNALS))
_WINDOWS_SIGNALS = ("SIGKILL", "SIGTERM")


def validate_probes(container: Item, path: str) -> Iterator[FieldError]:
    """What is wrong with the probes of a container."""
    for name in PROBES:
        if name in container:
            yield from _validate_probe(name, container[name], f"{path}.{name}")


def _validate_probe(name: str, probe: Item, path: str) -> Iterator[FieldError]:
    yield from _validate_handler(probe, _PROBE_HANDLERS, None, path)
    for field in _COUNTS:
        if (probe.get(field) or 0) < 0:
            yield invalid(f"{path}.{field}", probe[field], NEGATIVE)
    grace = probe.get("terminationGracePeriodSeconds")
    if grace is not None and grace <= 0:
        yield invalid(f"{path}.terminationGracePeriodSeconds", grace, "must be greater than 0")
    if name == "readinessProbe":
        if grace is not None:
            why = "must not be set for readinessProbes"
            yield invalid(f"{path}.terminationGracePeriodSeconds", grace, why)
    elif probe.get("successThreshold") != 1:
        yield invalid(f"{path}.successThreshold", probe.get("successThreshold") or 0, "must be 1")


def validate_lifecycle(lifecycle: Item, grace: int | None, os: str | None, path: str) -> Iterator[FieldError]:
    """What is wrong with the hooks of a container."""
    for name in ("postStart", "preStop"):
        if name in lifecycle:
            yield from _validate_handler(lifecycle[name], _LIFECYCLE_HANDLERS, grace, f"{path}.{name}")
    if "stopSignal" in lifecycle:
        yield from _validate_signal(lifecycle["stopSignal"], os, f"{path}.stopSignal")


def _validate_signal(signal: str, os: str | None, path: str) -> Iterator[FieldError]:
    if os is None:
        yield forbidden(path, "may not be set for containers with empty `spec.os.name`")
    elif os == "windows" and signal not in _WINDOWS_SIGNALS:
        yield not_supported(path, signal, _WINDOWS_SIGNALS)
    elif os == "linux" and signal not in _LINUX_SIGNALS:
        yield not_supported(path, signal, _LINUX_SIGNALS)


def _validate_handler(
    handler: Item, names: Sequence[str], grace: int | None, path: str
) -> Iterator[FieldError]:
    given = [name for name in names if name in handler]
    if not given:
        yield required(path, "must specify a handler type")
        return
    if given[0] == "sleep":
        yield from _validate_sleep(handler["sleep"], grace, f"{path}.sleep")
    else:
        yield from _HANDLERS[given[0]](handler[given[0]], f"{path}.{given[0]}")
    for name in given[1:]:
        yield forbidden(f"{path}.{name}", "may not specify more than 1 handler type")


def _validate_sleep(sleep: Item, grace: int | None, path: str) -> Iterator[FieldError]:
    seconds = sleep.get("seconds") or 0
    if grace is not None and not 0 <= seconds <= grace:
        why = f"must be non-negative and less than terminationGracePeriodSeconds ({grace})"
        yield invalid(path, seconds, why)


def _validate_exec(action: Item, path: str) -> Iterator[FieldError]:
    if not action.get("command"):
        yield required(f"{path}.command")


def _validate_http_get(action: Item, path: str) -> Iterator[FieldError]:
    if not action.get("path"):
        yield required(f"{path}.path")
    yield from validate_port_reference(action.get("port"), f"{path}.port")
    scheme = action.get("scheme") or ""
    if scheme not in ("HTTP", "HTTPS"):
        yield not_supported(f"{path}.scheme", scheme, ("HTTP", "HTTPS"))
    for header in action.get("httpHeaders") or ():
        name = header.get("name") or ""
        for fault in syntax.http_header(name):
            yield invalid(f"{path}.httpHeaders", name, fault)


def _validate_tcp_socket(action: Item, path: str) -> Iterator[FieldError]:
    return validate_port_reference(action.get("port"), f"{path}.port")


def _validate_grpc(action: Item, path: str) -> Iterator[FieldError]:
    yield from validate_port_reference(action.get("port"), f"{path}.port")
    if action.get("mode") not in (None, "Plaintext", "TLS"):
        yield not_supported(f"{path}.mode", action["mode"], ("Plaintext", "TLS"))


_HANDLERS: Mapping[str, Callable[[Item, str], Iterator[FieldError]]] = {
    "exec": _validate_exec,
    "httpGet": _validate_http_get,
    "tcpSocket": _validate_tcp_socket,
    "grpc": _validate_grpc,
}
