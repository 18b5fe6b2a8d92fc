from __future__ import annotations

from nominee.apiserver.kinds.config_maps import CONFIG_MAPS, SIZE_LIMIT
from tests.unit.apiserver.kinds.checking import metadata, told


def test_too_much_is_refused_in_the_words_that_people_search_for() -> None:
    item = {"metadata": metadata(), "data": {"a": "x" * (SIZE_LIMIT + 1)}}
    assert told(CONFIG_MAPS.validate(item)) == ["[]: Too long: may not be more than 1048576 bytes"]
