"""Create, update, delete.

apiserver/pkg/endpoints/handlers/{create,update,delete}.go, v1.37.
"""

from __future__ import annotations

from nominee.apiserver.http.body import NotReadableError, read_tree
from nominee.apiserver.http.call import Call
from nominee.apiserver.http.delete_options import delete_options
from nominee.apiserver.http.encoding import answer_tree
from nominee.apiserver.http.list_options import list_options
from nominee.apiserver.http.message import Answer, Request
from nominee.apiserver.http.objects import read_object
from nominee.apiserver.http.parameters import write_options
from nominee.apiserver.http.rendering import answer_list, answer_object
from nominee.apiserver.http.selecting import selection_of
from nominee.apiserver.http.warning import warned, with_warnings
from nominee.apiserver.kind import Context, JsonObject
from nominee.apiserver.rest import Deletion
from nominee.apiserver.rest.metadata import metadata_of
from nominee.apiserver.rest.patching import nameless
from nominee.apiserver.status import bad_request

_RETURNED = frozenset(
    (
        "namespaces",
        "persistentvolumeclaims",
        "persistentvolumes",
        "pods",
        "podtemplates",
        "resourcequotas",
        "serviceaccounts",
        "services",
        "csidrivers.storage.k8s.io",
        "csinodes.storage.k8s.io",
        "deviceclasses.resource.k8s.io",
        "resourceclaims.resource.k8s.io",
        "resourceclaimtemplates.resource.k8s.io",
        "resourceslices.resource.k8s.io",
        "storageclasses.storage.k8s.io",
        "volumeattachments.storage.k8s.io",
    )
)
"""Kinds of which a deletion answers with the object (ReturnDeletedObject), not with a Status."""


def context_of(call: Call, options: str) -> tuple[Context, str]:
    """What a write is done with, and how strictly its fields are looked at."""
    manager, dry_run, validation = write_options(call.request, options)
    return call.rest.context(manager, dry_run=dry_run), validation


def create(call: Call) -> Answer:
    """POST to a collection."""
    context, validation = context_of(call, "CreateOptions")
    with warned(context):
        item = read_object(call, validation, context.warnings)
        stored = call.rest.create(call.resource, call.place.namespace, item, context, copy=False)
    return with_warnings(answer_object(call, stored, 201), context.warnings)


def update(call: Call) -> Answer:
    """PUT of an object or its status."""
    context, validation = context_of(call, "UpdateOptions")
    with warned(context):
        item = read_object(call, validation, context.warnings)
        _check_name(call, item)
        there = call.rest.store.get(call.resource, call.key) is not None
        stored = call.rest.update(call.resource, call.key, item, context, call.place.subresource, copy=False)
    return with_warnings(answer_object(call, stored, 200 if there else 201), context.warnings)


def _check_name(call: Call, item: JsonObject) -> None:
    metadata = metadata_of(item)
    namespace = metadata.get("namespace")
    if namespace and call.kind.names.namespaced and namespace != call.place.namespace:
        raise bad_request(
            "the namespace of the provided object does not match the namespace sent on the request"
        )
    name = metadata.get("name")
    if not name:
        raise nameless(call.place.name)
    if name != call.place.name:
        raise bad_request(
            f"the name of the object ({name}) does not match the name on the URL ({call.place.name})"
        )


def delete(call: Call) -> Answer:
    """DELETE of an object."""
    options, dry_run = delete_options(call.request)
    context = call.rest.context(dry_run=dry_run)
    deletion = call.rest.delete(call.resource, call.key, options, context)
    status = 202 if not deletion.gone and options.orphan_dependents is False else 200
    if deletion.gone and call.resource not in _RETURNED:
        return answer_tree(call.request, _success(call, deletion), call.form, status)
    return answer_object(call, deletion, status)


def _success(call: Call, deletion: Deletion) -> JsonObject:
    names, metadata = call.kind.names, deletion.object["metadata"]
    details = {"name": metadata["name"], "group": names.group, "kind": names.plural, "uid": metadata["uid"]}
    return {
        "kind": "Status",
        "apiVersion": "v1",
        "metadata": {},
        "status": "Success",
        "details": {name: value for name, value in details.items() if value},
    }


def delete_collection(call: Call) -> Answer:
    """DELETE of a collection, or of what is selected of it."""
    list_options(call.request, watch=False)
    selection = selection_of(call)
    options, dry_run = delete_options(call.request)
    context = call.rest.context(dry_run=dry_run)
    chosen = call.rest.delete_collection(
        call.resource, call.place.namespace, options, context, selection.selects
    )
    return answer_list(call, chosen, {"resourceVersion": str(call.rest.store.version)})


def bound_name(request: Request) -> str:
    """The pod that a Binding in a body is about."""
    try:
        tree = read_tree(request)
    except NotReadableError as error:
        raise bad_request(f"couldn't get version/kind; json parse error: {error}") from None
    metadata = tree.get("metadata") if isinstance(tree, dict) else None
    name = metadata.get("name") if isinstance(metadata, dict) else None
    if not isinstance(name, str) or not name:
        raise bad_request("name is required")
    return name
