"""CEL, as device selectors use it."""

from __future__ import annotations

from typing import Any

import pytest

from nominee.model.cel import CelError, Semver, compile_expression


def value(expression: str, **variables: Any) -> Any:
    return compile_expression(expression)(variables)


@pytest.mark.parametrize(
    "expression",
    [
        "int('1_0')",
        "int(' 1')",
        "int('\uff11')",
        "uint('+1')",
        "double('1__0')",
        "double('1e400')",
        "bool('yes')",
    ],
)
def test_texts_are_numbers_as_go_reads_them(expression: str) -> None:
    with pytest.raises(CelError, match="type conversion error"):
        value(expression)


@pytest.mark.parametrize(
    "expression",
    [
        "1 + 2 * 3 == 7",
        "-7 / 2 == -3 && -7 % 2 == -1",
        "1u + 2u == 3u && 1u == 1 && 1.0 == 1",
        "'a' + 'b' == \"ab\" && r'\\d' == '\\\\d'",
        "!(true && false) || false",
        "1 < 2 && 2 <= 2 && 'a' < 'b' && 1.5 > 1",
        "true ? true : 1 / 0 == 1",
        "3 in [1, 2, 3] && !('x' in {'y': 1})",
        "[1, 2] + [3] == [1, 2, 3] && [1, 2, 3][1] == 2",
        "{'a': {'b': 1}}.a.b == 1",
        "size('abc') == 3 && [1, 2].size() == 2",
        "type(1) == int && type('') == string",
        "int('12') == 12 && string(1.5) == '1.5' && double('1') == 1.0",
        "bool('T') && !bool('F') && double('0x1p-2') == 0.25 && double('1_0.5') == 10.5 && int('+1') == 1",
        "0x1F == 31 && 1e3 == 1000.0",
        "'''a\nb'''.contains('\\n') // with a comment",
    ],
)
def test_operators_and_literals(expression: str) -> None:
    assert value(expression) is True


@pytest.mark.parametrize(
    "expression",
    [
        "[1, 2, 3].all(x, x > 0) && ![1, 2].all(x, x > 1)",
        "[1, 2, 3].exists(x, x == 2) && [1, 2].exists_one(x, x == 2)",
        "[1, 2, 3].filter(x, x > 1) == [2, 3] && [1, 2].map(x, x * 2) == [2, 4]",
        "[1, 2, 3].map(x, x > 1, x * 2) == [4, 6]",
        "{'a': 1}.all(k, v, k == 'a' && v == 1)",
        "[5, 6].transformList(i, v, i + v) == [5, 7]",
        "{'a': 1}.transformMap(k, v, v + 1) == {'a': 2}",
        "cel.bind(x, 20, x + x + 2) == 42",
        "has({'a': 1}.a) && !has({'a': 1}.b)",
        "{'a': 1}.?b.orValue(7) == 7 && {'a': 1}[?'a'].hasValue()",
        "optional.of(2).optMap(x, x * 2).value() == 4 && !optional.none().hasValue()",
        "[?optional.none(), 1] == [1] && {?'a': optional.of(1)} == {'a': 1}",
        "[3, 1, 2].sortBy(x, -x) == [3, 2, 1]",
    ],
)
def test_macros_and_optionals(expression: str) -> None:
    assert value(expression) is True


@pytest.mark.parametrize(
    "expression",
    [
        "duration('1h30m') == duration('90m') && duration('-1.5s') < duration('0')",
        "duration('90s').getMinutes() == 1 && duration('-61s').getMinutes() == -1",
        "timestamp('2024-05-06T07:08:09Z') - timestamp('2024-05-06T06:08:09Z') == duration('1h')",
        "timestamp('2024-05-06T07:08:09Z') + duration('1h') > timestamp('2024-05-06T07:08:09+00:00')",
        "timestamp('2024-05-06T07:08:09.5Z').getMilliseconds() == 500",
        "timestamp('2024-05-06T07:08:09Z').getHours('+02:00') == 9",
        "timestamp('2024-05-06T07:08:09Z').getMonth() == 4 && timestamp(0).getDayOfWeek() == 4",
        "string(timestamp(1)) == '1970-01-01T00:00:01Z' && string(duration('1500ms')) == '1.5s'",
        "int(timestamp('1970-01-01T00:00:07Z')) == 7 && int(duration('1us')) == 1000",
    ],
)
def test_times(expression: str) -> None:
    assert value(expression) is True


