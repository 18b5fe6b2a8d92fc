"""Cases that somebody got wrong: real ones with random JSON nodes dropped, replaced, moved or doubled."""

import json
from collections.abc import Iterator
from random import Random
from typing import Any

Path = tuple[str | int, ...]

# Of every type, and of every kind of text that some field would take.
INTRUDERS: tuple[Any, ...] = (
    *(None, True, False, 0, -1, 1, 3.5, 1e300, 2**70, -(2**63)),
    *("", "x", "-1", "1e400", "9" * 60, "NaN", "100m", "1Ei", "99999999999Ei", "1Ki", "é\u0000", "😀"),
    *("2024-01-01T00:00:00Z", "node-01", "In", "Gt", "NoSchedule"),
    *([], [None], [{}], ["a"], [[]], {}, {"a": None}, {"": ""}, {"a": "b"}, {"a": [1]}),
)


def places(value: Any, path: Path = ()) -> Iterator[Path]:
    """The path of every JSON node."""
    yield path
    steps = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    for step, item in steps:
        yield from places(item, (*path, step))


def mutate(random: Random, case: dict[str, Any]) -> dict[str, Any]:
    """A copy of the case with one to three faults."""
    case = json.loads(json.dumps(case))
    for _ in range(random.choice((1, 1, 1, 2, 3))):
        if path := _choose(random, case):
            _spoil(random, case, path)
    return case


def _choose(random: Random, case: dict[str, Any]) -> Path:
    """A place in the pod, the configuration or one object: each as likely as another, whatever its size."""
    roots = [key for key in ("pod", "config", "objects") if key in case]
    root = random.choice(roots) if roots else ""
    objects = case.get(root)
    if root == "objects" and isinstance(objects, list) and objects and random.random() < 0.95:
        i = random.randrange(len(objects))
        return random.choice([(root, i, *path) for path in places(objects[i])])
    return random.choice([(root, *path) for path in places(objects)]) if root else ()


def _spoil(random: Random, case: dict[str, Any], path: Path) -> None:
    parent: Any = case
    for step in path[:-1]:
        parent = parent[step]
    step, chance = path[-1], random.random()
    if chance < 0.2:
        del parent[step]
    elif chance < 0.8:
        parent[step] = random.choice(INTRUDERS)
    elif isinstance(parent, dict):
        parent[random.choice(("x", "metadata", "spec", "name"))] = parent.pop(step)
    else:
        parent.append(parent[step])
