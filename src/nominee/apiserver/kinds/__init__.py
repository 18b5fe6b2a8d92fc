"""The kinds that are served from the start, each with the rules of its own in one module.

Whoever adds a kind adds it to `BUILTIN`, in the order in which `kubectl api-resources` shows groups.
"""

from __future__ import annotations

from nominee.apiserver.kind import Kind
from nominee.apiserver.kinds.apps_controller_revisions import CONTROLLER_REVISIONS
from nominee.apiserver.kinds.apps_daemon_sets import DAEMON_SETS
from nominee.apiserver.kinds.apps_deployments import DEPLOYMENTS
from nominee.apiserver.kinds.apps_replica_sets import REPLICA_SETS
from nominee.apiserver.kinds.apps_stateful_sets import STATEFUL_SETS
from nominee.apiserver.kinds.batch_cron_jobs import CRON_JOBS
from nominee.apiserver.kinds.batch_jobs import JOBS
from nominee.apiserver.kinds.config_maps import CONFIG_MAPS
from nominee.apiserver.kinds.csi import CSI_DRIVERS, CSI_NODES, CSI_STORAGE_CAPACITIES
from nominee.apiserver.kinds.device_classes import DEVICE_CLASSES
from nominee.apiserver.kinds.device_taint_rules import DEVICE_TAINT_RULES
from nominee.apiserver.kinds.endpoints import ENDPOINTS
from nominee.apiserver.kinds.events import EVENTS
from nominee.apiserver.kinds.leases import LEASES
from nominee.apiserver.kinds.namespaces import NAMESPACES
from nominee.apiserver.kinds.networking import INGRESS_CLASSES, INGRESSES, NETWORK_POLICIES
from nominee.apiserver.kinds.nodes import NODES
from nominee.apiserver.kinds.persistent_volume_claims import PERSISTENT_VOLUME_CLAIMS
from nominee.apiserver.kinds.persistent_volumes import PERSISTENT_VOLUMES
from nominee.apiserver.kinds.pod_groups import POD_GROUPS
from nominee.apiserver.kinds.pods import PODS
from nominee.apiserver.kinds.policy_disruption_budgets import POD_DISRUPTION_BUDGETS
from nominee.apiserver.kinds.priority_classes import PRIORITY_CLASSES
from nominee.apiserver.kinds.rbac import CLUSTER_ROLE_BINDINGS, CLUSTER_ROLES, ROLE_BINDINGS, ROLES
from nominee.apiserver.kinds.replication_controllers import REPLICATION_CONTROLLERS
from nominee.apiserver.kinds.resource_claims import RESOURCE_CLAIM_TEMPLATES, RESOURCE_CLAIMS
from nominee.apiserver.kinds.resource_slices import RESOURCE_SLICES
from nominee.apiserver.kinds.secrets import SECRETS
from nominee.apiserver.kinds.service_accounts import SERVICE_ACCOUNTS
from nominee.apiserver.kinds.services import SERVICES
from nominee.apiserver.kinds.storage_classes import STORAGE_CLASSES
from nominee.apiserver.kinds.volume_attachments import VOLUME_ATTACHMENTS

BUILTIN: tuple[Kind, ...] = (
    CONFIG_MAPS,
    ENDPOINTS,
    EVENTS,
    NAMESPACES,
    NODES,
    PERSISTENT_VOLUME_CLAIMS,
    PERSISTENT_VOLUMES,
    PODS,
    REPLICATION_CONTROLLERS,
    SECRETS,
    SERVICE_ACCOUNTS,
    SERVICES,
    CONTROLLER_REVISIONS,
    DAEMON_SETS,
    DEPLOYMENTS,
    REPLICA_SETS,
    STATEFUL_SETS,
    CRON_JOBS,
    JOBS,
    LEASES,
    INGRESS_CLASSES,
    INGRESSES,
    NETWORK_POLICIES,
    CLUSTER_ROLE_BINDINGS,
    CLUSTER_ROLES,
    ROLE_BINDINGS,
    ROLES,
    DEVICE_CLASSES,
    DEVICE_TAINT_RULES,
    RESOURCE_CLAIM_TEMPLATES,
    RESOURCE_CLAIMS,
    RESOURCE_SLICES,
    POD_DISRUPTION_BUDGETS,
    POD_GROUPS,
    PRIORITY_CLASSES,
    CSI_DRIVERS,
    CSI_NODES,
    CSI_STORAGE_CAPACITIES,
    STORAGE_CLASSES,
    VOLUME_ATTACHMENTS,
)
