"""Requests that somebody got wrong: good ones with faults in path, query, headers, body and framing."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from random import Random
from typing import Any
from urllib.parse import quote

from tests.unit.cli.fuzzing import INTRUDERS, places

TOKEN = "open-sesame"
CORE = "/api/v1/namespaces/default"
JSON = "application/json"

POD: dict[str, Any] = {
    "apiVersion": "v1",
    "kind": "Pod",
    "metadata": {"generateName": "p-", "labels": {"app": "web"}, "finalizers": ["example.com/held"]},
    "spec": {
        "containers": [
            {
                "name": "c",
                "image": "i",
                "resources": {"requests": {"cpu": "100m"}, "limits": {"memory": "1Gi"}},
                "ports": [{"containerPort": 80, "name": "http"}],
                "env": [{"name": "A", "valueFrom": {"fieldRef": {"fieldPath": "metadata.name"}}}],
                "readinessProbe": {"httpGet": {"port": "http"}},
                "volumeMounts": [{"name": "v", "mountPath": "/v"}],
            }
        ],
        "volumes": [{"name": "v", "emptyDir": {}}],
        "tolerations": [{"key": "k", "operator": "Exists", "effect": "NoExecute", "tolerationSeconds": 5}],
        "affinity": {
            "nodeAffinity": {
                "requiredDuringSchedulingIgnoredDuringExecution": {
                    "nodeSelectorTerms": [
                        {"matchExpressions": [{"key": "a", "operator": "In", "values": ["b"]}]}
                    ]
                }
            },
            "podAntiAffinity": {
                "preferredDuringSchedulingIgnoredDuringExecution": [
                    {"weight": 5, "podAffinityTerm": {"topologyKey": "zone", "labelSelector": {}}}
                ]
            },
        },
        "topologySpreadConstraints": [
            {"maxSkew": 1, "topologyKey": "zone", "whenUnsatisfiable": "DoNotSchedule", "minDomains": 2}
        ],
        "schedulingGates": [{"name": "example.com/gate"}],
        "resourceClaims": [{"name": "r", "resourceClaimName": "r"}],
    },
}
TEMPLATE: dict[str, Any] = {
    "metadata": {"labels": {"a": "b"}},
    "spec": {"containers": [{"name": "c", "image": "i"}]},
}
ENDING = {"spec": {**TEMPLATE["spec"], "restartPolicy": "Never"}}
SELECTED = {"selector": {"matchLabels": {"a": "b"}}, "template": TEMPLATE}


@dataclass(frozen=True)
class Call:
    """A request before it is bytes. `rough` if its framing is broken: then it may also be cut off."""

    method: str
    path: str
    query: tuple[tuple[str, str], ...] = ()
    headers: dict[str, str] = field(default_factory=dict)
    body: bytes = b""
    chunked: bool = False
    rough: bool = False

    @property
    def watches(self) -> bool:
        return "watch" in self.path or any(name == "watch" for name, _ in self.query)

    def encode(self) -> bytes:
        """As it goes over the wire; the connection ends behind it."""
        query = "&".join(f"{name}={value}" for name, value in self.query)
        target = f"{self.path}?{query}" if query else self.path
        headers = {"Host": "x", "Authorization": f"Bearer {TOKEN}", "Connection": "close", **self.headers}
        body = self.body
        if self.chunked:
            headers["Transfer-Encoding"] = "chunked"
            body = b"".join(b"%x\r\n%b\r\n" % (len(p), p) for p in _pieces(self.body)) + b"0\r\n\r\n"
        elif body:
            headers.setdefault("Content-Length", str(len(body)))
        lines = [f"{self.method} {target} HTTP/1.1", *(f"{name}: {value}" for name, value in headers.items())]
        return "\r\n".join([*lines, "", ""]).encode("utf-8", "surrogateescape") + body


def _pieces(body: bytes) -> list[bytes]:
    return [body[start : start + 7] for start in range(0, len(body), 7)]


def sent(method: str, path: str, tree: Any, media: str = JSON) -> Call:
    return Call(method, path, headers={"Content-Type": media}, body=json.dumps(tree).encode())


def patched(path: str, tree: Any, kind: str) -> Call:
    media = "application/apply-patch+yaml" if kind == "apply" else f"application/{kind}-patch+json"
    query = (("fieldManager", "fuzz"),) if kind == "apply" else ()
    return replace(sent("PATCH", path, tree, media), query=query)


def named(kind: str, api_version: str, **fields: Any) -> dict[str, Any]:
    return {"apiVersion": api_version, "kind": kind, "metadata": {"generateName": "f-"}, **fields}


LABELLED = {"metadata": {"labels": {"x": "y"}}}
PATCH = LABELLED | {"spec": {"containers": [{"name": "c", "image": "j"}]}}
CALLS: tuple[Call, ...] = (
    Call("GET", f"{CORE}/pods", (("labelSelector", "a%20in%20(b,c),!d"), ("limit", "2"))),
    Call("GET", f"{CORE}/pods", (("fieldSelector", "status.phase!%3DRunning,spec.nodeName%3D"),)),
    Call("GET", f"{CORE}/configmaps", (("resourceVersion", "1"), ("resourceVersionMatch", "NotOlderThan"))),
    Call("GET", f"{CORE}/configmaps", (("watch", "1"), ("timeoutSeconds", "1"), ("resourceVersion", "1"))),
    Call("GET", f"{CORE}/pods/kept", headers={"Accept": f"{JSON};as=Table;g=meta.k8s.io;v=v1"}),
    Call("GET", "/apis", headers={"Accept": f"{JSON};as=APIGroupDiscoveryList;v=v2;g=apidiscovery.k8s.io"}),
    Call("GET", "/version"),
    sent("POST", f"{CORE}/pods", POD),
    sent("POST", f"{CORE}/configmaps", named("ConfigMap", "v1", data={"a": "b"}, binaryData={"c": "eA=="})),
    sent("POST", f"{CORE}/services", named("Service", "v1", spec={"ports": [{"port": 80}]})),
    sent("POST", f"{CORE}/secrets", named("Secret", "v1", stringData={"a": "b"})),
    sent("POST", "/api/v1/nodes", named("Node", "v1", status={"capacity": {"cpu": "4", "pods": "10"}})),
    sent(
        "POST", "/apis/apps/v1/namespaces/default/deployments", named("Deployment", "apps/v1", spec=SELECTED)
    ),
    sent(
        "POST",
        "/apis/batch/v1/namespaces/default/jobs",
        named("Job", "batch/v1", spec={"template": ENDING}),
    ),
    sent(
        "POST",
        "/apis/policy/v1/namespaces/default/poddisruptionbudgets",
        named("PodDisruptionBudget", "policy/v1", spec={"minAvailable": "50%", "selector": {}}),
    ),
    sent(
        "POST",
        "/apis/scheduling.k8s.io/v1/priorityclasses",
        named("PriorityClass", "scheduling.k8s.io/v1", value=7, preemptionPolicy="Never"),
    ),
    sent(
        "POST",
        "/apis/resource.k8s.io/v1/namespaces/default/resourceclaims",
        named(
            "ResourceClaim",
            "resource.k8s.io/v1",
            spec={"devices": {"requests": [{"name": "r", "exactly": {"deviceClassName": "gpu"}}]}},
        ),
    ),
    sent(
        "POST",
        "/apis/apiextensions.k8s.io/v1/customresourcedefinitions",
        {
            "metadata": {"name": "things.example.com"},
            "spec": {
                "group": "example.com",
                "scope": "Namespaced",
                "names": {"plural": "things", "singular": "thing", "kind": "Thing"},
                "versions": [
                    {
                        "name": "v1",
                        "served": True,
                        "storage": True,
                        "schema": {
                            "openAPIV3Schema": {"type": "object", "properties": {"a": {"type": "string"}}}
                        },
                    }
                ],
            },
        },
    ),
    sent("PUT", f"{CORE}/configmaps/kept", named("ConfigMap", "v1") | {"metadata": {"name": "kept"}}),
    patched(f"{CORE}/pods/kept", LABELLED, "merge"),
    patched(f"{CORE}/pods/kept", PATCH, "strategic-merge"),
    patched(f"{CORE}/pods/kept", named("Pod", "v1") | {"metadata": {"name": "kept"}}, "apply"),
    patched(
        f"{CORE}/pods/kept/status", {"status": {"conditions": [{"type": "X", "status": "True"}]}}, "merge"
    ),
    patched(f"{CORE}/configmaps/kept", [{"op": "add", "path": "/data/x", "value": "1"}], "json"),
    sent("POST", f"{CORE}/pods/kept/binding", {"metadata": {"name": "kept"}, "target": {"name": "n"}}),
    sent(
        "POST",
        f"{CORE}/pods/kept/eviction",
        {"metadata": {"name": "kept"}, "deleteOptions": {"dryRun": ["All"]}},
    ),
    sent("DELETE", f"{CORE}/pods/none", {"gracePeriodSeconds": 5, "preconditions": {"uid": "x"}}),
    Call("DELETE", f"{CORE}/secrets", (("labelSelector", "gone%3Dyes"),)),
)

WORDS = (
    *(
        "",
        "0",
        "-1",
        "1",
        "x",
        "true",
        "None",
        "\u0000",
        "é",
        "😀",
        "a" * 3000,
        "9" * 30,
        "1e9",
        "%",
        "%zz",
        "%ff",
        "%00",
    ),
    *(
        "..",
        ".",
        "a b",
        "a,b",
        "(",
        "((",
        "a in (",
        "!",
        "=",
        ",,",
        "a=b=c",
        "a>b",
        "\\",
        '"',
        "<script>",
        "{}",
        "[]",
    ),
    *(
        "metadata.name=x",
        "spec.nope=1",
        "Exact",
        "NotOlderThan",
        "All",
        "Strict",
        "Background",
        "eyJ2IjoiIn0",
    ),
)
PARAMETERS = (
    *("labelSelector", "fieldSelector", "limit", "continue", "resourceVersion", "resourceVersionMatch"),
    *("sendInitialEvents", "allowWatchBookmarks", "timeoutSeconds", "watch", "pretty", "includeObject"),
    *("dryRun", "fieldManager", "fieldValidation", "force", "gracePeriodSeconds", "propagationPolicy"),
    *("orphanDependents", "a" * 500),
)
MEDIA = (
    *(
        JSON,
        "application/yaml",
        "application/vnd.kubernetes.protobuf",
        "application/cbor",
        "text/plain",
        "",
        ";;",
    ),
    *(
        "application/merge-patch+json",
        "application/apply-patch+yaml",
        "application/json;charset=utf-16",
        "a/b/c",
    ),
    *(
        f"{JSON};as=Table;v=v1;g=meta.k8s.io",
        f"{JSON};as=Table;v=v9",
        "*/*",
        "application/json;q=x",
        ",,,",
        "\u00e9",
    ),
)
HEADERS = (
    *(
        "Accept",
        "Content-Type",
        "Accept-Encoding",
        "Content-Encoding",
        "Range",
        "If-Match",
        "Upgrade",
    ),
    *(
        "X-HTTP-Method-Override",
        "Impersonate-User",
        "User-Agent",
        "Cookie",
        "Content-Length",
        "Expect",
        "Host",
    ),
)
METHODS = ("GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS", "TRACE", "CONNECT", "FROB", "get")
SEGMENTS = (
    *(
        "",
        ".",
        "..",
        "%2e%2e",
        "%2f",
        "%00",
        "%ff",
        "UPPER",
        "a" * 300,
        "*",
        "watch",
        "proxy",
        "namespaces",
        "pods",
    ),
    *(
        "status",
        "scale",
        "binding",
        "eviction",
        "log",
        "exec",
        "resize",
        "finalize",
        "token",
        "nope",
        "é",
        "v1",
        "apis",
    ),
)

Fault = Callable[[Random, Call], Call]


def faulty(random: Random) -> Call:
    """A good request with one to three faults."""
    call = random.choice(CALLS)
    for _ in range(random.choice((1, 1, 2, 3))):
        call = random.choice(FAULTS)(random, call)
    return call


def _in_path(random: Random, call: Call) -> Call:
    parts = call.path.split("/")
    row = random.randrange(1, len(parts) + 1)
    change = random.choice(("replace", "insert", "drop"))
    parts[row : row + (change != "insert")] = (
        [] if change == "drop" else [quote(random.choice(SEGMENTS), "%*.")]
    )
    return replace(call, path="/".join(parts) or "/")


def _in_query(random: Random, call: Call) -> Call:
    value = quote(random.choice(WORDS), "%=,!()" if random.random() < 0.5 else "")
    query = [*call.query, (random.choice(PARAMETERS), value)]
    if call.query and random.random() < 0.5:  # it takes the place of one that is there
        row = random.randrange(len(call.query))
        query = [*call.query[:row], (call.query[row][0], value), *call.query[row + 1 :]]
    return replace(call, query=tuple(query))


def _in_method(random: Random, call: Call) -> Call:
    return replace(call, method=random.choice(METHODS))


def _in_headers(random: Random, call: Call) -> Call:
    name = random.choice(HEADERS)
    value = random.choice(MEDIA if name in ("Accept", "Content-Type") else WORDS)
    framing = name in ("Content-Length", "Expect", "Host") or not value.isprintable()
    return replace(call, headers={**call.headers, name: value}, rough=call.rough or framing)


def _in_tree(random: Random, call: Call) -> Call:
    """Another value, a field less, or one that is there twice."""
    try:
        tree = json.loads(call.body)
    except (ValueError, RecursionError):
        return _in_bytes(random, call)
    paths = [path for path in places(tree) if path]
    if not paths:
        return replace(call, body=json.dumps(random.choice(INTRUDERS)).encode())
    *above, last = random.choice(paths)
    parent = tree
    for step in above:
        parent = parent[step]
    chance = random.random()
    if chance < 0.2:
        del parent[last]
    elif chance < 0.3 and isinstance(parent, dict):
        parent[str(random.choice(WORDS))] = parent[last]
    else:
        parent[last] = random.choice(INTRUDERS)
    body = json.dumps(tree)
    if chance > 0.9:
        body = body.replace('"metadata":', '"metadata": {}, "metadata":', 1)
    return replace(call, body=body.encode())


def _in_bytes(random: Random, call: Call) -> Call:
    """Cut off, broken, nested, or in another encoding."""
    body, at = call.body, random.randrange(len(call.body) + 1)
    broken = (
        body[:at],
        body[:at] + bytes([random.randrange(256)]) + body[at + 1 :],
        body[:at] + random.choice((b"\xff", b"\x00", b"\\ud800", b"}", b"[", b",", b'"')) + body[at:],
        b"[" * random.choice((150, 5000, 100_000)),
        b'{"metadata":' * 400 + b"1" + b"}" * 400,
        b"&a [*a, *a]",
        b"a: &a {<<: *a}",
        b"%TAG ! tag:\n---\n!!python/object/apply:os.system [x]",
        b"k8s\x00" + random.randbytes(random.randrange(60)),
        body.decode("utf-8", "replace").encode("utf-16"),
        b"1e400",
        b"9" * 400,
        b"null",
        b'"x"',
        b"",
    )
    return replace(call, body=random.choice(broken))


def _in_framing(random: Random, call: Call) -> Call:
    length = random.choice(
        ("-1", "x", str(len(call.body) + 10), "0", "99999999999999999999", str(2**22), "+1")
    )
    if random.random() < 0.5:
        return replace(call, chunked=True)
    return replace(call, headers={**call.headers, "Content-Length": length}, rough=True)


def _unauthorized(random: Random, call: Call) -> Call:
    credentials = random.choice(("", "Bearer", "Bearer x", f"Basic {TOKEN}", f"Bearer {TOKEN}x", "Bearer é"))
    return replace(call, headers={**call.headers, "Authorization": credentials})


FAULTS: tuple[Fault, ...] = (
    *(_in_path, _in_query, _in_query, _in_headers, _in_tree, _in_tree, _in_tree, _in_bytes),
    *(_in_method, _in_framing, _unauthorized),
)
