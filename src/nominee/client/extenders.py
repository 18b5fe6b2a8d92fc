"""HTTP calls to scheduler extenders, in their own wire format.

Reproduces HTTPExtender (pkg/scheduler/extender.go) and the types of
staging/src/k8s.io/kube-scheduler/extender/v1/types.go, v1.37: keys are Go field names; as in Go, case
does not matter in what extenders answer. Nodes and victims are sent with the fields that a scheduler reads.
"""

from __future__ import annotations

import os
import ssl
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any, TypeVar

import aiohttp
import orjson

from nominee.client.access import Trust
from nominee.client.credentials import Certificate
from nominee.client.tls import tls_context
from nominee.config.types import Extender, ExtenderTLSConfig
from nominee.errors import ConfigError, NomineeError, TransportError, words_of
from nominee.framework import NodeObject, Pod
from nominee.model.codec import encode_object
from nominee.model.meta import ObjectMeta
from nominee.model.pod import Pod as PodObject
from nominee.scheduler.extenders import Refusal

Json = dict[str, Any]
T = TypeVar("T")
_TOO_LARGE = 1 << 40


class HttpExtenders:
    """One session for all extenders; `close` ends it."""

    def __init__(self, extenders: Sequence[Extender]) -> None:
        self._session = aiohttp.ClientSession()
        self._tls = {each.url_prefix: _tls(each, index) for index, each in enumerate(extenders)}

    async def close(self) -> None:
        await self._session.close()

    async def filter(
        self, extender: Extender, pod: Json, nodes: Mapping[str, NodeObject]
    ) -> tuple[Sequence[str], Mapping[str, Refusal]]:
        """The names of the nodes that will do, and what is said of others."""
        args = _args(extender, pod, nodes)
        return await self._post(
            extender, extender.filter_verb, args, lambda said: _filtered(extender, said, nodes)
        )

    async def prioritize(
        self, extender: Extender, pod: Json, nodes: Mapping[str, NodeObject]
    ) -> Mapping[str, int]:
        """A score by node name. It should be from 0 to 10, and upstream takes any."""
        return await self._post(extender, extender.prioritize_verb, _args(extender, pod, nodes), _scores)

    async def preempt(
        self, extender: Extender, pod: Json, candidates: Mapping[str, tuple[tuple[Pod, ...], int]]
    ) -> Mapping[str, tuple[tuple[str, ...], int]]:
        """The candidates that are left: by node, the victims' uids and how many break a budget."""
        args: Json = {"Pod": pod, "NodeNameToVictims": None, "NodeNameToMetaVictims": None}
        form = "NodeNameToMetaVictims" if extender.node_cache_capable else "NodeNameToVictims"
        args[form] = {
            name: {
                "Pods": [{"UID": v.uid} if extender.node_cache_capable else _pod(v) for v in victims],
                "NumPDBViolations": violations,
            }
            for name, (victims, violations) in candidates.items()
        }
        return await self._post(extender, extender.preempt_verb, args, _victims)

    async def bind(self, extender: Extender, pod: Pod, node_name: str) -> None:
        """Bind the pod in the scheduler's stead."""
        args = {"PodName": pod.name, "PodNamespace": pod.namespace, "PodUID": pod.uid, "Node": node_name}
        await self._post(extender, extender.bind_verb, args, lambda said: _Fields(said).raise_error())

    # -- the call -------------------------------------------------------------------------------

    async def _post(self, extender: Extender, verb: str, args: Json, read: Callable[[Any], T]) -> T:
        url = f"{extender.url_prefix.rstrip('/')}/{verb}"
        limit = aiohttp.ClientTimeout(total=extender.http_timeout.seconds or None)
        try:
            async with self._session.post(
                url,
                data=orjson.dumps(args),
                headers={"Content-Type": "application/json"},
                ssl=self._tls.get(extender.url_prefix) or True,
                server_hostname=extender.tls_config.server_name or None if extender.tls_config else None,
                timeout=limit,
            ) as response:
                body = await response.read()
                if response.status != 200:
                    raise NomineeError(f"failed {verb} with extender at URL {url}, code {response.status}")
        except (aiohttp.ClientError, TimeoutError, OSError) as error:
            raise TransportError(f'Post "{url}": {_why(error)}') from error
        try:
            return read(orjson.loads(body))
        except (ValueError, TypeError, KeyError, AttributeError) as error:  # whatever it is, no Go reads it
            raise NomineeError(f"extender at {url} gave a malformed answer: {error}") from None


def _why(error: Exception) -> str:
    """What went wrong, in the words of Go's HTTP client, which people know from pods' conditions."""
    if isinstance(error, TimeoutError):
        return "context deadline exceeded (Client.Timeout exceeded while awaiting headers)"
    if isinstance(error, aiohttp.ClientConnectorCertificateError):
        return f"tls: {error.certificate_error}"
    if isinstance(error, aiohttp.ClientConnectorError):
        cause = error.os_error
        if isinstance(cause, ssl.SSLError) or not cause.errno or cause.errno < 0:
            return str(cause.strerror or words_of(cause)).lower()
        return f"dial tcp {error.host}:{error.port}: connect: {os.strerror(cause.errno).lower()}"
    return words_of(error)


