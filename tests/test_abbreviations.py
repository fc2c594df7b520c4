"""What kind of abbreviation a word with a stop is."""

from __future__ import annotations

import pytest

from rag.splitting.abbreviations import abbreviation, begins_sentences, has_ordinals


@pytest.mark.parametrize(
    ("word", "language", "kind"),
    [
        ("Mr", "en", "bound"), ("mr", "en", "bound"), ("e.g", "en", "bound"), ("St", "fr", "bound"),
        ("Fig", "en", "numbered"), ("no", "en", "numbered"), ("Hauptstr", "de", "numbered"),
        ("ft", "en", "bound"), ("in", "en", "unit"), ("млн", "ru", "unit"),
        ("etc", "en", "loose"), ("U.S", "en", "loose"), ("usw", "de", "loose"),
        ("Sun", "en", "loose"), ("sun", "en", None), ("Ph.D", "en", None), ("OK", "en", None),
        ("me", "en", None), ("kettle", "en", None), ("", "en", None), ("Wasser", "de", None),
        ("esim", "fi", "bound"), ("np", "pl", "bound"), ("Mr", "xx", "bound"), ("水", "zh", None),
        ("\ud800Mr", "en", None), ("Mr\udfff", "fr", None),
    ],
)  # fmt: skip
def test_kinds(word: str, language: str, kind: str | None) -> None:
    """Ours come first, then sentencex's list of the language; a small word is never one."""
    assert abbreviation(word, language) == kind


def test_small_words_begin_sentences() -> None:
    """A capitalised article or pronoun tells that a sentence begins; a name does not."""
    assert begins_sentences("The", "en")
    assert begins_sentences("I'm", "en")
    assert begins_sentences("Die", "de")
    assert not begins_sentences("Tom", "en")
    assert not begins_sentences("The", "de")


def test_ordinals() -> None:
    """German writes the seventh with a stop, English does not."""
    assert has_ordinals("de")
    assert not has_ordinals("en")
