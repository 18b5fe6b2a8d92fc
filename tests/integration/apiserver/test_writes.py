"""Objects come, change and go; everything that is wrong is told in Kubernetes' words."""

from typing import Any

import pytest

MAPS = "/api/v1/namespaces/default/configmaps"
PODS = "/api/v1/namespaces/default/pods"


def a_map(name: str, **data: str) -> dict[str, Any]:
    return {"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": name}, "data": data}


def a_pod(name: str, **spec: Any) -> dict[str, Any]:
    containers = [{"name": "c", "image": "i"}]
    return {"metadata": {"name": name}, "spec": {"containers": containers, **spec}}


async def test_an_object_lives_and_dies(client: Any) -> None:
    created = await client.post(MAPS, a_map("a", x="1"))
    assert (created.status, created.json["data"]) == (201, {"x": "1"})
    changed = await client.put(f"{MAPS}/a", {**created.json, "data": {"x": "2"}})
    assert changed.status == 200
    assert int(changed.json["metadata"]["resourceVersion"]) > int(created.json["metadata"]["resourceVersion"])
    assert (await client.get(f"{MAPS}/a")).json == changed.json
    gone = await client.delete(f"{MAPS}/a")
    assert (gone.status, gone.json["status"]) == (200, "Success")
    assert gone.json["details"]["uid"] == created.json["metadata"]["uid"]
    assert (await client.get(f"{MAPS}/a")).json["message"] == 'configmaps "a" not found'


async def test_a_deleted_pod_is_shown_once_more(client: Any) -> None:
    await client.post(PODS, a_pod("p"))
    reply = await client.delete(f"{PODS}/p")
    assert (reply.status, reply.json["kind"], reply.json["metadata"]["name"]) == (200, "Pod", "p")


async def test_who_read_too_early_gets_a_conflict(client: Any) -> None:
    first = (await client.post(MAPS, a_map("a"))).json
    await client.put(f"{MAPS}/a", {**first, "data": {"x": "1"}})
    reply = await client.put(f"{MAPS}/a", {**first, "data": {"x": "2"}})
    assert (reply.status, reply.json["reason"]) == (409, "Conflict")
    assert reply.json["message"].endswith("please apply your changes to the latest version and try again")
    assert reply.json["details"] == {"name": "a", "kind": "configmaps"}


@pytest.mark.parametrize(
    ("body", "status", "message"),
    [
        (
            b"{",
            400,
            (
                "the object provided is unrecognized (must be of type ConfigMap): couldn't get version/kind; "
                "json parse error: unexpected end of JSON input ({)"
            ),
        ),
        (
            b"",
            400,
            (
                "the object provided is unrecognized (must be of type ConfigMap): couldn't get version/kind; "
                "json parse error: unexpected end of JSON input (<empty>)"
            ),
        ),
        (
            {"kind": "Secret"},
            400,
            (
                'Secret in version "v1" cannot be handled as a ConfigMap: converting (v1.Secret) to '
                "(core.ConfigMap): unknown conversion"
            ),
        ),
        (
            {"apiVersion": "v2", "kind": "ConfigMap"},
            400,
            (
                'ConfigMap in version "v2" cannot be handled as a ConfigMap: no kind "ConfigMap" is '
                'registered for version "v2" in scheme "pkg/runtime/scheme.go:111"'
            ),
        ),
        (
            {"metadata": {"name": "a", "namespace": "away"}},
            400,
            "the namespace of the provided object does not match the namespace sent on the request",
        ),
        (
            {"metadata": {"name": "A"}},
            422,
            (
                'ConfigMap "A" is invalid: metadata.name: Invalid value: "A": a lowercase RFC 1123 subdomain '
                "must consist of lower case alphanumeric characters, '-' or '.', and must start and end with "
                "an alphanumeric character (e.g. 'example.com', regex used for validation is "
                "'[a-z0-9]([-a-z0-9]*[a-z0-9])?(\\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*')"
            ),
        ),
        (
            {"metadata": {"name": "a"}, "data": {"x": 1}},
            400,
            (
                'ConfigMap in version "v1" cannot be handled as a ConfigMap: json: cannot unmarshal number '
                "into Go struct field ConfigMap.data of type string"
            ),
        ),
        (
            {},
            422,
            'ConfigMap "" is invalid: metadata.name: Required value: name or generateName is required',
        ),
    ],
)
async def test_what_can_not_be_created(client: Any, body: Any, status: int, message: str) -> None:
    reply = await client.post(MAPS, body, Content_Type="application/json")
    assert (reply.status, reply.json["message"]) == (status, message)
    assert (reply.json["kind"], reply.json["code"]) == ("Status", status)


