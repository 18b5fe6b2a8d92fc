"""The API client: kubeconfig and credentials, requests, lists and watches, typed where it matters.

    access = load_access()                     # $KUBECONFIG, ~/.kube/config, or the pod's own account
    async with Client(access) as client:
        served = await discover(client)
        node = await client.get("Node", "a")
        pods = await list_objects(client, Selection(Pod, fields="spec.nodeName="))

Errors are those of `nominee.errors`, and this is the one place that makes them of HTTP.
"""

from nominee.client.access import Access, Trust
from nominee.client.client import Client, PatchType, object_in
from nominee.client.discovery import discover
from nominee.client.following import Follower
from nominee.client.listing import Listing, Selection, list_objects, watch_objects
from nominee.client.loading import load_access
from nominee.client.lookup import look_up
from nominee.client.objects import Event, Undecodable
from nominee.client.pace import Backoff, RateLimit, rate_limit
from nominee.client.resources import RESOURCES, Resource

__all__ = [
    "RESOURCES",
    "Access",
    "Backoff",
    "Client",
    "Event",
    "Follower",
    "Listing",
    "PatchType",
    "RateLimit",
    "Resource",
    "Selection",
    "Trust",
    "Undecodable",
    "discover",
    "list_objects",
    "load_access",
    "look_up",
    "object_in",
    "rate_limit",
    "watch_objects",
]