@pytest.mark.parametrize(
    "expression",
    [
        "ip('10.0.0.1').family() == 4 && ip('::1').isLoopback() && !isIP('10.0.0.300')",
        "ip('10.0.0.1').isGlobalUnicast() && !isIP('::ffff:1.2.3.4') && !isIP('fe80::1%eth0')",
        "ip('224.0.0.1').isLinkLocalMulticast() && ip('ff02::1').isLinkLocalMulticast()",
        "!ip.isCanonical('::FFFF') && string(ip('::FFFF')) == '::ffff'",
        "cidr('10.0.0.0/8').containsIP('10.1.2.3') && !cidr('10.0.0.0/8').containsIP('::1')",
        "cidr('10.0.0.0/8').containsCIDR('10.1.0.0/16') && !cidr('10.1.0.0/16').containsCIDR('10.0.0.0/8')",
        "cidr('10.1.2.3/8').ip() == ip('10.1.2.3') && string(cidr('10.1.2.3/8').masked()) == '10.0.0.0/8'",
        "!isCIDR('10.0.0.0/33') && !isCIDR('10.0.0.0/08') && !isCIDR('10.0.0.0')",
        "url('https://u:p@h:1/a%20b?q=1&q=2').getHost() == 'h:1' && url('/x y').getEscapedPath() == '/x%20y'",
        "url('https://[::1]:80/').getHostname() == '::1' && url('/a?q=1').getQuery() == {'q': ['1']}",
        "isURL('/x') && !isURL('x') && !isURL('http://a b/')",
    ],
)
def test_addresses(expression: str) -> None:
    assert value(expression) is True


@pytest.mark.parametrize(
    ("form", "good", "bad"),
    [
        ("dns1123Label", "a-b", "a.b"),
        ("dns1123LabelPrefix", "a-", "-a"),
        ("dns1123Subdomain", "a.b", "A"),
        ("dns1035Label", "a1", "1a"),
        ("qualifiedName", "a.b/C", "a/b/c"),
        ("labelValue", "", "-"),
        ("uri", "https://a.b", "a"),
        ("uuid", "6ba7b810-9dad-11d1-80b4-00c04fd430c8", "6ba7"),
        ("byte", "aGVsbG8=", "?"),
        ("date", "2024-02-29", "2024-02-30"),
        ("datetime", "2024-02-03T01:02:03Z", "2024-02-03"),
    ],
)
def test_formats(form: str, good: str, bad: str) -> None:
    assert value(f"format.{form}().validate('{good}').hasValue()") is False
    assert value(f"format.named('{form}').value().validate('{bad}').value().size() == 1") is True


@pytest.mark.parametrize(
    "expression",
    [
        "string(1234567.0) == '1.234567e+06' && string(123456.0) == '123456' && string(0.00001) == '1e-05'",
        "'%s'.format([{'b': 'x', 'a': [1]}]) == '{\"a\":[1], \"b\":\"x\"}'",
        "'%s %s'.format([null, [duration('1s')]]) == 'null [duration(\"1s\")]'",
        "'%x %X'.format(['hi', b'hi']) == '6869 6869' && '%.1f'.format([1234.0]) == '1,234.0'",
        "[1, 2].first().value() == 1 && [1, 2].last().value() == 2 && ![].first().hasValue()",
        "{'a': 1}.transformMapEntry(k, v, {v: k}) == {1: 'a'}",
    ],
)
def test_values_as_texts_and_the_ends_of_lists(expression: str) -> None:
    assert value(expression) is True


def test_a_version_is_no_text() -> None:
    assert value("semver('1.2.3') != '1.2.3'") is True
    with pytest.raises(CelError, match="no such overload"):
        value("semver('1.2.3') == '1.2.3'")


