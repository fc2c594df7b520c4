"""Bytes → text with line feeds for line ends, or the reason why not; no character is ever lost."""

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

_HIGH = bytes(range(0x80, 0x100))

_SUPERSETS = {
    "ascii": "cp1252",
    "big5": "big5hkscs",
    "cp950": "big5hkscs",
    "euc_kr": "cp949",
    "gb2312": "gb18030",
    "gbk": "gb18030",
    "iso8859-1": "cp1252",
    "shift_jis": "cp932",
}
"""What is meant where an encoding is named: browsers read these names so."""


def decode(data: bytes, declared: str = "") -> str:
    """Decode ``data`` and normalise its line ends; ValueError says why it cannot be text.

    A byte-order mark decides; without one it is UTF-8 if it can be, else what it ``declared``
    itself to be, else what its bytes look like: see :mod:`rag.readers.guess`.
    """
    text = _decoded(data, declared)
    if "\0" in text:
        raise ValueError("is not text: it holds NUL characters")
    return text.replace("\r\n", "\n").replace("\r", "\n")


def _decoded(data: bytes, declared: str) -> str:
    for mark, encoding in _MARKS:
        if data.startswith(mark):
            return _strict(data[len(mark) :], encoding)
    if b"\x1b$" in data:  # seven-bit Japanese would pass as UTF-8
        return _strict(data, "iso2022_jp")
    try:
        if b"\0" not in data:
            return data.decode("utf-8")
    except UnicodeDecodeError as error:
        flaws = data.decode("utf-8", "replace").count("\ufffd")
        if flaws * 50 < len(data) - len(data.translate(None, _HIGH)):
            raise ValueError(
                f"is damaged UTF-8: the character at byte {error.start} is broken"
            ) from None
    from rag.readers.guess import guess_encoding

    return _strict(data, _known(declared) or guess_encoding(data))


def _known(declared: str) -> str:
    try:
        name = codecs.lookup(declared).name
    except (LookupError, ValueError):
        return ""
    # These would have been found by their mark, or by being UTF-8.
    return "" if name.startswith(("utf-", "utf_")) else _SUPERSETS.get(name, name)


def _strict(data: bytes, encoding: str) -> str:
    try:
        return data.decode(encoding)
    except UnicodeDecodeError as error:
        raise ValueError(
            f"is not {encoding.upper()}, though it looks like it: byte {error.start} does not fit"
        ) from None
