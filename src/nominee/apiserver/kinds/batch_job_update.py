"""What of a job may change: little, and more while it is suspended.

Rules of ValidateJobSpecUpdate in pkg/apis/batch/validation/validation.go, v1.37.
"""

from __future__ import annotations

from nominee.apiserver.kind import JsonObject
from nominee.apiserver.kinds.apps_shared import immutable, status_of
from nominee.apiserver.kinds.field_errors import invalid
from nominee.apiserver.status import FieldError

AFTER_TEMPLATE = ("completionMode", "podFailurePolicy", "backoffLimitPerIndex", "managedBy", "successPolicy")
DIRECTIVES = ("nodeSelector", "tolerations", "schedulingGates")


def validate_job_update(item: JsonObject, old: JsonObject) -> list[FieldError]:
    """What is wrong with the change."""
    spec, before = item["spec"], old["spec"]
    errors = _validate_completions(spec, before)
    errors += immutable(spec.get("selector"), before.get("selector"), "spec.selector")
    errors += _validate_template(spec, old)
    for name in AFTER_TEMPLATE:
        errors += immutable(spec.get(name), before.get(name), f"spec.{name}")
    return errors


def _validate_completions(spec: JsonObject, before: JsonObject) -> list[FieldError]:
    new, old = spec.get("completions"), before.get("completions")
    if spec["completionMode"] != "Indexed":
        return immutable(new, old, "spec.completions")
    if new in (None, old) or new == spec["parallelism"]:
        return []
    return [invalid("spec.completions", new, "can only be modified in tandem with spec.parallelism")]


def _validate_template(spec: JsonObject, old: JsonObject) -> list[FieldError]:
    before, template = old["spec"], spec["template"]
    if not _template_may_change(old):
        return immutable(template, before["template"], "spec.template")
    expected = _with_directives(before["template"], template)
    allowed = _with_resources(expected["spec"], template["spec"])
    return immutable(template["spec"], allowed, "spec.template.spec")


def _template_may_change(old: JsonObject) -> bool:
    """Suspended, and nothing of it runs; shouldAllowMutablePodTemplate of its strategy, v1.37."""
    status = status_of(old)
    suspended = any(
        item.get("type") == "Suspended" and item.get("status") == "True"
        for item in status.get("conditions") or ()
    )
    halted = suspended or not status.get("startTime")
    return bool(old["spec"].get("suspend")) and halted and not status.get("active")


def _with_directives(before: JsonObject, template: JsonObject) -> JsonObject:
    """The old template with what steers scheduling, labels and annotations of the new one."""
    pod = {name: value for name, value in before["spec"].items() if name not in DIRECTIVES}
    pod.update({name: template["spec"][name] for name in DIRECTIVES if name in template["spec"]})
    affinity = {
        name: value for name, value in (pod.pop("affinity", None) or {}).items() if name != "nodeAffinity"
    }
    wanted = template["spec"].get("affinity")
    if (wanted or {}).get("nodeAffinity") is not None:
        affinity["nodeAffinity"] = wanted["nodeAffinity"]
    if affinity or wanted is not None:
        pod["affinity"] = affinity
    return {**before, "metadata": template.get("metadata"), "spec": pod}


def _with_resources(before: JsonObject, pod: JsonObject) -> JsonObject:
    """The old pod with what the new one's containers ask for."""
    return {
        **before,
        **{
            part: _resourced(before[part], pod[part])
            for part in ("containers", "initContainers")
            if len(before.get(part) or ()) == len(pod.get(part) or ()) > 0
        },
    }


def _resourced(before: list[JsonObject], containers: list[JsonObject]) -> list[JsonObject]:
    return [
        {**old, "resources": new.get("resources")} if "resources" in new else _without_resources(old)
        for old, new in zip(before, containers, strict=True)
    ]


def _without_resources(container: JsonObject) -> JsonObject:
    return {name: value for name, value in container.items() if name != "resources"}