@pytest.mark.parametrize(
    "expression",
    [
        "'Abc'.lowerAscii() == 'abc' && 'a,b'.split(',') == ['a', 'b'] && ['a', 'b'].join('-') == 'a-b'",
        "'tacocat'.substring(4) == 'cat' && 'tacocat'.charAt(1) == 'a' && 'hello'.indexOf('l') == 2",
        "'hello'.lastIndexOf('l') == 3 && 'hello'.replace('l', 'L', 1) == 'heLlo' && ' x '.trim() == 'x'",
        "'abc'.startsWith('a') && 'abc'.endsWith('c') && 'a1b22'.findAll('[0-9]+') == ['1', '22']",
        "'%s has %d'.format(['a', 2]) == 'a has 2'",
        "[1, 3].sum() == 4 && [1, 3].max() == 3 && [1, 2].isSorted() && [1, 2, 2].lastIndexOf(2) == 2",
        "[1, 1, 2].distinct() == [1, 2] && [[1], [2]].flatten() == [1, 2] && [2, 1].sort() == [1, 2]",
        "sets.contains([1, 2], [2]) && sets.intersects([1], [1, 2]) && sets.equivalent([1, 2], [2, 1])",
        "'a'.includes('a') && [1, 2].includes(2)",
        "quantity('1Gi').isGreaterThan(quantity('1G')) && quantity('1k').asInteger() == 1000",
        "quantity('50k').add(20).sub(quantity('20')).compareTo(quantity('50000')) == 0",
        "!isQuantity('200K') && quantity('-1').sign() == -1 && quantity('0.5').isInteger() == false",
        "semver('1.2.3').isLessThan(semver('1.10.0')) && semver('1.0.0-rc.1').isLessThan(semver('1.0.0'))",
        "semver('v01.2', true).compareTo(semver('1.2.0')) == 0 && !isSemver('v1.0')",
        "semver('1.2.3').minor() == 2 && semver('1.2.3').patch() == 3",
    ],
)
def test_functions(expression: str) -> None:
    assert value(expression) is True


def test_a_side_that_decides_makes_up_for_an_error_of_the_other() -> None:
    assert value("1 / 0 == 1 || true") is True
    assert value("false && 1 / 0 == 1") is False
    assert value("[0, 1].exists(x, 1 / x == 1)") is True
    with pytest.raises(CelError, match="division by zero"):
        value("1 / 0 == 1 || false")


@pytest.mark.parametrize(
    ("expression", "problem"),
    [
        ("1 +", "syntax error"),
        ("a b", "syntax error"),
        ("'a", "syntax error"),
        ("nothing(1)", "undeclared reference to 'nothing'"),
        ("x == 1", "undeclared reference to 'x'"),
        ("{'a': 1}.b == 1", "no such key: b"),
        ("[1][2] == 1", "index out of bounds: 2"),
        ("1 + 'a' == 2", "no such overload"),
        ("1 + 1.0 == 2.0", "no such overload"),
        ("'a' && true", "no such overload"),
        ("true == 1 || 1 < true", "no such overload"),
        ("9223372036854775807 + 1 == 0", "integer overflow"),
        ("quantity('Mi').sign() == 0", "not a quantity"),
        ("(" * 200 + "1" + ")" * 200, "nested too deeply"),
        ("lists.range(1000).all(x, lists.range(1000).all(y, true))", "cost limit exceeded"),
    ],
)
def test_errors_say_what_is_wrong(expression: str, problem: str) -> None:
    with pytest.raises(CelError, match=problem):
        value(expression)


def test_equality_does_not_mix_kinds_but_numbers() -> None:
    assert value("1 == 1.0 && 'a' != 1 && true != 1 && [1] == [1.0]") is True


def test_versions_follow_the_order_of_semver() -> None:
    texts = ["1.0.0-alpha", "1.0.0-alpha.1", "1.0.0-alpha.beta", "1.0.0-beta.2", "1.0.0-beta.11", "1.0.0"]
    versions = [Semver.parse(text) for text in texts]
    assert sorted(versions[3:] + versions[:3]) == versions
    assert Semver.parse("1.0.0+linux") == Semver.parse("1.0.0+windows")
