"""Cases: one decision to make a line, as JSON. The format is that of the decision vectors."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, NamedTuple

import orjson

from nominee.cli.volume_needs import plugins_wanted
from nominee.config.features import FeatureGates
from nominee.config.load import load_config
from nominee.errors import ConfigError, InputError
from nominee.model.codec import decode_object
from nominee.model.dra import DeviceClass
from nominee.model.meta import NamedObject
from nominee.model.node import Node
from nominee.model.pod import Pod as PodObject
from nominee.model.requests import Counting
from nominee.profile.profile import Profile
from nominee.profile.registry import Registry
from nominee.scheduler.assembly import build_profiles, counting, refuse_extenders, with_plugins
from nominee.state.cluster import ClusterState
from nominee.state.shapes import Pod

Data = dict[str, Any]


class Case(NamedTuple):
    """A cluster, a pending pod, and the profile that decides about it.

    wanted  plugins that the pod's volumes and claims need, implemented or not
    """

    cluster: ClusterState
    pod: Pod
    profile: Profile
    wanted: frozenset[str]


def parse_case(text: bytes) -> Data:
    """The JSON object on a line."""
    try:
        data = orjson.loads(text)
    except orjson.JSONDecodeError as error:
        raise InputError(f"not JSON: {error}") from None
    if not isinstance(data, dict):
        raise InputError("a case must be an object with 'objects' and 'pod'")
    return data


class CaseReader:
    """Turns data into cases; profiles of equal configurations are built once.

    given  plugins that are enabled in every profile which does not mention them
    """

    def __init__(self, registry: Registry, features: FeatureGates, given: Iterable[type] = ()) -> None:
        self._registry = registry
        self._features = features
        self._given = list(given)
        self._profiles: dict[bytes, dict[str, Profile]] = {}

    def read(self, data: Data) -> Case:
        """The case in `data`; raises InputError or ConfigError that names the field."""
        if not isinstance(data.get("name", ""), str):
            raise InputError("must be text", field="name")
        profiles = self._profiles_of(data.get("config"))
        item = _pending(data.get("pod"))
        content = _Content(profiles, counting(self._features))
        content.claim_identity(item, "pod")
        content.fill(data.get("objects"))
        pod = content.cluster.pod(item)
        profile = _profile_of(pod, profiles)
        content.cluster.nominate(pod, pod.nominated_node_name)
        return Case(content.cluster, pod, profile, plugins_wanted(item, content.device_resources))

    def _profiles_of(self, config: Any) -> dict[str, Profile]:
        key = orjson.dumps(config)
        if key not in self._profiles:
            if config is not None and not isinstance(config, dict):
                raise InputError("must be an object", field="config")
            try:
                loaded = load_config(config, features=self._features)
                refuse_extenders(loaded, "decide")
                configuration = with_plugins(loaded, self._given)
                self._profiles[key] = build_profiles(configuration, self._features, self._registry)
            except ConfigError as error:
                raise error.at(field="config") from None
        return self._profiles[key]


def _profile_of(pod: Pod, profiles: dict[str, Profile]) -> Profile:
    scheduler = pod.scheduler_name
    if scheduler not in profiles:
        allowed = ", ".join(map(repr, profiles))
        raise InputError(
            f"no profile is named {scheduler!r}: expected one of {allowed}", field="pod.spec.schedulerName"
        )
    return profiles[scheduler]


def _pending(source: Any) -> PodObject:
    if not isinstance(source, dict):
        raise InputError("a case needs the pod to decide about, a Pod object", field="pod")
    try:
        item = decode_object({"apiVersion": "v1", "kind": "Pod"} | source)
    except InputError as error:
        raise error.at(field="pod") from None
    if not isinstance(item, PodObject):
        raise InputError(f"must be a Pod, not a {item.KIND}", field="pod.kind")
    if item.spec.node_name:
        raise InputError("the pod to decide about must have no node yet", field="pod.spec.nodeName")
    return item


class _Content:
    """What a case puts into its cluster; every object must be another one."""

    def __init__(self, profiles: dict[str, Profile], counting: Counting) -> None:
        self.cluster = ClusterState(counting)
        self.device_resources: set[str] = set()
        self._profiles = profiles
        self._places: dict[tuple[str, ...], str] = {}

    def fill(self, objects: Any) -> None:
        if objects is None:
            return
        if not isinstance(objects, list):
            raise InputError("must be a list of objects", field="objects")
        for i, source in enumerate(objects):
            field = f"objects[{i}]"
            if not isinstance(source, dict):
                raise InputError("must be an object", field=field)
            try:
                item = decode_object(source)
            except InputError as error:
                raise error.at(field=field) from None
            self.claim_identity(item, field)
            self._put(item)

    def claim_identity(self, item: NamedObject, field: str) -> None:
        """Refuse a second object of one name, and a second pod of one uid."""
        self._claim((item.KIND, item.namespace, item.name), f"{field}.metadata.name", item.name)
        if isinstance(item, PodObject) and item.uid:
            self._claim(("uid", item.uid), f"{field}.metadata.uid", item.uid)

    def _claim(self, identity: tuple[str, ...], field: str, value: str) -> None:
        taken = self._places.setdefault(identity, field)
        if taken != field:
            raise InputError(f"{value!r} is taken by {taken.partition('.')[0]}: must be unique", field=field)

    def _put(self, item: NamedObject) -> None:
        if isinstance(item, Node):
            self.cluster.add_node(item)
        elif isinstance(item, PodObject):
            self._put_pod(item)
        else:
            if isinstance(item, DeviceClass) and item.spec.extended_resource_name:
                self.device_resources.add(item.spec.extended_resource_name)
            self.cluster.put_object(item)

    def _put_pod(self, item: PodObject) -> None:
        pod = self.cluster.pod(item)
        if item.status.phase in ("Succeeded", "Failed"):
            return
        if pod.node_name:
            self.cluster.add_pod(pod)
        elif pod.scheduler_name in self._profiles:
            self.cluster.nominate(pod, pod.nominated_node_name)
