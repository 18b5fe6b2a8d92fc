"""Every object of the published decision vectors decodes and passes validation."""

import gzip
import json
import os
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from nominee.model.codec import decode_object

_BESIDE_CHECKOUT = Path(__file__).resolve().parents[3] / "shared"
VECTORS = Path(os.environ.get("NOMINEE_SHARED", _BESIDE_CHECKOUT)) / "vectors"
FILES = sorted(VECTORS.glob("*.jsonl.gz"))

pytestmark = pytest.mark.skipif(
    not FILES, reason=f"no decision vectors in {VECTORS}; NOMINEE_SHARED names the folder that holds them"
)


def _objects(path: Path) -> Iterator[dict[str, Any]]:
    with gzip.open(path) as lines:
        for line in lines:
            vector = json.loads(line)
            yield from (*vector["objects"], vector["pod"])


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.name.partition(".")[0])
def test_all_objects_of_a_theme_decode(path: Path) -> None:
    for item in _objects(path):
        decoded = decode_object(item, path.name)
        assert decoded.name == item["metadata"]["name"]
        assert item["kind"] == decoded.KIND
