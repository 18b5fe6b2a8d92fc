import copy
from typing import Any

from nominee.apiserver.kind import JsonObject
from nominee.apiserver.kinds.pod.conditions import with_condition
from nominee.apiserver.kinds.pods import PODS
from tests.unit.apiserver.kinds.checking import CONTEXT, NOW, errors_of_update, made
from tests.unit.apiserver.kinds.pods import container, pod

ONLY = (
    "spec: Forbidden: pod updates may not change fields other than `spec.containers[*].image`,"
    "`spec.initContainers[*].image`,`spec.activeDeadlineSeconds`,"
    "`spec.tolerations` (only additions to existing tolerations),"
    "`spec.terminationGracePeriodSeconds` (allow it to be set to 1 if it was previously negative)"
)


def stored(**spec: Any) -> JsonObject:
    return made(PODS, pod(**spec))


def changed(old: JsonObject, **spec: Any) -> list[str]:
    item = copy.deepcopy(old)
    item["spec"].update(spec)
    return errors_of_update(PODS, item, old)


def test_images_and_shorter_deadlines_may_change() -> None:
    old = stored(activeDeadlineSeconds=10)
    item = copy.deepcopy(old)
    item["spec"]["containers"][0]["image"] = "registry.example/app:2"
    item["spec"]["activeDeadlineSeconds"] = 5
    assert errors_of_update(PODS, item, old) == []
    assert changed(old, activeDeadlineSeconds=11) == [
        "spec.activeDeadlineSeconds: Invalid value: 11: must be less than or equal to previous value"
    ]


def test_other_changes_are_refused_with_what_differs() -> None:
    assert changed(stored(), restartPolicy="Never") == [
        (
            f"{ONLY}\n@@ -11,7 +11,7 @@\n  ],\n"
            '  "dnsPolicy": "ClusterFirst",\n  "enableServiceLinks": true,\n'
            '- "restartPolicy": "Always",\n+ "restartPolicy": "Never",\n'
            '  "schedulerName": "default-scheduler",\n  "securityContext": {},\n'
            '  "terminationGracePeriodSeconds": 30\n'
        )
    ]


def test_containers_neither_come_nor_go() -> None:
    old = stored()
    item = copy.deepcopy(old)
    item["spec"]["containers"].append(container(name="b"))
    assert errors_of_update(PODS, item, old) == [
        "spec.containers: Forbidden: pod updates may not add or remove containers"
    ]


def test_tolerations_may_only_be_added() -> None:
    one = {"key": "a", "operator": "Exists", "effect": "NoExecute", "tolerationSeconds": 5}
    other = {"key": "b", "operator": "Exists"}
    old = stored(tolerations=[one])
    assert changed(old, tolerations=[other, {**one, "tolerationSeconds": 7}]) == []
    assert changed(old, tolerations=[other]) == [
        "spec.tolerations: Forbidden: existing toleration can not be modified except its tolerationSeconds"
    ]


def test_gates_may_only_be_removed() -> None:
    old = stored(schedulingGates=[{"name": "a"}, {"name": "b"}])
    assert changed(old, schedulingGates=[{"name": "b"}]) == []
    assert changed(old, schedulingGates=[{"name": "b"}, {"name": "c"}]) == [
        "spec.schedulingGates[1].name: Forbidden: only deletion is allowed, but found new scheduling gate 'c'"
    ]


def test_a_gated_pod_may_be_narrowed_to_fewer_nodes() -> None:
    old = stored(schedulingGates=[{"name": "a"}], nodeSelector={"zone": "x"})
    term = {"matchExpressions": [{"key": "b", "operator": "Exists"}]}
    required = {"requiredDuringSchedulingIgnoredDuringExecution": {"nodeSelectorTerms": [term]}}
    assert changed(old, nodeSelector={"zone": "x", "disk": "ssd"}, affinity={"nodeAffinity": required}) == []
    assert changed(old, nodeSelector={"zone": "y"}) == [
        (
            'spec.nodeSelector: Invalid value: {"zone":"y"}: '
            "only additions to spec.nodeSelector are allowed (no mutations or deletions)"
        )
    ]


def test_terms_of_a_gated_pod_grow_at_their_end() -> None:
    def affinity(*keys: str) -> JsonObject:
        term = {"matchExpressions": [{"key": key, "operator": "Exists"} for key in keys]}
        selector = {"nodeSelectorTerms": [term]}
        return {"nodeAffinity": {"requiredDuringSchedulingIgnoredDuringExecution": selector}}

    old = stored(schedulingGates=[{"name": "a"}], affinity=affinity("a"))
    assert changed(old, affinity=affinity("a", "b")) == []
    assert "only additions are allowed (no mutations or deletions)" in changed(old, affinity=affinity("b"))[0]


def test_an_ungated_pod_keeps_its_selector() -> None:
    assert changed(stored(), nodeSelector={"a": "b"})[0].startswith(ONLY)


def test_a_mirror_pod_stays_one() -> None:
    old = made(PODS, pod(annotations={"kubernetes.io/config.mirror": "x"}, nodeName="n"))
    item = copy.deepcopy(old)
    del item["metadata"]["annotations"]
    assert errors_of_update(PODS, item, old) == [
        (
            "metadata.annotations[kubernetes.io/config.mirror]: Forbidden: "
            "may not remove or update mirror pod annotation"
        )
    ]


# -- status ---------------------------------------------------------------------------------------


