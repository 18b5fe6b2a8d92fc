"""The selector of a job, which the server makes from the job's uid.

Rules of pkg/registry/batch/job/strategy.go and pkg/apis/batch/validation/validation.go, v1.37.
"""

from __future__ import annotations

from nominee.apiserver.kind import JsonObject
from nominee.apiserver.kinds.apps_shared import compiled
from nominee.apiserver.kinds.apps_templates import labels_of
from nominee.apiserver.kinds.field_errors import invalid, required
from nominee.apiserver.status import FieldError

CONTROLLER_UID = "batch.kubernetes.io/controller-uid"
JOB_NAME = "batch.kubernetes.io/job-name"
LEGACY_CONTROLLER_UID = "controller-uid"
LEGACY_JOB_NAME = "job-name"


def expected_labels(item: JsonObject) -> dict[str, str]:
    """What pods of a job are labelled with, in the order in which faults are told."""
    uid, name = item["metadata"].get("uid") or "", item["metadata"].get("name") or ""
    return {LEGACY_CONTROLLER_UID: uid, LEGACY_JOB_NAME: name, CONTROLLER_UID: uid, JOB_NAME: name}


def generate_selector(item: JsonObject) -> None:
    """Label the template with name and uid of the job, and select the uid."""
    spec = item["spec"]
    metadata = spec["template"]["metadata"]
    metadata["labels"] = {**expected_labels(item), **(metadata.get("labels") or {})}
    selector = dict(spec.get("selector") or {})
    uid = item["metadata"].get("uid") or ""
    selector["matchLabels"] = {CONTROLLER_UID: uid, **(selector.get("matchLabels") or {})}
    spec["selector"] = selector


def validate_generated_selector(item: JsonObject) -> list[FieldError]:
    """What a client's own labels and selector spoil."""
    spec = item["spec"]
    if spec["manualSelector"] or spec.get("selector") is None:
        return []
    path = "spec.template.metadata"
    labels, expected, errors = labels_of(spec["template"]), expected_labels(item), []
    for key, value in expected.items():
        if key not in labels:
            errors.append(required(f"{path}.labels[{key}]", f"must be '{value}'"))
        elif labels[key] != value:
            errors.append(invalid(f"{path}.labels[{key}]", labels, f"must be '{value}'"))
    selector = compiled(spec["selector"])
    if selector is not None and not selector.matches(expected):
        errors.append(invalid("spec.selector", spec["selector"], "`selector` not auto-generated"))
    return errors
