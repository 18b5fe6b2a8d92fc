"""The examples of docs/writing-plugins.md run as they stand."""

from __future__ import annotations

import re
import sys
from pathlib import Path
from types import ModuleType

import pytest

PAGE = Path(__file__).parents[3] / "docs" / "writing-plugins.md"


def test_the_examples_for_plugin_authors_run(monkeypatch: pytest.MonkeyPatch) -> None:
    blocks = re.findall(r"^```python\n(.*?)^```", PAGE.read_text(), re.DOTALL | re.MULTILINE)
    assert len(blocks) > 4
    page = ModuleType("writing_plugins")
    monkeypatch.setitem(sys.modules, "writing_plugins", page)  # dataclasses look their module up
    exec(compile("\n".join(blocks), str(PAGE), "exec"), page.__dict__)
