"""The pod template of a workload, and the selector that must find what comes of it.

Rules of pkg/apis/{apps,core}/validation/validation.go, v1.37: ValidatePodTemplateSpecForReplicaSet and
its kin.
"""

from __future__ import annotations

from collections.abc import Sequence

from nominee.apiserver.kind import JsonObject
from nominee.apiserver.kinds import syntax
from nominee.apiserver.kinds.apps_shared import compiled
from nominee.apiserver.kinds.field_errors import forbidden, invalid, label_selector, not_supported, required
from nominee.apiserver.kinds.pod.template import default_pod_template, validate_pod_template
from nominee.apiserver.kinds.pod.warnings import pod_warnings
from nominee.apiserver.kinds.selectors import validate_label_selector
from nominee.apiserver.status import FieldError

MISMATCH = "`selector` does not match template `labels`"


def default_template(spec: JsonObject) -> None:
    """Fill in what pods would be defaulted to."""
    if spec.get("template") is None:
        spec["template"] = {}
    default_pod_template(spec["template"])


def validate_selected_template(
    spec: JsonObject, selecting: str, called: str, *, lenient: bool = False
) -> list[FieldError]:
    """What is wrong with selector and template.

    selecting   what the selector belongs to, in the message about an empty one
    called      the kind in the message about a deadline
    lenient     a missing selector is a matter for whoever calls
    """
    errors = validate_selector(spec, selecting, optional=lenient)
    selector = compiled(spec.get("selector"))
    if selector is None:
        errors.append(
            invalid("spec.selector", label_selector(spec.get("selector")), "invalid label selector")
        )
        return errors
    template = spec["template"]
    if not selector.empty and not selector.matches(labels_of(template)):
        errors.append(mismatch(template))
    return [*errors, *validate_lasting_template(template, called)]


def validate_selector(spec: JsonObject, selecting: str, *, optional: bool = False) -> list[FieldError]:
    """What is wrong with a selector, which may not be empty."""
    selector = spec.get("selector")
    if selector is None:
        return [] if optional else [required("spec.selector")]
    errors = list(validate_label_selector(selector, "spec.selector"))
    if not selector.get("matchLabels") and not selector.get("matchExpressions"):
        errors.append(invalid("spec.selector", selector, f"empty selector is invalid for {selecting}"))
    return errors


def validate_lasting_template(template: JsonObject, called: str) -> list[FieldError]:
    """What is wrong with a template whose pods are to run for ever."""
    errors = list(validate_pod_template(template, "spec.template"))
    errors += validate_restart(template, "spec.template")
    if template["spec"].get("activeDeadlineSeconds") is not None:
        place = "spec.template.spec.activeDeadlineSeconds"
        errors.append(forbidden(place, f"activeDeadlineSeconds in {called} is not Supported"))
    return errors


def validate_restart(template: JsonObject, path: str) -> list[FieldError]:
    """Pods that are to run for ever are always restarted."""
    policy = template["spec"].get("restartPolicy", "")
    if policy == "Always":
        return []
    return [not_supported(f"{path}.spec.restartPolicy", policy, ("Always",))]


def labels_of(template: JsonObject) -> dict[str, str]:
    """The labels that pods from a template get."""
    return (template.get("metadata") or {}).get("labels") or {}


def mismatch(template: JsonObject) -> FieldError:
    """The selector would not find the pods."""
    labels = (template.get("metadata") or {}).get("labels")
    return invalid("spec.template.metadata.labels", labels, MISMATCH)


def template_warnings(item: JsonObject) -> Sequence[str]:
    """What to tell of the template."""
    return pod_warnings(item["spec"]["template"]["spec"], "spec.template.spec")


def changed_template_warnings(item: JsonObject, old: JsonObject) -> Sequence[str]:
    """The same, when anything but metadata and status is changed."""
    before, after = (one["metadata"].get("generation") for one in (old, item))
    return template_warnings(item) if before != after else ()


def name_warnings(item: JsonObject) -> Sequence[str]:
    """What to tell of a name that pods will bear, but can not bear as a host name."""
    faults = syntax.dns_label(item["metadata"].get("name") or "")
    if not faults:
        return ()
    why = "this is used in Pod names and hostnames, which can result in surprising behavior"
    return (f"metadata.name: {why}; a DNS label is recommended: [{' '.join(faults)}]",)