@pytest.mark.parametrize("media", ["application/cbor", "text/plain", "multipart/form-data"])
async def test_a_language_that_is_not_read_is_refused(client: Any, media: str) -> None:
    reply = await client.post(MAPS, b"x", Content_Type=media)
    assert reply.status == 415
    assert reply.json["message"] == (
        "the body of the request was in an unknown format - accepted media types include: "
        "application/json, application/yaml, application/vnd.kubernetes.protobuf"
    )


async def test_yaml_is_read(client: Any) -> None:
    body = b"kind: ConfigMap\nmetadata: {name: a}\ndata: {since: '2001-01-01', x: z}\n"
    reply = await client.post(MAPS, body, Content_Type="application/yaml")
    assert (reply.status, reply.json["data"]) == (201, {"since": "2001-01-01", "x": "z"})


async def test_a_yaml_is_read_as_go_reads_it(client: Any) -> None:
    body = b"kind: ConfigMap\nmetadata: {name: a}\ndata: {x: y}\n"
    reply = await client.post(MAPS, body, Content_Type="application/yaml")
    assert (reply.status, reply.json["reason"]) == (400, "BadRequest")


async def test_a_yaml_that_explodes_does_not(client: Any) -> None:
    lines = ["a0: &a0 [x, x, x, x, x, x, x, x, x, x]"]
    lines += [f"a{n}: &a{n} [{', '.join([f'*a{n - 1}'] * 10)}]" for n in range(1, 9)]
    reply = await client.post(MAPS, "\n".join(lines).encode(), Content_Type="application/yaml")
    assert reply.status == 400


async def test_fields_nobody_knows_are_told_or_refused(client: Any) -> None:
    body = b'{"metadata":{"name":"a"},"foo":1,"data":{"x":"1","x":"2"}}'
    warned = await client.post(MAPS, body, Content_Type="application/json")
    assert warned.status == 201
    assert warned.json["data"] == {"x": "2"}
    assert warned.headers.getall("Warning") == [
        '299 - "duplicate field \\"data.x\\""',
        '299 - "unknown field \\"foo\\""',
    ]
    strict = await client.post(f"{MAPS}?fieldValidation=Strict", body, Content_Type="application/json")
    assert strict.status == 400
    assert strict.json["message"] == (
        'ConfigMap in version "v1" cannot be handled as a ConfigMap: strict decoding error: '
        'duplicate field "data.x", unknown field "foo"'
    )
    await client.delete(f"{MAPS}/a")
    ignored = await client.post(f"{MAPS}?fieldValidation=Ignore", body, Content_Type="application/json")
    assert "Warning" not in ignored.headers


async def test_what_is_refused_for_another_reason_is_warned_of_all_the_same(client: Any) -> None:
    refused = await client.post(MAPS, {"metadata": {"name": "A"}, "foo": 1})
    assert refused.status == 422
    assert refused.headers.getall("Warning") == ['299 - "unknown field \\"foo\\""']


@pytest.mark.parametrize(
    ("query", "message"),
    [
        ("fieldValidation=Maybe", 'fieldValidation: Unsupported value: "Maybe"'),
        ("dryRun=Some", 'dryRun: Unsupported value: ["Some"]: supported values: "All"'),
        (f"fieldManager={'x' * 129}", "fieldManager: Too long: may not be more than 128 bytes"),
        ("fieldManager=%00", "fieldManager: Invalid value"),
    ],
)
async def test_options_are_looked_at(client: Any, query: str, message: str) -> None:
    reply = await client.post(f"{MAPS}?{query}", a_map("a"))
    assert reply.status == 422
    assert message in reply.json["message"]
    assert reply.json["details"]["kind"] == "CreateOptions"


