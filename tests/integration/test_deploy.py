"""The manifests: what can be checked of them without a cluster."""

from __future__ import annotations

import shutil
import subprocess
from pathlib import Path
from typing import Any

import pytest
import yaml

from nominee.client.resources import RESOURCES
from nominee.config.load import load_config

DEPLOY = Path(__file__).parents[2] / "deploy"
OVERLAYS = ("second-scheduler", "replacement")
KUBECTL = shutil.which("kubectl")
READ = {"get", "list", "watch"}
NOT_WATCHED = {"Event", "Lease", "PodGroup", "PriorityClass", "ResourceClaimTemplate"}


def documents(text: str) -> list[dict[str, Any]]:
    return [document for document in yaml.safe_load_all(text) if document]


def rules() -> list[dict[str, Any]]:
    [role] = [
        document
        for document in documents((DEPLOY / "kustomize/base/cluster-role.yaml").read_text())
        if document["kind"] == "ClusterRole"
    ]
    found: list[dict[str, Any]] = role["rules"]
    return found


def allowed(group: str, resource: str) -> set[str]:
    return {
        verb
        for rule in rules()
        if group in rule["apiGroups"] and resource in rule["resources"]
        for verb in rule["verbs"]
    }


@pytest.mark.parametrize("kind", sorted(set(RESOURCES) - NOT_WATCHED))
def test_everything_that_is_watched_may_be_read(kind: str) -> None:
    resource = RESOURCES[kind]
    assert allowed(resource.group, resource.plural) >= READ


def test_nothing_but_the_scheduler_s_own_writes_is_allowed() -> None:
    writes = {
        (group, resource): set(rule["verbs"]) - READ
        for rule in rules()
        for group in rule["apiGroups"]
        for resource in rule["resources"]
        if set(rule["verbs"]) - READ
    }
    assert writes == {
        ("", "pods/binding"): {"create"},
        ("", "pods/status"): {"patch"},
        ("", "pods"): {"delete"},
        ("events.k8s.io", "events"): {"create", "patch"},
        ("", "persistentvolumes"): {"update"},
        ("", "persistentvolumeclaims"): {"update"},
        ("resource.k8s.io", "resourceclaims"): {"create", "update", "delete"},
        ("resource.k8s.io", "resourceclaims/status"): {"update", "patch"},
        ("resource.k8s.io", "resourceclaims/binding"): {"update", "patch"},
        ("", "pods/finalizers"): {"update"},
    }


def test_the_chart_grants_what_the_kustomization_grants() -> None:
    base = (
        (DEPLOY / "kustomize/base/cluster-role.yaml").read_text().partition("rules:")[2].partition("---")[0]
    )
    chart = (
        (DEPLOY / "helm/nominee/templates/rights.yaml").read_text().partition("rules:")[2].partition("---")[0]
    )
    assert chart == base


@pytest.mark.parametrize("overlay", OVERLAYS)
def test_configurations_are_valid(overlay: str) -> None:
    loaded = load_config(DEPLOY / "kustomize" / overlay / "config.yaml")
    assert loaded.leader_election.leader_elect


@pytest.mark.skipif(KUBECTL is None, reason="kubectl is not on this machine")
@pytest.mark.parametrize("overlay", OVERLAYS)
def test_kustomize_builds_them(overlay: str) -> None:
    built = subprocess.run(
        [KUBECTL or "", "kustomize", str(DEPLOY / "kustomize" / overlay)],
        capture_output=True,
        text=True,
        check=True,
    )
    made = {document["kind"]: document for document in documents(built.stdout)}
    lease = documents(made["ConfigMap"]["data"]["config.yaml"])[0]["leaderElection"]
    assert made["Role"]["metadata"]["namespace"] == lease["resourceNamespace"]
    assert made["Role"]["rules"][1]["resourceNames"] == [lease["resourceName"]]
    assert (
        made["ClusterRoleBinding"]["subjects"][0]["namespace"] == made["Deployment"]["metadata"]["namespace"]
    )
    volume = made["Deployment"]["spec"]["template"]["spec"]["volumes"][0]
    assert volume["configMap"]["name"] == made["ConfigMap"]["metadata"]["name"]


HELM = shutil.which("helm")


@pytest.mark.skipif(HELM is None, reason="helm is not on this machine")
def test_helm_renders_the_chart() -> None:
    built = subprocess.run(
        [
            HELM or "",
            "template",
            "nominee",
            str(DEPLOY / "helm/nominee"),
            "--namespace",
            "n",
            "--kube-version",
            "1.37.0",
        ],
        capture_output=True,
        text=True,
        check=True,
    )
    made = {document["kind"]: document for document in documents(built.stdout)}
    config = yaml.safe_load(made["ConfigMap"]["data"]["config.yaml"])
    assert load_config(config).leader_election.resource_namespace == "n"
    assert made["ClusterRole"]["rules"] == rules()
