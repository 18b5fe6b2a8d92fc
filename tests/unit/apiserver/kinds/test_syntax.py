import pytest

from nominee.apiserver.kinds import syntax
from nominee.apiserver.kinds.field_errors import invalid, quoted, shown, too_long, too_many
from nominee.apiserver.kinds.table import age, human_duration


@pytest.mark.parametrize(
    ("seconds", "text"),
    [
        (-5, "<invalid>"), (-1, "0s"), (0, "0s"), (119, "119s"), (120, "2m"), (185, "3m5s"), (600, "10m"),
        (10799, "179m"), (10800, "3h"), (11000, "3h3m"), (28800, "8h"), (172799, "47h"), (172800, "2d"),
        (190000, "2d4h"), (691200, "8d"), (63072000, "2y"), (64000000, "2y10d"), (252288000, "8y"),
        (99999999999, "3170y"),
    ],
)  # fmt: skip
def test_ages_are_shown_in_two_units_at_most(seconds: int, text: str) -> None:
    assert human_duration(seconds) == text


def test_an_age_of_nothing_is_unknown() -> None:
    assert age(None, 0) == age("yesterday", 0) == "<unknown>"
    assert age("1970-01-01T00:00:10Z", 70) == "60s"


def test_values_are_quoted_as_go_quotes_them() -> None:
    assert quoted('a"b\\c\n\x00ü\u2028') == '"a\\"b\\\\c\\n\\x00ü\\u2028"'
    assert shown({"b": 1, "a": "<&>"}) == '{"a":"\\u003c\\u0026\\u003e","b":1}'
    assert shown(True) == "true"


def test_errors_read_as_kubernetes_writes_them() -> None:
    assert invalid("spec.a", -1, "must be positive").message == "Invalid value: -1: must be positive"
    assert too_long("a", 1).message == "Too long: may not be more than 1 byte"
    assert too_many("a", 3, 2).message == "Too many: 3: must have at most 2 items"


def test_ports_are_named_by_letters() -> None:
    assert syntax.port_name("http-2") == ()
    assert syntax.port_name("-8080-") == (
        "must contain at least one letter (a-z)",
        "must not begin or end with a hyphen",
    )
    assert syntax.port_name("a--" + "b" * 14) == (
        "must be no more than 15 characters",
        "must not contain consecutive hyphens",
    )


def test_keys_of_config_maps_are_no_directories() -> None:
    assert syntax.config_key("a.b_c-D") == ()
    assert syntax.config_key("..") == ("must not be '..'",)
    assert syntax.config_key("..a") == ("must not start with '..'",)
    assert len(syntax.config_key("a/b")) == 1


def test_environment_variables_are_ascii_without_an_equals_sign() -> None:
    assert syntax.env_name("1 a%") == ()
    assert syntax.env_name("a=b") == syntax.env_name("ü") != ()


@pytest.mark.parametrize("text", ["a" * 100_000 + "!", "a." * 50_000 + "!", "-" * 100_000, "A/" * 50_000])
def test_hostile_names_are_refused_quickly(text: str) -> None:
    assert syntax.dns_subdomain(text)
    assert syntax.dns_label(text)
    assert syntax.label_key(text)
