"""A finished answer → for each of its sentences, the source sentence that bears it out, or none.

    answer ─ answer_sentences.py → claims ┐
    windows ─ sources.py → sentences      ┴ differences.py, then nearness.py → supports

Words, numbers, units, names and negations are compared first; the bundled embeddings judge what
they leave open. No model is asked, and the same answer always gets the same verdicts. It never says
that a sentence is false: it says that the passages do not have it.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

from rag.embeddings import BUNDLED_MODEL
from rag.support.answer_sentences import AnswerSentence, answer_sentences
from rag.support.claims import is_han, parse_claim
from rag.support.differences import find_difference
from rag.support.nearness import is_alike, is_unlike, language_of
from rag.support.quantities import same_unit
from rag.support.sources import Match, Sources, SourceSentence
from rag.support.verdict import NOT_FOUND, Reason, Support, Verdict
from rag.types import Answer, Window

if TYPE_CHECKING:
    from rag.embeddings import Embeddings
    from rag.stores.base import Vector

SURE = 0.6
"""The share of a claim's words in one sentence from which it is supported without embeddings."""
LEAST = 0.12
"""The share below which no sentence says it, unless the embeddings find one near."""
RELATED = 0.2
"""The share below which a difference is not worth naming: the sentence is about something else."""
SHORT = 60
"""Characters below which a Latin sentence's language is too uncertain to set it apart."""
CANDIDATES = 2
"""Sentences that the embeddings compare a claim with: those that share most words with it."""


def check_support(answer: Answer, embeddings: Embeddings | None = None) -> tuple[Support, ...]:
    """Check each sentence of a finished answer against its windows, in order.

    A refusal has none. ``embeddings`` are used when they are the bundled ones; an endpoint's are
    not asked. A sentence in another language than the passages that it cites, or than all, is
    checked for its numbers and else "not checked". So is what claims nothing: lead-ins, questions,
    code. Raises :class:`~rag.errors.ModelError` as the embeddings do.
    """
    if answer.refused or not answer.windows:
        return ()
    checker = _Checker(answer.windows)
    bundled = embeddings if embeddings and embeddings.model == BUNDLED_MODEL else None
    sentences = answer_sentences(answer.text, len(answer.windows))
    return tuple(checker.check(sentence, bundled) for sentence in sentences)


