"""Which controllers there are in this package."""

from __future__ import annotations

from nominee.embedded.controllers.access import Access
from nominee.embedded.controllers.controller import Controller
from nominee.embedded.controllers.cron_job import CronJobController
from nominee.embedded.controllers.daemon_set import DaemonSetController
from nominee.embedded.controllers.deployment import DeploymentController
from nominee.embedded.controllers.disruption import DisruptionController
from nominee.embedded.controllers.garbage import GarbageCollector
from nominee.embedded.controllers.job import JobController
from nominee.embedded.controllers.namespaces import NamespaceController
from nominee.embedded.controllers.node_lifecycle import NodeLifecycle
from nominee.embedded.controllers.pod_garbage import PodGarbageCollector
from nominee.embedded.controllers.replication import (
    REPLICA_SETS,
    REPLICATION_CONTROLLERS,
    ReplicationController,
)
from nominee.embedded.controllers.service_accounts import NamespaceFurnisher
from nominee.embedded.controllers.stateful_set import StatefulSetController
from nominee.embedded.controllers.taint_eviction import TaintEviction


def workload_controllers(access: Access, *, root_ca: str = "") -> tuple[Controller, ...]:
    """One of each; `root_ca` is the certificate, in PEM, that is published in every namespace."""
    return (
        NamespaceFurnisher(access, root_ca),
        NamespaceController(access),
        GarbageCollector(access),
        DisruptionController(access),
        DeploymentController(access),
        ReplicationController(access, REPLICA_SETS),
        ReplicationController(access, REPLICATION_CONTROLLERS),
        StatefulSetController(access),
        DaemonSetController(access),
        JobController(access),
        CronJobController(access),
        NodeLifecycle(access),
        TaintEviction(access),
        PodGarbageCollector(access),
    )
