"""The bundled model's cosine of two sentences → whether they say the same, by language. Pure.

Of the claims of bench/support.py that words leave open, about a twentieth of the faithful lie below
``UNLIKE``, and a tenth of those with another name, or from elsewhere, above ``SIMILAR``. The model
finds any two Chinese sentences alike; other languages are taken for as hard as German.
"""

from __future__ import annotations

from rag.prompt import question_language
from rag.splitting.languages import detect_language
from rag.support.claims import is_han

SIMILAR = {"en": 0.89, "zh": 0.945}
UNLIKE = {"en": 0.83, "zh": 0.905}
OTHERS = 0.845, 0.915
"""Unlike and similar in other languages."""


def language_of(text: str, default: str = "en") -> str:
    """Return the language of a sentence; ``default`` where its words do not tell."""
    chinese = is_han(text) and question_language(text) == "zh"
    return "zh" if chinese else detect_language(text, default)


def is_alike(cosine: float, language: str) -> bool:
    """Say whether a sentence that is so near supports a claim."""
    return cosine >= SIMILAR.get(language, OTHERS[1])


def is_unlike(cosine: float, language: str) -> bool:
    """Say whether a claim is said by no sentence, when the nearest is no nearer than that."""
    return cosine < UNLIKE.get(language, OTHERS[0])