async def test_a_dry_run_leaves_nothing(client: Any) -> None:
    assert (await client.post(f"{MAPS}?dryRun=All", a_map("a"))).status == 201
    assert (await client.get(f"{MAPS}/a")).status == 404


async def test_patches_in_three_languages(client: Any) -> None:
    await client.post(PODS, a_pod("p"))
    merged = await client.patch(f"{PODS}/p", {"metadata": {"labels": {"a": "1"}}})
    assert merged.json["metadata"]["labels"] == {"a": "1"}
    operations = [{"op": "add", "path": "/metadata/labels/b", "value": "2"}]
    listed = await client.patch(f"{PODS}/p", operations, "json")
    assert listed.json["metadata"]["labels"] == {"a": "1", "b": "2"}
    change = {"spec": {"containers": [{"name": "c", "image": "j"}]}}
    strategic = await client.patch(f"{PODS}/p", change, "strategic-merge")
    assert strategic.json["spec"]["containers"][0]["image"] == "j"
    assert strategic.json["spec"]["containers"][0]["imagePullPolicy"] == "Always"


async def test_a_patch_of_the_status_is_of_the_status(client: Any) -> None:
    await client.post(PODS, a_pod("p"))
    change = {"spec": {"nodeName": "n"}, "status": {"phase": "Running"}}
    reply = await client.patch(f"{PODS}/p/status", change, "strategic-merge")
    assert reply.json["status"]["phase"] == "Running"
    assert "nodeName" not in reply.json["spec"]


@pytest.mark.parametrize(
    ("kind", "body", "status"),
    [
        ("merge", b"{", 400),
        ("merge", b"[]", 400),
        ("json", b"{}", 400),
        ("json", b'[{"op":"remove","path":"/no/where"}]', 422),
        ("strategic-merge", b'{"spec":5}', 422),
        ("merge", b'{"metadata":{"name":"q"}}', 400),
        ("merge", b'{"metadata":{"resourceVersion":"1"}}', 409),
        ("merge", b'{"kind":"Node"}', 400),
        ("merge", b'{"spec":{"containers":"none"}}', 422),
        ("unheard-of", b"{}", 415),
    ],
)
async def test_patches_that_can_not_be(client: Any, kind: str, body: bytes, status: int) -> None:
    await client.post(PODS, a_pod("p"))
    reply = await client.patch(f"{PODS}/p", body, kind)
    assert (reply.status, reply.json["kind"]) == (status, "Status")


async def test_a_pod_is_bound_once(client: Any) -> None:
    await client.post(PODS, a_pod("p"))
    binding = {"metadata": {"name": "p"}, "target": {"kind": "Node", "name": "n"}}
    assert (await client.post(f"{PODS}/p/binding", binding)).status == 201
    assert (await client.get(f"{PODS}/p")).json["spec"]["nodeName"] == "n"
    again = await client.post("/api/v1/namespaces/default/bindings", binding)
    assert (again.status, again.json["reason"]) == (409, "Conflict")


async def test_a_number_of_replicas_is_read_and_set(client: Any) -> None:
    template = {"metadata": {"labels": {"a": "b"}}, "spec": a_pod("p")["spec"]}
    spec = {"selector": {"matchLabels": {"a": "b"}}, "template": template, "replicas": 2}
    path = "/apis/apps/v1/namespaces/default/deployments"
    await client.post(path, {"metadata": {"name": "d"}, "spec": spec})
    scale = (await client.get(f"{path}/d/scale")).json
    assert (scale["kind"], scale["spec"], scale["status"]) == (
        "Scale",
        {"replicas": 2},
        {"replicas": 0, "selector": "a=b"},
    )
    scale["spec"]["replicas"] = 3
    assert (await client.put(f"{path}/d/scale", scale)).json["spec"]["replicas"] == 3
    assert (await client.patch(f"{path}/d/scale", {"spec": {"replicas": 4}})).status == 200
    assert (await client.get(f"{path}/d")).json["spec"]["replicas"] == 4
    assert (await client.patch(f"{path}/d/scale", {"spec": {"replicas": -1}})).status == 422
    assert (await client.patch(f"{path}/d/scale", {"spec": {"replicas": "x"}})).status == 400