class _Fields:
    """An answer's fields by name, whatever their case."""

    def __init__(self, answer: Any) -> None:
        answer = {} if answer is None else answer  # Go reads null as nothing said
        if not isinstance(answer, dict):
            raise NomineeError(f"an extender answered with {type(answer).__name__} where an object is due")
        self._fields = {key.lower(): value for key, value in answer.items()}

    def get(self, name: str) -> Any:
        return self._fields.get(name.lower())

    def mapping(self, name: str) -> Mapping[str, Any]:
        value = self.get(name)
        if value is not None and not isinstance(value, dict):
            raise NomineeError(f"an extender answered with {name} that is no object")
        return value or {}

    def raise_error(self) -> None:
        if error := self.get("Error"):
            raise NomineeError(str(error))


def _filtered(
    extender: Extender, answer: Any, nodes: Mapping[str, NodeObject]
) -> tuple[Sequence[str], Mapping[str, Refusal]]:
    said = _Fields(answer)
    said.raise_error()
    refused = {name: Refusal(str(text)) for name, text in said.mapping("FailedNodes").items()}
    hard = said.mapping("FailedAndUnresolvableNodes")
    refused |= {name: Refusal(str(text), unresolvable=True) for name, text in hard.items()}
    return _feasible(extender, said, nodes), refused


def _scores(answer: Any) -> dict[str, int]:
    scores: dict[str, int] = {}
    if not isinstance(answer, list | None):
        raise TypeError("expected a list of hosts and scores")
    for entry in answer or ():
        fields = _Fields(entry)
        name, score = str(fields.get("Host")), _whole(fields.get("Score"))
        scores[name] = scores.get(name, 0) + score
    return scores


def _victims(answer: Any) -> dict[str, tuple[tuple[str, ...], int]]:
    left = {}
    for name, entry in _Fields(answer).mapping("NodeNameToMetaVictims").items():
        fields = _Fields(entry)
        pods = (str(_Fields(victim).get("UID")) for victim in fields.get("Pods") or ())
        left[name] = tuple(pods), _whole(fields.get("NumPDBViolations"))
    return left


def _whole(number: Any) -> int:
    """A whole number; Go takes null for 0. Weighted sums of these must stay within 64 bits."""
    if number is None:
        return 0
    if type(number) is not int or abs(number) >= _TOO_LARGE:
        raise TypeError(f"{number!r} is no whole number of a usual size")
    return number


def _feasible(extender: Extender, said: _Fields, nodes: Mapping[str, NodeObject]) -> list[str]:
    names = said.get("NodeNames")
    if extender.node_cache_capable and names is not None:
        for name in names:
            if name not in nodes:
                message = f'claims a filtered node "{name}" which is not found in the input node list'
                raise NomineeError(f'extender "{extender.url_prefix}" {message}')
        return list(names)
    listed = said.mapping("Nodes").get("items") or ()
    return [str(item["metadata"]["name"]) for item in listed if isinstance(item, dict) and "metadata" in item]


def _args(extender: Extender, pod: Json, nodes: Mapping[str, NodeObject]) -> Json:
    if extender.node_cache_capable:
        return {"Pod": pod, "Nodes": None, "NodeNames": list(nodes)}
    items = [encode_object(node) for node in nodes.values()]
    return {"Pod": pod, "Nodes": {"metadata": {}, "items": items}, "NodeNames": None}


def _pod(pod: Pod) -> Json:
    meta = ObjectMeta(
        name=pod.name,
        namespace=pod.namespace,
        uid=pod.uid,
        labels=dict(pod.labels),
        annotations=dict(pod.annotations),
    )
    return encode_object(PodObject(metadata=meta, spec=pod.spec, status=pod.status))


def _tls(extender: Extender, index: int) -> ssl.SSLContext | None:
    """How to trust an extender: without a certificate authority anybody is, as upstream has it."""
    if not extender.enable_https and not extender.url_prefix.startswith("https:"):
        return None
    config, field = extender.tls_config or ExtenderTLSConfig(), f"extenders[{index}].tlsConfig"
    try:
        authorities = config.ca_data.decode() or _read(config.ca_file)
        chain = config.cert_data.decode() or _read(config.cert_file)
        key = config.key_data.decode() or _read(config.key_file)
        trust = Trust(authorities=authorities, insecure=config.insecure or not authorities)
        return tls_context(trust, Certificate(chain, key) if chain else None)
    except (OSError, UnicodeDecodeError) as error:
        raise ConfigError(str(error), field=field) from error
    except ConfigError as error:
        raise error.at(field=field) from None


def _read(path: str) -> str:
    return Path(path).read_text() if path else ""
