"""Metadata, references and selectors as they stand in objects."""

# ruff: noqa: RUF012 - msgspec gives every instance its own copy of an empty default
from __future__ import annotations

from nominee.model.base import ApiObject, ApiStruct


class OwnerReference(ApiStruct, frozen=True, kw_only=True):
    """Names the object that owns another one."""

    api_version: str = ""
    kind: str = ""
    name: str = ""
    uid: str = ""
    controller: bool | None = None
    block_owner_deletion: bool | None = None


class ObjectMeta(ApiStruct, frozen=True, kw_only=True):
    """Identity, labels and life span of an object."""

    name: str = ""
    generate_name: str = ""
    namespace: str = ""
    uid: str = ""
    labels: dict[str, str] = {}
    annotations: dict[str, str] = {}
    resource_version: str = ""
    generation: int = 0
    creation_timestamp: str = ""
    deletion_timestamp: str | None = None
    deletion_grace_period_seconds: int | None = None
    owner_references: tuple[OwnerReference, ...] = ()
    finalizers: tuple[str, ...] = ()


class NamedObject(ApiObject, frozen=True, kw_only=True):
    """An API object with its metadata at hand."""

    metadata: ObjectMeta = ObjectMeta()

    @property
    def name(self) -> str:
        """`metadata.name`."""
        return self.metadata.name

    @property
    def namespace(self) -> str:
        """`metadata.namespace`; empty for objects of the cluster."""
        return self.metadata.namespace

    @property
    def uid(self) -> str:
        """`metadata.uid`."""
        return self.metadata.uid

    @property
    def labels(self) -> dict[str, str]:
        """`metadata.labels`."""
        return self.metadata.labels

    @property
    def key(self) -> str:
        """`namespace/name`, or the name alone for objects of the cluster."""
        meta = self.metadata
        return f"{meta.namespace}/{meta.name}" if meta.namespace else meta.name

    @property
    def terminating(self) -> bool:
        """Whether a deletion has been asked for."""
        return self.metadata.deletion_timestamp is not None


class LabelSelectorRequirement(ApiStruct, frozen=True, kw_only=True):
    """One expression of a label selector: In, NotIn, Exists or DoesNotExist."""

    key: str = ""
    operator: str = ""
    values: tuple[str, ...] = ()


class LabelSelector(ApiStruct, frozen=True, kw_only=True):
    """Labels and expressions, all of which must hold."""

    match_labels: dict[str, str] = {}
    match_expressions: tuple[LabelSelectorRequirement, ...] = ()


class NodeSelectorRequirement(ApiStruct, frozen=True, kw_only=True):
    """One expression over labels or fields of a node; also knows Gt and Lt."""

    key: str = ""
    operator: str = ""
    values: tuple[str, ...] = ()


class NodeSelectorTerm(ApiStruct, frozen=True, kw_only=True):
    """Expressions that must all hold; a term without any matches nothing."""

    match_expressions: tuple[NodeSelectorRequirement, ...] = ()
    match_fields: tuple[NodeSelectorRequirement, ...] = ()


class NodeSelector(ApiStruct, frozen=True, kw_only=True):
    """Terms of which one must hold."""

    node_selector_terms: tuple[NodeSelectorTerm, ...] = ()


class ObjectReference(ApiStruct, frozen=True, kw_only=True):
    """Points at another object, possibly at a part of it."""

    api_version: str = ""
    kind: str = ""
    namespace: str = ""
    name: str = ""
    uid: str = ""
    resource_version: str = ""
    field_path: str = ""


class TypedLocalObjectReference(ApiStruct, frozen=True, kw_only=True):
    """Kind and name of an object, of the same namespace unless one is given."""

    api_group: str | None = None
    kind: str = ""
    name: str = ""
    namespace: str | None = None


class Condition(ApiStruct, frozen=True, kw_only=True):
    """A condition in the status of an object."""

    type: str = ""
    status: str = ""
    reason: str = ""
    message: str = ""
    last_transition_time: str | None = None
    observed_generation: int = 0
