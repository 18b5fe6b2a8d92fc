import pytest

from nominee import errors
from nominee.errors import ApiError, ConfigError, InputError, InternalError, NomineeError, PluginError


def test_a_config_error_names_file_field_and_what_is_allowed() -> None:
    error = ConfigError("must be 1 or more, got 0", source="sched.yaml", field="parallelism")
    assert str(error) == "sched.yaml: parallelism: must be 1 or more, got 0"


def test_an_input_error_names_file_and_line() -> None:
    error = InputError("not JSON", source="cases.jsonl", line=3)
    assert str(error) == "cases.jsonl:3: not JSON"


def test_an_error_without_a_place_is_its_message() -> None:
    assert str(InputError("unparsable quantity '1x'")) == "unparsable quantity '1x'"


def test_callers_add_what_they_know_of_the_place() -> None:
    error = InputError("unparsable quantity '1x'", field="cpu").at(field="spec.requests")
    assert str(error.at(source="a.jsonl", line=2)) == "a.jsonl:2: spec.requests.cpu: unparsable quantity '1x'"


def test_an_index_joins_its_field_without_a_dot() -> None:
    assert InputError("no name", field="[0].name").at(field="containers").field == "containers[0].name"


def test_the_first_file_named_stays() -> None:
    assert InputError("bad", source="inner").at(source="outer").source == "inner"


def test_a_message_of_several_lines_is_rendered_in_one() -> None:
    assert str(InputError("line one\nline two")) == "line one line two"


def test_a_plugin_error_names_the_plugin_and_its_cause() -> None:
    with pytest.raises(PluginError) as caught:
        raise PluginError("RackOwner", "Filter") from KeyError("rack")
    assert str(caught.value) == "plugin 'RackOwner' failed in Filter: KeyError('rack')"


def test_an_api_error_carries_status_and_reason() -> None:
    error = errors.Conflict(409, "object has been modified")
    assert (error.status, error.reason) == (409, "object has been modified")
    assert str(error) == "the API server answered 409: object has been modified"


def test_too_many_requests_says_when_to_come_back() -> None:
    assert errors.TooManyRequests(429, "slow down", retry_after=1.5).retry_after == 1.5


@pytest.mark.parametrize(
    ("error", "code"),
    [
        (ConfigError, 2),
        (errors.UnknownPluginError, 2),
        (errors.PluginConflictError, 2),
        (InputError, 2),
        (ApiError, 1),
        (errors.TransportError, 1),
        (errors.StorageError, 1),
        (InternalError, 1),
    ],
)
def test_exit_code_tells_bad_input_from_other_failures(error: type[NomineeError], code: int) -> None:
    assert error.exit_code == code


def test_the_docstring_draws_every_public_class() -> None:
    own = [v for v in vars(errors).values() if isinstance(v, type) and v.__module__ == errors.__name__]
    public = [v.__name__ for v in own if not v.__name__.startswith("_")]
    assert [name for name in public if name not in (errors.__doc__ or "")] == []