async def test_logs_are_refused_in_a_line(client: Any) -> None:
    await client.post(PODS, a_pod("p"))
    reply = await client.get(f"{PODS}/p/log")
    assert reply.status == 501
    assert reply.json["message"].startswith("logs are not available here: ")
    assert (await client.get(f"{PODS}/q/log")).json["message"] == 'pods "q" not found'


async def test_deletion_takes_options(client: Any) -> None:
    stored = (await client.post(MAPS, a_map("a"))).json
    options = {"preconditions": {"uid": "other"}}
    assert (await client.delete(f"{MAPS}/a", options)).status == 409
    both = {"orphanDependents": True, "propagationPolicy": "Orphan"}
    assert (await client.delete(f"{MAPS}/a", both)).status == 422
    assert (await client.delete(f"{MAPS}/a", {"gracePeriodSeconds": "x"})).status == 400
    assert (await client.delete(f"{MAPS}/a", b"[]", Content_Type="application/json")).status == 400
    assert (await client.delete(f"{MAPS}/a?dryRun=All")).status == 200
    kept = await client.delete(f"{MAPS}/a?propagationPolicy=Foreground")
    assert kept.json["metadata"]["finalizers"] == ["foregroundDeletion"]
    exact = {"preconditions": {"uid": stored["metadata"]["uid"]}}
    assert (await client.delete(f"{MAPS}/a", exact)).status == 200


async def test_a_collection_is_deleted_by_selector(client: Any) -> None:
    for name in ("a", "b"):
        item = a_map(name)
        item["metadata"]["labels"] = {"is": name}
        await client.post(MAPS, item)
    reply = await client.delete(f"{MAPS}?labelSelector=is%3Da")
    assert [item["metadata"]["name"] for item in reply.json["items"]] == ["a"]
    assert (await client.get(f"{MAPS}/b")).status == 200


async def test_an_update_without_a_version_replaces_what_is_there(client: Any) -> None:
    await client.post(MAPS, {"metadata": {"name": "m"}, "data": {"a": "1"}})
    reply = await client.put(f"{MAPS}/m", {"metadata": {"name": "m"}, "data": {"b": "2"}})
    assert (reply.status, reply.json["data"]) == (200, {"b": "2"})


async def test_what_is_empty_is_left_out(client: Any) -> None:
    """As Go's types have it: no one can tell an empty list from none."""
    metadata = {"name": "m", "labels": {}, "finalizers": []}
    reply = await client.post(MAPS, {"metadata": metadata, "data": {}})
    assert "data" not in reply.json
    assert not {"labels", "finalizers"} & reply.json["metadata"].keys()


@pytest.mark.parametrize("field", [{"uid": "other"}, {"deletionTimestamp": "2020-01-01T00:00:00Z"}])
async def test_a_patch_can_not_change_what_is_the_servers(client: Any, field: dict[str, str]) -> None:
    await client.post(MAPS, {"metadata": {"name": "m"}})
    reply = await client.patch(f"{MAPS}/m", {"metadata": field})
    assert reply.status == 422
    [cause] = reply.json["details"]["causes"]
    assert cause["field"] == f"metadata.{next(iter(field))}"
    assert cause["message"].endswith("field is immutable")


async def test_a_patch_can_not_take_the_name_away(client: Any) -> None:
    await client.post(MAPS, {"metadata": {"name": "m"}})
    reply = await client.patch(f"{MAPS}/m", {"metadata": None})
    assert (reply.status, reply.json["message"]) == (
        400,
        "the name of the object (m based on URL) was undeterminable: name must be provided",
    )


async def test_characters_that_are_none_become_the_replacement_character(client: Any) -> None:
    body = b'{"metadata": {"name": "m"}, "data": {"a": "\xff", "b": "\\ud800"}}'
    reply = await client.post(MAPS, body, Content_Type="application/json")
    assert (reply.status, reply.json["data"]) == (201, {"a": "\ufffd", "b": "\ufffd"})