def status_errors(old: JsonObject, **status: Any) -> list[str]:
    item = copy.deepcopy(old)
    item["status"].update(status)
    return errors_of_update(PODS, item, old, part="status")


def test_a_pending_pod_may_be_nominated_to_any_node_that_could_exist() -> None:
    assert status_errors(stored(), nominatedNodeName="not-there-yet") == []
    assert status_errors(stored(), nominatedNodeName="A_b")[0].startswith(
        'status.nominatedNodeName: Invalid value: "A_b": a lowercase RFC 1123 subdomain'
    )


def test_a_bound_pod_may_not_be_nominated() -> None:
    old = stored(nodeName="n")
    old["status"]["nominatedNodeName"] = "n"
    assert status_errors(old, nominatedNodeName="") == []
    assert status_errors(old, nominatedNodeName="m") == [
        "status.nominatedNodeName: Forbidden: may not be set on pods that are already bound to a node"
    ]


def test_the_class_of_service_is_for_ever() -> None:
    assert status_errors(stored(), qosClass="Guaranteed") == [
        'status.qosClass: Invalid value: "Guaranteed": field is immutable'
    ]
    assert status_errors(stored(), qosClass="") == []


def test_a_write_to_the_status_leaves_the_specification_alone() -> None:
    old, item = stored(), stored(nodeName="n")
    item["metadata"]["labels"] = {"new": "label"}
    PODS.prepare_status(item, old, CONTEXT)
    assert item["spec"] == old["spec"]
    assert item["metadata"]["labels"] == {"new": "label"}


def test_ended_containers_come_back_only_where_their_policy_says_so() -> None:
    ended = [{"name": "app", "state": {"terminated": {"exitCode": 1}}}]
    running = [{"name": "app", "state": {"running": {}}}]
    for policy, errors in (
        ("Always", []),
        ("OnFailure", []),
        ("Never", ["may not be transitioned to non-terminated state"]),
    ):
        old = stored(restartPolicy=policy)
        old["status"]["containerStatuses"] = ended
        expected = [f"status.containerStatuses[0].state: Forbidden: {error}" for error in errors]
        assert status_errors(old, containerStatuses=running) == expected


def test_addresses_agree_and_are_one_of_a_family() -> None:
    assert status_errors(stored(), podIP="10.0.0.1", podIPs=[{"ip": "10.0.0.1"}, {"ip": "10.0.0.2"}]) == [
        (
            'status.podIPs: Invalid value: [{"ip":"10.0.0.1"},{"ip":"10.0.0.2"}]: '
            "may specify no more than one IP for each IP family"
        )
    ]


def test_the_one_address_fills_in_the_list() -> None:
    item = stored()
    item["status"]["podIP"] = "10.0.0.1"
    PODS.default(item)
    assert item["status"]["podIPs"] == [{"ip": "10.0.0.1"}]


# -- deletion, resize, ephemeral containers ---------------------------------------------------------


def test_only_pods_that_run_somewhere_get_time_to_end() -> None:
    assert PODS.grace_period(stored(), None) == 0
    assert PODS.grace_period(stored(nodeName="n"), None) == 30
    assert PODS.grace_period(stored(nodeName="n", terminationGracePeriodSeconds=5), None) == 5
    assert PODS.grace_period(stored(nodeName="n"), 2) == 2
    ended = stored(nodeName="n")
    ended["status"]["phase"] = "Succeeded"
    assert PODS.grace_period(ended, 60) == 0


def resized(old: JsonObject, **resources: Any) -> list[str]:
    item = copy.deepcopy(old)
    item["spec"]["containers"][0]["resources"] = resources
    item["spec"]["restartPolicy"] = "Never"
    return errors_of_update(PODS, item, old, part="resize")


def test_a_resize_changes_cpu_and_memory_and_nothing_else() -> None:
    old = made(PODS, pod(container(resources={"requests": {"cpu": "1", "ephemeral-storage": "1Gi"}})))
    assert resized(old, requests={"cpu": "2", "ephemeral-storage": "1Gi"}) == []
    assert resized(old, requests={"cpu": "2", "ephemeral-storage": "2Gi"}) == [
        "spec: Forbidden: only cpu and memory resources are mutable"
    ]
    assert resized(old, requests={"ephemeral-storage": "1Gi"}) == [
        "spec.containers[0].resources.requests: Forbidden: resource requests cannot be removed",
        'spec: Invalid value: "Burstable": Pod QOS Class may not change as a result of resizing',
    ]


def test_ephemeral_containers_are_added_and_stay() -> None:
    old = stored(nodeName="n")
    item = copy.deepcopy(old)
    item["spec"]["ephemeralContainers"] = [{"name": "debug", "image": "sh:1", "targetContainerName": "app"}]
    assert errors_of_update(PODS, item, old, part="ephemeralcontainers") == []
    PODS.default(item)
    assert errors_of_update(PODS, old, item, part="ephemeralcontainers") == [
        'spec.ephemeralContainers: Forbidden: existing ephemeral containers "debug" may not be removed\n'
    ]


def test_conditions_keep_their_time_while_their_status_stays() -> None:
    before = [{"type": "Ready", "status": "True", "lastTransitionTime": "2025-01-01T00:00:00Z"}]
    same = with_condition(before, {"type": "Ready", "status": "True", "reason": "x"}, NOW)
    other = with_condition(before, {"type": "Ready", "status": "False"}, NOW)
    assert same[0]["lastTransitionTime"] == "2025-01-01T00:00:00Z"
    assert other[0]["lastTransitionTime"] == NOW
