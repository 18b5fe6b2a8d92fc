"""Bodies of answers: JSON, pretty JSON, YAML."""

from __future__ import annotations

from typing import Any

import orjson
import yaml

from nominee.apiserver.http.accept import YAML, Form
from nominee.apiserver.http.message import JSON, Answer, Request
from nominee.model.kubernetes_yaml import KubernetesDumper

_BROWSERS = ("curl", "Wget", "Mozilla/5.0")


class _PlainDumper(KubernetesDumper):
    """Writes what occurs twice twice, where YAML would write a reference."""

    def ignore_aliases(self, data: Any) -> bool:
        return True


def is_pretty(request: Request) -> bool:
    """Whether somebody reads this: they ask for it, or it is a browser."""
    pretty = request.query.get("pretty")
    if pretty:
        return pretty[0].lower() not in ("0", "false")
    return request.headers.get("user-agent", "").startswith(_BROWSERS)


def answer_json(request: Request, body: bytes, form: Form, status: int = 200) -> Answer:
    """An answer out of JSON that is there already."""
    if form.yaml:
        return Answer(status, _yaml(orjson.loads(body)), YAML)
    if is_pretty(request):
        body = orjson.dumps(orjson.loads(body), option=orjson.OPT_INDENT_2) + b"\n"
    return Answer(status, body, JSON)


def answer_tree(request: Request, tree: Any, form: Form, status: int = 200) -> Answer:
    """An answer out of a tree."""
    if form.yaml:
        return Answer(status, _yaml(tree), YAML)
    return answer_json(request, orjson.dumps(tree), form, status)


def _yaml(tree: Any) -> bytes:
    text: str = yaml.dump(tree, Dumper=_PlainDumper, default_flow_style=False, allow_unicode=True)
    return text.encode()