async def test_of_several_yaml_documents_the_first_counts(client: Any) -> None:
    body = b"metadata: {name: !ours m}\n---\nmetadata: {name: n}\n"
    reply = await client.post(MAPS, body, Content_Type="application/yaml")
    assert (reply.status, reply.json["metadata"]["name"]) == (201, "m")


@pytest.mark.parametrize("path", ["/api/v1/pods", "/api/v1/namespaces"])
async def test_nobody_deletes_everything_at_once(client: Any, path: str) -> None:
    assert (await client.delete(path)).status == 405


@pytest.mark.parametrize("verb", ["Binding", "Eviction"])
async def test_a_binding_and_an_eviction_say_whose_they_are(client: Any, verb: str) -> None:
    await client.post(PODS, a_pod("p"))
    reply = await client.post(f"{PODS}/p/{verb.lower()}", {"target": {"name": "n"}})
    assert (reply.status, reply.json["message"]) == (400, f"name in URL does not match name in {verb} object")


async def test_a_binding_with_an_unknown_field_is_refused_if_that_is_wanted(client: Any) -> None:
    await client.post(PODS, a_pod("p"))
    binding = {"metadata": {"name": "p"}, "target": {"name": "n", "nope": 1}}
    reply = await client.post(f"{PODS}/p/binding?fieldValidation=Strict", binding)
    assert (reply.status, 'unknown field "target.nope"' in reply.json["message"]) == (400, True)


async def test_the_address_of_a_service_is_one(client: Any) -> None:
    spec = {"clusterIP": "somewhere", "ports": [{"port": 80}]}
    reply = await client.post(
        "/api/v1/namespaces/default/services", {"metadata": {"name": "s"}, "spec": spec}
    )
    assert reply.status == 422
    assert reply.json["details"]["causes"][0]["field"] == "spec.clusterIPs[0]"


async def test_head_is_no_verb_of_resources(client: Any) -> None:
    reply = await client.ask("HEAD", PODS)
    assert (reply.status, reply.body) == (405, b"")


@pytest.mark.parametrize("media", ["application/yaml", "application/apply-patch+yaml", "application/json"])
@pytest.mark.parametrize("opening", ["[", "{a: ", "- ", "? "])
async def test_what_is_nested_without_end_is_refused(client: Any, media: str, opening: str) -> None:
    """Composing it would end the process, not just the request."""
    method, path = ("PATCH", f"{MAPS}/m?fieldManager=f") if "patch" in media else ("POST", MAPS)
    reply = await client.ask(method, path, opening.encode() * 100_000, Content_Type=media)
    assert (reply.status, reply.json["reason"]) == (400, "BadRequest")


async def test_references_that_grow_without_end_are_refused(client: Any) -> None:
    levels = "".join(f"a{level + 1}: &a{level + 1} {{<<: [*a{level}, *a{level}]}}\n" for level in range(40))
    body = f"a0: &a0 {{k: v}}\n{levels}".encode()
    reply = await client.post(MAPS, body, Content_Type="application/yaml")
    assert reply.status == 400
    assert "grows too large" in reply.json["message"]


async def test_a_field_of_the_first_level_that_is_there_twice_is_told(client: Any) -> None:
    """Even where the object does not say of what kind it is, which the server then adds."""
    body = b'{"metadata": {"name": "a"}, "metadata": {"name": "b"}}'
    reply = await client.post(MAPS, body, Content_Type="application/json")
    assert (reply.status, reply.json["metadata"]["name"]) == (201, "b")
    assert reply.headers["Warning"] == '299 - "duplicate field \\"metadata\\""'


DEPLOYMENTS = "/apis/apps/v1/namespaces/default/deployments"


def a_deployment(**spec: Any) -> dict[str, Any]:
    template = {"metadata": {"labels": {"a": "b"}}, "spec": {"containers": [{"name": "c", "image": "i"}]}}
    spec = {"replicas": 1, "selector": {"matchLabels": {"a": "b"}}, "template": template, **spec}
    return {"apiVersion": "apps/v1", "kind": "Deployment", "metadata": {"name": "d"}, "spec": spec}


