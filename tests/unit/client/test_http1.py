"""Answers as bytes, in whatever pieces they arrive."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from nominee.client.http1 import Headers, MalformedError, ResponseParser

OK = b"HTTP/1.1 200 OK\r\n"
SIZED = OK + b"Content-Type: application/json\r\nContent-Length: 5\r\n\r\nhello"
CHUNKED = (
    OK + b"Transfer-Encoding: chunked\r\n\r\n5\r\nhello\r\nA;x=y\r\n\r\n, world\n\r\n0\r\nTrailer: t\r\n\r\n"
)


def parsed(data: bytes, size: int = 1 << 20) -> tuple[ResponseParser, bytes]:
    parser, body = ResponseParser(), b""
    for at in range(0, len(data), size):
        parser.feed(data[at : at + size])
        body += parser.take()
    return parser, body


@pytest.mark.parametrize(
    ("answer", "body"),
    [
        (SIZED, b"hello"),
        (CHUNKED, b"hello\r\n, world\n"),
        (b"HTTP/1.1 100 Continue\r\n\r\n" + SIZED, b"hello"),
        (OK + b"content-length: 0\r\n\r\n", b""),
        (b"HTTP/1.1 204 No Content\r\n\r\n", b""),
        (OK + b"Transfer-Encoding: Chunked\r\n\r\n0\r\n\r\n", b""),
    ],
)
def test_answers(answer: bytes, body: bytes) -> None:
    for size in (1 << 20, 1, 2, 3, 7):
        parser, found = parsed(answer, size)
        assert (parser.complete, parser.reusable, found) == (True, True, body)
        assert parser.status in (200, 204)


@given(st.lists(st.binary(min_size=1, max_size=300), max_size=8), st.data())
def test_chunks_of_any_size_in_pieces_of_any_size(chunks: list[bytes], data: st.DataObject) -> None:
    answer = OK + b"Transfer-Encoding: chunked\r\n\r\n"
    answer += b"".join(b"%x\r\n%b\r\n" % (len(chunk), chunk) for chunk in chunks) + b"0\r\n\r\n"
    parser, found = ResponseParser(), b""
    while answer:
        size = data.draw(st.integers(1, len(answer)))
        piece, answer = answer[:size], answer[size:]
        assert parser.feed(piece) == (not answer)
        found += parser.take()
    assert found == b"".join(chunks)
    assert parser.reusable


@given(st.binary(max_size=2000))
def test_noise_is_refused_or_waited_for(noise: bytes) -> None:
    parser = ResponseParser()
    try:
        parser.feed(noise)
    except MalformedError:
        return
    assert not parser.complete


def test_a_body_may_end_with_the_connection() -> None:
    parser, found = parsed(OK + b"\r\nhello")
    assert (parser.complete, found) == (False, b"hello")
    parser.end()
    assert parser.complete
    assert not parser.reusable


@pytest.mark.parametrize("answer", [SIZED, CHUNKED])
def test_other_bodies_may_not(answer: bytes) -> None:
    parser, _ = parsed(answer[:-1])
    parser.end()
    assert not parser.complete


def test_a_connection_that_is_to_be_closed() -> None:
    parser, _ = parsed(OK + b"Connection: Close\r\nContent-Length: 0\r\n\r\n")
    assert (parser.complete, parser.reusable) == (True, False)


def test_more_than_was_asked_for() -> None:
    parser, found = parsed(SIZED + b"HTTP")
    assert (parser.complete, parser.reusable, found) == (True, False, b"hello")


def test_nothing_is_expected_of_an_idle_one() -> None:
    parser = ResponseParser.idle()
    assert parser.complete
    parser.feed(b"H")
    assert not parser.reusable


@pytest.mark.parametrize(
    ("answer", "expected"),
    [
        (b"SSH-2.0-OpenSSH_9\r\n\r\n", "is no answer"),
        (b"HTTP/2 200\r\n\r\n", "is no answer"),
        (b"HTTP/1.1 abc\r\n\r\n", "is no answer"),
        (OK + b"Content-Length: -1\r\n\r\n", "content length '-1'"),
        (OK + b"Content-Length: 1_0\r\n\r\n", "content length '1_0'"),
        (OK + b"Transfer-Encoding: gzip, chunked\r\n\r\n", "transfer encoding 'gzip, chunked'"),
        (OK + b"Transfer-Encoding: chunked\r\n\r\n-5\r\n", "chunk size b'-5'"),
        (OK + b"Transfer-Encoding: chunked\r\n\r\n\r\n", "chunk size b''"),
        (OK + b"Transfer-Encoding: chunked\r\n\r\n1\r\nabc", "longer than it says"),
        (OK + b"X: " + b"a" * 200_000, "without an end"),
        (OK + b"Transfer-Encoding: chunked\r\n\r\n" + b"0" * 5000, "without an end"),
    ],
)
def test_what_is_no_answer(answer: bytes, expected: str) -> None:
    with pytest.raises(MalformedError, match=expected):
        parsed(answer)


def test_headers_are_found_whatever_their_case() -> None:
    headers = Headers(b"HTTP/1.1 200 OK\r\nRetry-After:  7 \r\nx-retry-after: 8\r\nEmpty:")
    assert headers.get("retry-after") == "7"
    assert headers.get("X-Retry-After") == "8"
    assert headers.get("empty") == ""
    assert headers.get("after") is None
    assert headers.get("none", "default") == "default"
