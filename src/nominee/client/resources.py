"""Where the API serves each kind: its group, its versions, its plural; and the paths that follow.

The first version is the preferred one, served by kube-apiserver v1.37; the others are older or newer forms
that the structs of `nominee.model` read as well. `nominee.client.discovery` finds out what a server has.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from types import MappingProxyType
from urllib.parse import quote

from nominee.model.kinds import CLUSTER_SCOPED


@dataclass(frozen=True, slots=True)
class Resource:
    """One kind as one version serves it.

    versions   of the group, the preferred one first; `version` is the one in use
    """

    kind: str
    plural: str
    group: str = ""
    versions: tuple[str, ...] = ("v1",)
    namespaced: bool = True

    @property
    def version(self) -> str:
        """The version in use."""
        return self.versions[0]

    @property
    def api_version(self) -> str:
        """As it stands in objects: `v1`, `policy/v1`."""
        return f"{self.group}/{self.version}" if self.group else self.version

    @property
    def root(self) -> str:
        """The path of the group and version."""
        return f"/apis/{self.api_version}" if self.group else f"/api/{self.version}"

    def at(self, version: str) -> Resource:
        """The same kind in another version."""
        return replace(self, versions=(version,))

    def collection(self, namespace: str = "") -> str:
        """The path of all objects, or of those in a namespace."""
        if namespace and self.namespaced:
            return f"{self.root}/namespaces/{quote(namespace, safe='')}/{self.plural}"
        return f"{self.root}/{self.plural}"

    def item(self, key: str, subresource: str = "") -> str:
        """The path of an object by its `namespace/name`, or by its name alone."""
        namespace, _, name = key.rpartition("/")
        path = f"{self.collection(namespace)}/{quote(name, safe='')}"
        return f"{path}/{subresource}" if subresource else path


def _resource(kind: str, plural: str, group: str = "", *versions: str) -> Resource:
    return Resource(kind, plural, group, versions or ("v1",), kind not in CLUSTER_SCOPED)


RESOURCES: Mapping[str, Resource] = MappingProxyType(
    {
        resource.kind: resource
        for resource in (
            _resource("CSIDriver", "csidrivers", "storage.k8s.io"),
            _resource("CSINode", "csinodes", "storage.k8s.io"),
            _resource("CSIStorageCapacity", "csistoragecapacities", "storage.k8s.io"),
            _resource("DeviceClass", "deviceclasses", "resource.k8s.io", "v1", "v1beta2"),
            _resource("DeviceTaintRule", "devicetaintrules", "resource.k8s.io", "v1", "v1beta2", "v1alpha3"),
            _resource("Event", "events", "events.k8s.io"),
            _resource("Lease", "leases", "coordination.k8s.io"),
            _resource("Namespace", "namespaces"),
            _resource("Node", "nodes"),
            _resource("PersistentVolume", "persistentvolumes"),
            _resource("PersistentVolumeClaim", "persistentvolumeclaims"),
            _resource("Pod", "pods"),
            _resource("PodDisruptionBudget", "poddisruptionbudgets", "policy"),
            _resource("PodGroup", "podgroups", "scheduling.k8s.io", "v1beta1", "v1alpha3", "v1alpha2"),
            _resource("PriorityClass", "priorityclasses", "scheduling.k8s.io"),
            _resource("ReplicaSet", "replicasets", "apps"),
            _resource("ReplicationController", "replicationcontrollers"),
            _resource("ResourceClaim", "resourceclaims", "resource.k8s.io", "v1", "v1beta2"),
            _resource("ResourceClaimTemplate", "resourceclaimtemplates", "resource.k8s.io", "v1", "v1beta2"),
            _resource("ResourceSlice", "resourceslices", "resource.k8s.io", "v1", "v1beta2"),
            _resource("Service", "services"),
            _resource("StatefulSet", "statefulsets", "apps"),
            _resource("StorageClass", "storageclasses", "storage.k8s.io"),
            _resource("VolumeAttachment", "volumeattachments", "storage.k8s.io"),
        )
    }
)
"""Every known kind by its name."""