class _Checker:
    """The windows of one answer, by language, so that sentences are compared with their own."""

    def __init__(self, windows: Sequence[Window]) -> None:
        self._languages = {window.rank: language_of(window.text) for window in windows}
        self._by_language = {
            language: Sources(w for w in windows if self._languages[w.rank] == language)
            for language in set(self._languages.values())
        }
        self._all = Sources(windows)
        self._vectors: dict[str, Vector] = {}

    def check(self, sentence: AnswerSentence, embeddings: Embeddings | None) -> Support:
        """Check one sentence of the answer."""
        claim = parse_claim(sentence.claim)
        if not claim.terms and not claim.quantities:
            return Support(sentence.start, sentence.end, "not checked")
        cited = sorted(sentence.cited)
        sources = self._comparable(sentence)
        if sources is None:
            return self._check_numbers(sentence, Match(claim, self._all, cited), embeddings)
        match = Match(claim, sources, cited)
        by_words = self._by_words(sentence, match, embeddings)
        return by_words or self._by_meaning(sentence, match, embeddings)

    def _comparable(self, sentence: AnswerSentence) -> Sources | None:
        """Return the sentences of the windows in the language of ``sentence``; None where there are
        none, or where it cites windows in other languages alone.
        """
        usual = max(self._by_language, key=lambda code: len(self._by_language[code].sentences))
        language = language_of(sentence.claim, usual)
        foreign_script = is_han(sentence.claim) != (usual == "zh")
        if language not in self._by_language and len(sentence.claim) < SHORT and not foreign_script:
            language = usual
        cited = sentence.cited
        if cited and all(self._languages[rank] != language for rank in cited):
            return None
        return self._by_language.get(language)

    def _by_words(
        self, sentence: AnswerSentence, match: Match, embeddings: Embeddings | None
    ) -> Support | None:
        """Judge by words; None where they leave it open."""
        share = match.plain[match.best]
        difference = find_difference(match)
        if share < LEAST or (difference and share < RELATED):
            near = None if difference and difference.kind in ("number", "unit") else embeddings
            return self._by_nearness(sentence, match, near)
        if difference:
            found = _support(sentence, NOT_FOUND, difference.sentence, difference.kind)
            return replace(found, said=difference.said, found=difference.found)
        return _support(sentence, "supported", match.sentence) if share >= SURE else None

    def _by_nearness(
        self, sentence: AnswerSentence, match: Match, embeddings: Embeddings | None
    ) -> Support:
        """Judge a sentence that has hardly a word in common with any of the windows'."""
        if len(self._by_language) > 1:  # another language's windows may have it
            return _support(sentence, "not checked", match.sentence)
        if embeddings is not None:
            nearest, cosine = self._nearest(match, embeddings)
            if not is_unlike(cosine, language_of(sentence.claim)):
                return _support(sentence, "not checked", nearest)
        return _support(sentence, NOT_FOUND, match.sentence, "nothing")

    def _by_meaning(
        self, sentence: AnswerSentence, match: Match, embeddings: Embeddings | None
    ) -> Support:
        if embeddings is None:
            return _support(sentence, "not checked", match.sentence)
        nearest, cosine = self._nearest(match, embeddings)
        language = language_of(sentence.claim)
        if is_alike(cosine, language):
            return _support(sentence, "supported", nearest)
        if is_unlike(cosine, language):
            return _support(sentence, NOT_FOUND, nearest, "nothing")
        return _support(sentence, "not checked", nearest)

    def _check_numbers(
        self, sentence: AnswerSentence, match: Match, embeddings: Embeddings | None
    ) -> Support:
        """Check what can be told across languages: whether any passage has the numbers."""
        nearest = self._nearest(match, embeddings)[0] if embeddings else match.sentence
        known = [q for s in match.sources.sentences for q in s.claim.quantities]
        for quantity in match.claim.quantities:
            said = match.claim.text[quantity.start : quantity.end]
            equal = [q for q in known if q.values & quantity.values]
            if not equal and not quantity.counted:
                return replace(_support(sentence, NOT_FOUND, nearest, "number"), said=said)
            if equal and not any(same_unit(q.unit, quantity.unit) for q in equal):
                return replace(_support(sentence, NOT_FOUND, nearest, "unit"), said=said)
        return _support(sentence, "not checked", nearest)

    def _nearest(self, match: Match, embeddings: Embeddings) -> tuple[SourceSentence, float]:
        """Return the most similar of the sentences that share most words, and its cosine."""
        order = sorted(range(len(match.shares)), key=lambda i: (-match.shares[i], i))
        chosen = [match.sources.sentences[i] for i in order[:CANDIDATES]]
        texts = [match.claim.text, *(sentence.claim.text for sentence in chosen)]
        missing = [text for text in dict.fromkeys(texts) if text not in self._vectors]
        for first, vectors in embeddings.embed_passages(missing):
            self._vectors.update(zip(missing[first : first + len(vectors)], vectors, strict=True))
        mine = self._vectors[match.claim.text]
        cosines = [float(mine @ self._vectors[s.claim.text]) for s in chosen]
        best = max(range(len(chosen)), key=lambda i: (cosines[i], -i))
        return chosen[best], cosines[best]


def _support(
    sentence: AnswerSentence, verdict: Verdict, source: SourceSentence, reason: Reason = ""
) -> Support:
    place = source.window.rank, source.window.source, source.start, source.end
    return Support(sentence.start, sentence.end, verdict, *place, reason)
