"""Bytes → text whose line ends are line feeds, or the reason why not; no character is lost."""

from __future__ import annotations

import codecs

_MARKS = (
    (codecs.BOM_UTF8, "utf-8"),
    # The marks of UTF-32 begin with those of UTF-16: they come first.
    (codecs.BOM_UTF32_LE, "utf-32-le"),
    (codecs.BOM_UTF32_BE, "utf-32-be"),
    (codecs.BOM_UTF16_LE, "utf-16-le"),
    (codecs.BOM_UTF16_BE, "utf-16-be"),
)


def decode(data: bytes) -> str:
    """Decode ``data`` and normalise its line ends; ValueError says why it cannot be text.

    A byte-order mark decides; without one it is UTF-8 if it can be, else what its bytes look like
    most: an older Chinese, Japanese, Korean, Cyrillic or Western encoding.
    """
    text = _decoded(data)
    if "\0" in text:
        raise ValueError("is not text: it holds NUL characters")
    return text.replace("\r\n", "\n").replace("\r", "\n")


def _decoded(data: bytes) -> str:
    for mark, encoding in _MARKS:
        if data.startswith(mark):
            return _strict(data[len(mark) :], encoding)
    try:
        return data.decode("utf-8")
    except UnicodeDecodeError:
        if b"\0" in data:
            raise ValueError("is not text: it holds NUL bytes") from None
    return _strict(data, _guess(data))


def _strict(data: bytes, encoding: str) -> str:
    try:
        return data.decode(encoding)
    except UnicodeDecodeError as error:
        raise ValueError(
            f"is not {encoding.upper()}, though it looks like it: byte {error.start} does not fit"
        ) from None


def _guess(data: bytes) -> str:
    from charset_normalizer import from_bytes

    best = from_bytes(data).best()
    if best is None:
        raise ValueError("its character encoding is not known; save it as UTF-8")
    return best.encoding
