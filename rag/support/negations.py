"""Text → the words in it that deny. Pure. English, German, Chinese."""

from __future__ import annotations

import re

_LATIN = re.compile(
    r"""\b(?:not(?![ ](?:only|just|merely|least|to[ ]mention)\b)
      |no(?!\.[ ]?\d|[ ](?:longer|more|less|fewer|later)[ ]than)
      |never|none|nobody|nothing|nowhere|neither|nor|cannot|without|hardly|scarcely
      |nicht(?![ ]nur|-)|kein\w{0,2}|nie|niemals|niemand\w{0,2}|nichts|nirgends|ohne|weder|kaum)\b
    |(?<=\w)n['’]t\b""",
    re.VERBOSE | re.IGNORECASE,
)
_HAN = re.compile(
    r"(?<!子)不(?![仅但过同断少久论管止只单惜料禁已锈思动满]|一[样定]|到|足|超过|大于|小于|低于|高于|少于|多于)"
    r"|没有?|未(?![来必免])|无(?![论数线限锡机穷名辜私疑]|人机|政府|能(?![力为够]))|(?<![北西东南中])非(?![常洲凡法典金物])|勿"
    r"|莫(?![斯扎尔里奈桑大非家桂])|禁止|拒绝|否认|缺乏"
)
_WORD_HAN = re.compile("[\u3400-\u9fff]")


def find_negations(text: str) -> tuple[tuple[int, int], ...]:
    """Return where the words of ``text`` stand that deny, in order. "Not only" denies nothing."""
    pattern = _HAN if _WORD_HAN.search(text) else _LATIN
    return tuple(match.span() for match in pattern.finditer(text))
