from nominee.embedded.addresses import Addresses


def test_everybody_keeps_an_address_of_their_own() -> None:
    addresses = Addresses("10.0.0.0/8")
    assert [addresses.of("a"), addresses.of("b"), addresses.of("a")] == ["10.0.0.1", "10.0.0.2", "10.0.0.1"]


def test_addresses_come_round_again_once_they_are_free() -> None:
    addresses = Addresses("10.0.0.0/29")
    given = [addresses.of(str(number)) for number in range(6)]
    assert len(set(given)) == 6
    addresses.release("3")
    assert addresses.of("new") == given[3]


def test_what_was_given_by_an_earlier_process_is_not_given_again() -> None:
    addresses = Addresses("10.0.0.0/29")
    addresses.restore("old", "10.0.0.2")
    addresses.restore("stranger", "192.168.0.1")
    addresses.restore("nonsense", "::1")
    assert "10.0.0.2" not in {addresses.of(str(number)) for number in range(5)}
    assert addresses.of("old") == "10.0.0.2"
