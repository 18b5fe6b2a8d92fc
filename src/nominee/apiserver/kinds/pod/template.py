"""Templates of pods, as deployments, jobs and their like hold them.

The rules of ValidatePodTemplateSpec of pkg/apis/core/validation/validation.go, v1.37.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from nominee.apiserver.kinds.field_errors import forbidden
from nominee.apiserver.kinds.metadata import validate_annotations, validate_labels
from nominee.apiserver.kinds.pod.defaults import default_pod_template
from nominee.apiserver.kinds.pod.spec import validate_pod_spec
from nominee.apiserver.status import FieldError

__all__ = ["default_pod_template", "validate_pod_template"]


def validate_pod_template(template: Mapping[str, Any], path: str) -> Iterator[FieldError]:
    """What is wrong with a template of pods."""
    metadata = template.get("metadata") or {}
    yield from validate_labels(metadata.get("labels") or {}, f"{path}.labels")
    yield from validate_annotations(metadata.get("annotations") or {}, f"{path}.annotations")
    spec = template.get("spec") or {}
    yield from validate_pod_spec(spec, f"{path}.spec")
    if spec.get("ephemeralContainers"):
        yield forbidden(
            f"{path}.spec.ephemeralContainers", "ephemeral containers not allowed in pod template"
        )
