import pytest

from nominee.queue.heap import Heap


def _heap(**keys: int) -> Heap[str]:
    heap: Heap[str] = Heap()
    for uid, key in keys.items():
        heap.push(uid, key, uid)
    return heap


def _drained(heap: Heap[str]) -> list[str]:
    return [heap.pop() for _ in range(len(heap))]


def test_the_smallest_key_comes_first_and_equal_ones_in_order_of_arrival() -> None:
    assert _drained(_heap(b=2, x=1, a=1, c=0)) == ["c", "x", "a", "b"]


def test_an_empty_heap_has_no_first_member() -> None:
    heap = _heap()
    assert heap.first_key() is None
    with pytest.raises(IndexError):
        heap.pop()


def test_a_removed_member_is_gone_at_once() -> None:
    heap = _heap(a=1, b=2)
    assert heap.remove("a") == "a"
    assert heap.remove("a") is None
    assert "a" not in heap
    assert heap.get("a") is None
    assert heap.first_key() == 2
    assert list(heap) == ["b"]


def test_pushing_a_member_again_moves_it() -> None:
    heap = _heap(a=1, b=2)
    heap.push("a", 3, "a")
    assert len(heap) == 2
    assert _drained(heap) == ["b", "a"]


def test_pushing_with_the_same_key_keeps_the_place_among_equals() -> None:
    heap = _heap(a=1, b=1)
    heap.push("a", 1, next(iter(heap)))
    assert _drained(heap) == ["a", "b"]


def test_a_member_can_be_replaced_under_the_same_key() -> None:
    heap = _heap(a=1)
    heap.push("a", 1, "other")
    assert heap.pop() == "other"


def test_dead_entries_do_not_pile_up() -> None:
    heap = _heap(**{f"p{i}": i for i in range(1000)})
    for i in range(990):
        heap.remove(f"p{i}")
    assert len(heap._entries) < 100
    assert heap.pop() == "p990"
    assert not list(heap.problems())


def test_a_heap_out_of_order_is_noticed() -> None:
    heap = _heap(a=1, b=2)
    heap._entries.reverse()
    assert list(heap.problems()) == ["entry 1 comes before its parent"]


def test_a_member_missing_from_the_list_is_noticed() -> None:
    heap = _heap(a=1)
    heap._entries.clear()
    assert list(heap.problems()) == ["'a' is not in the list"]
