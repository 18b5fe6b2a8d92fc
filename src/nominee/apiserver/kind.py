"""What the server knows of a kind of object: the contract between the verbs and the rules of each kind.

A kind is an instance of `Kind` or of a class of its own that overrides what is special about it. The
verbs (`rest`) call these in the order in which Kubernetes' registry does
(apiserver/pkg/registry/rest/{create,update,delete}.go, v1.37); admission comes between defaults and
validation. Objects are JSON trees; methods that `prepare` or `default` change the tree that they are
given, which is the caller's own copy, and never the one that is stored.

What comes to these methods has passed the schema of its kind: every field has the type that the schema
says, unknown fields are gone, and so is every null (in a map of texts it is an empty text, in a list of
objects an empty object), as decoding into Go's structs would have it. `metadata` is always there.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Literal

from nominee.apiserver.status import FieldError

if TYPE_CHECKING:
    from nominee.store.ports import Stored

JsonObject = dict[str, Any]

VERBS = ("create", "delete", "deletecollection", "get", "list", "patch", "update", "watch")

_NOT_COUNTED = ("apiVersion", "kind", "metadata", "status")

NameRule = Literal["subdomain", "label", "path segment"]
"""What names objects of a kind may have: DNS subdomains mostly, DNS labels, or anything a URL can hold."""


@dataclass(frozen=True, slots=True)
class Column:
    """A column of `kubectl get`: priority 0 is always shown, 1 with `-o wide`."""

    name: str
    type: Literal["string", "integer", "boolean", "date", "number"] = "string"
    format: str = ""
    description: str = ""
    priority: int = 0


@dataclass(frozen=True, slots=True)
class Names:
    """How a kind is called and where it is served."""

    kind: str
    plural: str
    singular: str
    group: str = ""
    version: str = "v1"
    short: tuple[str, ...] = ()
    categories: tuple[str, ...] = ()
    namespaced: bool = True
    also: tuple[tuple[str, str], ...] = ()
    """Further (group, version) pairs in which the same objects are served."""

    @property
    def resource(self) -> str:
        """The storage name, which errors use too: `deployments.apps`, `pods`."""
        return f"{self.plural}.{self.group}" if self.group else self.plural

    @property
    def api_version(self) -> str:
        return f"{self.group}/{self.version}" if self.group else self.version


@dataclass(frozen=True, slots=True)
class ScalePaths:
    """Where a kind with a scale keeps its numbers; without `selector` it is made of `spec.selector`."""

    wanted: str = "spec.replicas"
    present: str = "status.replicas"
    selector: str = ""


@dataclass(frozen=True, slots=True)
class Context:
    """Around a request: who asks (field manager, user), when, whether in earnest; and the gates."""

    now: str
    """RFC 3339, seconds: what goes into timestamps."""

    manager: str = "unknown"
    user: str = "system:admin"
    dry_run: bool = False
    features: Mapping[str, bool] = field(default_factory=dict)
    warnings: list[str] = field(default_factory=list)
    """What the client is told beside the answer; whoever finds something adds it."""


@dataclass(frozen=True, slots=True)
class Kind:
    """A kind without rules of its own; subclasses override what they need.

    schema         the name of its type in the catalogue of types (`apiserver.schema`)
    subresources   of `status`, `scale`, `binding`, `eviction`, `resize`, `ephemeralcontainers`, `approval`
    generation     whether `metadata.generation` counts changes of everything but metadata and status
    name_rule      what `metadata.name` may look like
    converts       whether the forms in the groups and versions of `names.also` differ from the stored one
    custom         whether a definition of a custom resource has brought it: no strategic merge patch then
    unconditional  whether an update without a resourceVersion is taken (AllowUnconditionalUpdate)
    create_on_put  whether an update of what does not exist creates it (AllowCreateOnUpdate)
    orphans        whether dependents stay behind unless the client says otherwise (jobs)
    scale          where the numbers of the subresource `scale` are
    """

    names: Names
    schema: str
    subresources: tuple[str, ...] = ()
    verbs: tuple[str, ...] = VERBS
    generation: bool = False
    columns: tuple[Column, ...] = ()
    name_rule: NameRule = "subdomain"
    converts: bool = False
    custom: bool = False
    unconditional: bool = True
    create_on_put: bool = False
    orphans: bool = False
    scale: ScalePaths = field(default_factory=ScalePaths)

    def selectable(self, api_version: str) -> tuple[str, ...]:
        """The field labels that one of its versions knows."""
        return self.field_labels

    # -- versions -----------------------------------------------------------------------------------

    def schema_of(self, api_version: str) -> str:
        """The name of the type in one of the versions in which it is served."""
        return self.schema

    def to_stored(self, item: JsonObject) -> JsonObject:
        """A client's object, in whichever version its `apiVersion` says, in the stored form."""
        return item

    def to_version(self, item: JsonObject, api_version: str) -> JsonObject:
        """A stored object in one of the versions in which it is served; the stored one stays as it is."""
        return {**item, "apiVersion": api_version}

    # -- writing ------------------------------------------------------------------------------------

    def default(self, item: JsonObject) -> None:
        """Fill in what Kubernetes defaults when it decodes an object."""

    def prepare_create(self, item: JsonObject, context: Context) -> None:
        """Before validation: a client can not set status at creation, for instance."""
        if "status" in self.subresources:
            item.pop("status", None)

    def prepare_update(self, item: JsonObject, old: JsonObject, context: Context) -> None:
        """Before validation: an update leaves the status as it is."""
        if "status" in self.subresources:
            _keep(item, old, "status")

    def prepare_status(self, item: JsonObject, old: JsonObject, context: Context) -> None:
        """Before validation of a write to /status: all but the status stays as it is."""
        status = item.get("status")
        metadata = item["metadata"]
        item.clear()
        item.update(
            {**old, "metadata": {**old["metadata"], "resourceVersion": metadata.get("resourceVersion")}}
        )
        if status is None:
            item.pop("status", None)
        else:
            item["status"] = status

    def counted(self, item: JsonObject) -> JsonObject:
        """What `metadata.generation` counts the changes of."""
        return {name: value for name, value in item.items() if name not in _NOT_COUNTED}

    def validate(self, item: JsonObject) -> Sequence[FieldError]:
        """What is wrong with a new object, apart from its metadata."""
        return ()

    def validate_update(self, item: JsonObject, old: JsonObject, context: Context) -> Sequence[FieldError]:
        """What is wrong with the change."""
        return self.validate(item)

    def validate_status(self, item: JsonObject, old: JsonObject, context: Context) -> Sequence[FieldError]:
        """What is wrong with the change of a status."""
        return ()

    def warnings(self, item: JsonObject) -> Sequence[str]:
        """What a client should be told of a new object though it is accepted."""
        return ()

    def update_warnings(self, item: JsonObject, old: JsonObject) -> Sequence[str]:
        """The same of a change."""
        return ()

    def part(self, subresource: str) -> Kind:
        """Whose `prepare_update` and `validate_update` hold for writes to a subresource but the status."""
        return self

    # -- deleting -----------------------------------------------------------------------------------

    def grace_period(self, item: JsonObject, asked: int | None) -> int | None:
        """Seconds between the deletion and the end of the object; None if the kind knows no grace."""
        return None

    def prepare_deletion(self, item: JsonObject, context: Context) -> None:
        """When an object that can not go at once gets its deletion timestamp."""

    def held(self, item: JsonObject) -> bool:
        """Whether anything but grace and `metadata.finalizers` keeps a deleted object."""
        return False

    # -- reading ------------------------------------------------------------------------------------

    def fields(self, item: JsonObject) -> Mapping[str, str]:
        """What field selectors may ask about."""
        metadata = item["metadata"]
        if self.names.namespaced:
            return {"metadata.name": metadata["name"], "metadata.namespace": metadata.get("namespace", "")}
        return {"metadata.name": metadata["name"]}

    field_labels: tuple[str, ...] = ("metadata.name", "metadata.namespace")
    """The fields that `fields` knows; any other is refused."""

    def cells(self, stored: Stored, now: float) -> list[Any]:
        """The row of `kubectl get`, a cell for each of `columns`."""
        raise NotImplementedError


def _keep(item: JsonObject, old: JsonObject, name: str) -> None:
    if name in old:
        item[name] = old[name]
    else:
        item.pop(name, None)