async def test_whoever_scales_owns_the_number_through_the_subresource(client: Any) -> None:
    await client.post(f"{DEPLOYMENTS}?fieldManager=maker", a_deployment())
    await client.patch(f"{DEPLOYMENTS}/d/scale?fieldManager=scaler", {"spec": {"replicas": 4}})
    managers = (await client.get(f"{DEPLOYMENTS}/d")).json["metadata"]["managedFields"]
    assert managers[0] == {
        "manager": "scaler",
        "operation": "Update",
        "apiVersion": "apps/v1",
        "fieldsType": "FieldsV1",
        "fieldsV1": {"f:spec": {"f:replicas": {}}},
        "subresource": "scale",
    }
    assert "f:replicas" not in managers[1]["fieldsV1"]["f:spec"]
    refused = await client.patch(f"{DEPLOYMENTS}/d?fieldManager=applier", a_deployment(replicas=2), "apply")
    assert refused.json["message"] == (
        'Apply failed with 1 conflict: conflict with "scaler" with subresource "scale" using apps/v1: '
        ".spec.replicas"
    )


async def test_a_scale_can_be_applied(client: Any) -> None:
    await client.post(DEPLOYMENTS, a_deployment())
    scale = {
        "apiVersion": "autoscaling/v1",
        "kind": "Scale",
        "metadata": {"name": "d"},
        "spec": {"replicas": 9},
    }
    applied = await client.patch(f"{DEPLOYMENTS}/d/scale?fieldManager=m", scale, "apply")
    assert applied.json["spec"] == {"replicas": 9}


async def test_a_scale_is_a_table_for_whoever_asks(client: Any) -> None:
    await client.post(DEPLOYMENTS, a_deployment(replicas=3))
    form = "application/json;as=Table;v=v1;g=meta.k8s.io"
    table = (await client.get(f"{DEPLOYMENTS}/d/scale", Accept=form)).json
    assert [column["name"] for column in table["columnDefinitions"]] == [
        "Name",
        "Desired",
        "Available",
        "Age",
    ]
    assert table["rows"][0]["cells"][:3] == ["d", 3, 0]
    assert table["rows"][0]["object"]["kind"] == "PartialObjectMetadata"


async def test_annotations_of_a_deployment_count_as_a_change_of_it(client: Any) -> None:
    await client.post(DEPLOYMENTS, a_deployment())
    labelled = await client.patch(f"{DEPLOYMENTS}/d", {"metadata": {"labels": {"a": "b"}}})
    annotated = await client.patch(f"{DEPLOYMENTS}/d", {"metadata": {"annotations": {"a": "b"}}})
    assert [one.json["metadata"]["generation"] for one in (labelled, annotated)] == [1, 2]


async def test_a_service_leaves_behind_what_only_its_old_type_needs(client: Any) -> None:
    services = "/api/v1/namespaces/default/services"
    spec = {"type": "LoadBalancer", "loadBalancerClass": "a/b", "ports": [{"port": 80, "nodePort": 30080}]}
    assert (await client.post(services, {"metadata": {"name": "s"}, "spec": spec})).status == 201
    changed = await client.patch(f"{services}/s", {"spec": {"type": "ClusterIP"}})
    assert changed.status == 200, changed.text
    left = changed.json["spec"]
    assert left["ports"] == [{"port": 80, "targetPort": 80, "protocol": "TCP"}]
    assert not {"loadBalancerClass", "allocateLoadBalancerNodePorts", "externalTrafficPolicy"} & set(left)
    assert left["clusterIP"]
    named = {"type": "ExternalName", "externalName": "a.example"}
    assert "clusterIP" not in (await client.patch(f"{services}/s", {"spec": named})).json["spec"]


async def test_a_port_that_its_new_type_can_not_have_is_refused(client: Any) -> None:
    services = "/api/v1/namespaces/default/services"
    spec = {"type": "NodePort", "ports": [{"port": 80, "nodePort": 30080}]}
    await client.post(services, {"metadata": {"name": "s"}, "spec": spec})
    spec = {"type": "ClusterIP", "ports": [{"port": 80, "nodePort": 30081}]}
    refused = await client.patch(f"{services}/s", {"spec": spec})
    assert refused.json["details"]["causes"][0]["field"] == "spec.ports[0].nodePort"
