"""What is refused before anybody evaluates it: all verdicts here are those of Kubernetes' own compiler."""

from __future__ import annotations

import pytest

from nominee.model.cel import CelError
from nominee.model.device_selectors import compile_selector

GPU = "device.attributes['gpu.example.com']"
MEMORY = "device.capacity['gpu.example.com'].memory"


@pytest.mark.parametrize(
    "expression",
    [
        "device.driver == 'gpu.example.com' && device.allowMultipleAllocations",
        f"{GPU}.model == 'h100' || {GPU}.index > 3 || {GPU}.healthy",
        f"{GPU}.?numa.orValue(0) + 1 == 1",
        f"{GPU}.model in ['a', 'b'] && 'model' in {GPU}",
        f"has({GPU}.model) ? {GPU}.model.startsWith('h') : false",
        f"{MEMORY}.isGreaterThan(quantity('1Gi')) && {MEMORY}.sub(1).asInteger() > 0",
        f"{GPU}.driverVersion.compareTo(semver('v1', true)) >= 0",
        f"{GPU}.exists(name, name.matches('^m')) && {GPU}.all(name, value, name != value)",
        f"cel.bind(gpu, {GPU}, gpu.index < 2 || gpu.model == 'a')",
        f"{GPU}.?list[0] == 1",
        "[1, 2].map(n, string(n)).join('-') == '1-2' && [[1], []].flatten().size() == 1",
        "'%s has %d'.format(['a', 2]) == 'a has 2'",
        "type(1) == int && 1 < 1.5 && {'a': 1}.a == 1 && [?optional.none(), 1][0] == 1",
        "duration('1h').getHours() == 1 && ip('1.1.1.1').family() == 4",
        "dyn(1) == 'a'",
        "device.driver.matches('\\\\p{Greek}') && int('1') == 1",
        "!!1 == 1",
        f"{GPU}.healthy",
    ],
)
def test_what_may_have_a_value_passes(expression: str) -> None:
    compile_selector(expression)


@pytest.mark.parametrize(
    ("expression", "fault"),
    [
        ('1 + "a" == 2', "found no matching overload for '_+_' applied to '(int, string)'"),
        ("1 == 1.0", "found no matching overload for '_==_' applied to '(int, double)'"),
        ("device.driver > 1", "found no matching overload for '_>_' applied to '(string, int)'"),
        ("!device.driver", "found no matching overload for '!_' applied to '(string)'"),
        ("true && 1", "found no matching overload for '_&&_' applied to '(bool, int)'"),
        (
            f"{MEMORY} > quantity('1')",
            "found no matching overload for '_>_' applied to '(kubernetes.Quantity, kubernetes.Quantity)'",
        ),
        (
            f"{MEMORY}.isGreaterThan('1Gi')",
            "found no matching overload for 'isGreaterThan' applied to '(kubernetes.Quantity, string)'",
        ),
        ("device.name == 'a'", "undefined field 'name'"),
        ("device.driver.name == 'a'", "type 'string' does not support field selection"),
        ("node == 'a'", "undeclared reference to 'node' (in container '')"),
        ("[1, 2].exists(n, m == 1)", "undeclared reference to 'm' (in container '')"),
        ("known(1)", "undeclared reference to 'known'"),
        ("1 in ['a']", "found no matching overload for '_in_' applied to '(int, list(string))'"),
        ("[1, 'a'] == []", "expected type 'int' but found 'string'"),
        ("{'a': 1, 'b': 'c'}.a == 1", "expected type 'int' but found 'string'"),
        ("true ? 1 : 'a'", "found no matching overload for '_?_:_' applied to '(bool, int, string)'"),
        ("[1][true] == 1", "found no matching overload for '_[_]' applied to '(list(int), bool)'"),
        ("1.exists(n, true)", "expression of type 'int' cannot be range of a comprehension"),
        ("[1].all(n, n)", "found no matching overload for '_&&_' applied to '(bool, int)'"),
        ("optional.of(1).orValue('a') == 1", "'orValue' applied to '(optional_type(int), string)'"),
        ("null == 1", "found no matching overload for '_==_' applied to '(null, int)'"),
        ("device.driver", "must evaluate to bool or the unknown type, not string"),
        ("!-1 == 0", "syntax error"),
        ("device.driver.matches('[')", "illegal regex"),
        ("device.driver.find('(?=a)') == ''", "illegal regex"),
        ("duration('soon') == duration('1s')", "invalid duration"),
        ("int('one') == 1", "type conversion error"),
    ],
)
def test_what_never_could_is_refused(expression: str, fault: str) -> None:
    with pytest.raises(CelError) as refused:
        compile_selector(expression)
    assert fault in refused.value.message
