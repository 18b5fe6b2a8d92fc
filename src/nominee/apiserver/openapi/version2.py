"""Everything in one document of OpenAPI version 2, for clients that know no other."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from nominee import __version__
from nominee.apiserver.kind import Kind
from nominee.apiserver.openapi.documented import documented
from nominee.apiserver.openapi.paths import JSON
from nominee.apiserver.openapi.schemas import Schemas, Types, sorted_schemas

_METHODS = ("get", "post", "put", "patch", "delete")


def document(served: Iterable[tuple[str, str, list[Kind]]], types: Types) -> Mapping[str, Any]:
    """The document of all kinds in all versions."""
    schemas = Schemas(place="#/definitions/", plain=True)
    paths = {
        path: _path_item(item)
        for group, version, kinds in served
        for kind in kinds
        for path, item in documented(schemas, kind, (group, version), types)
    }
    return {
        "swagger": "2.0",
        "info": {"title": "Kubernetes", "version": __version__},
        "paths": dict(sorted(paths.items())),
        "definitions": sorted_schemas(schemas.found),
    }


def _path_item(item: Mapping[str, Any]) -> dict[str, Any]:
    """A path as version 2 writes it."""
    operations = {method: _operation(item[method]) for method in _METHODS if method in item}
    places = [_parameter(each) for each in item.get("parameters", ())]
    return {**operations, "parameters": places} if places else operations


def _operation(operation: Mapping[str, Any]) -> dict[str, Any]:
    result = {key: value for key, value in operation.items() if key not in ("requestBody", "responses")}
    parameters = [_parameter(each) for each in operation.get("parameters", ())]
    body = operation.get("requestBody")
    if body:
        (media, content), *_ = body["content"].items()
        parameters.append({"in": "body", "name": "body", "required": True, "schema": content["schema"]})
        result["consumes"] = list(body["content"]) if media != "*/*" else ["*/*"]
    if parameters:
        result["parameters"] = parameters
    result["produces"] = [JSON, "application/yaml"]
    result["responses"] = {code: _response(response) for code, response in operation["responses"].items()}
    return result


def _parameter(parameter: Mapping[str, Any]) -> dict[str, Any]:
    rest = {key: value for key, value in parameter.items() if key != "schema"}
    return {**rest, **parameter["schema"]}


def _response(response: Mapping[str, Any]) -> dict[str, Any]:
    content = response.get("content", {}).get(JSON)
    described = {"description": response["description"]}
    return {**described, "schema": content["schema"]} if content else described
