"""Device classes.

The rules of validateDeviceClassSpec of pkg/apis/resource/validation/validation.go, v1.37.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from nominee.apiserver.kind import JsonObject, Names
from nominee.apiserver.kinds.devices import GROUP, validate_config, validate_list, validate_selectors
from nominee.apiserver.kinds.field_errors import invalid
from nominee.apiserver.kinds.table import NamedKind
from nominee.apiserver.status import FieldError
from nominee.model.resource_names import is_extended_resource_name


class DeviceClassKind(NamedKind):
    """Device classes."""

    __slots__ = ()

    def default(self, item: JsonObject) -> None:
        item.setdefault("spec", {})

    def validate(self, item: JsonObject) -> Sequence[FieldError]:
        return list(_validate(item.get("spec") or {}))


def _validate(spec: Mapping[str, Any]) -> Iterator[FieldError]:
    yield from validate_selectors(spec.get("selectors") or (), "spec.selectors")
    yield from validate_list(
        spec.get("config") or (), 32, lambda one, at: validate_config(one, None, at), "spec.config"
    )
    name = spec.get("extendedResourceName")
    if name is not None and not is_extended_resource_name(name):
        yield invalid("spec.extendedResourceName", name, "must be a valid extended resource name")


DEVICE_CLASSES = DeviceClassKind(
    Names("DeviceClass", "deviceclasses", "deviceclass", group=GROUP, namespaced=False),
    schema="io.k8s.api.resource.v1.DeviceClass",
    generation=True,
)
