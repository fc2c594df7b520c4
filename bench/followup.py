"""Print how well follow-ups are made to stand alone by the rule, without a chat model.

    python bench/followup.py --rewrite FOLDER [--misses N]
    python bench/followup.py --retrieval SET [--sentences 9000] [--misses N]

FOLDER holds ``*.jsonl`` files with rows ``{"id", "history": […], "question", "rewrite"}``; a
history is a list of questions, or, where ids begin with ``C_``, of questions and answers by turns.
*Left alone*: the share of questions whose rewrite is the question itself (case and punctuation
aside) that stay as they are; first questions count, and once more without them. *Carried*: of the
words that the rewrite adds and the history has, the share that the query has; of those with a
capital or a digit ("names") the same. As typed it would be none.

SET is a question set (see evaluation_sets.py) whose rows have a ``history``. Its answerable
follow-ups are searched as typed, with all questions before, and as the rule makes them; window
hit@5: one of the first five windows is of a document that answers.
"""

from __future__ import annotations

import argparse
import json
import re
import sys
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).parents[1]))

from evaluation_sets import CachedEmbeddings, read_set
from retrieval import WINDOW, collection, of_set

from rag.followups.followup import standalone
from rag.followups.words import ENGLISH
from rag.retrieval import clean_query, retrieve
from rag.support.claims import stem
from rag.types import Mode, Turn

Make = Callable[[str, Sequence[Turn]], str]
"""(question, history) → query."""

_WORD = re.compile(r"[^\W_]+(?:[-'’.][^\W_]+)*")


@dataclass
class Tally:
    """Counts of one file."""

    alone: int = 0
    left: int = 0
    later: int = 0
    later_left: int = 0
    missing: int = 0
    carried: int = 0
    names: int = 0
    names_carried: int = 0
    added: list[int] = field(default_factory=list)
    wrong: list[str] = field(default_factory=list)

    def __add__(self, other: Tally) -> Tally:
        """Return the counts of both."""
        return Tally(*(getattr(self, name) + getattr(other, name) for name in vars(self)))


def by_rule(question: str, history: Sequence[Turn]) -> str:
    """The query that the product searches when there is no chat model."""
    return standalone(question, history).text


def main() -> None:
    """Read the command line and print what it asks for."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--rewrite", type=Path, metavar="FOLDER")
    parser.add_argument("--retrieval", type=Path, metavar="SET")
    parser.add_argument("--sentences", type=int, default=9000, help="of the set, those asked most")
    parser.add_argument("--misses", type=int, default=0)
    options = parser.parse_args()
    if options.rewrite:
        rewriting(options.rewrite, options.misses)
    if options.retrieval:
        retrieval(options.retrieval, options.sentences, options.misses)


def rewriting(folder: Path, misses: int) -> None:
    """Print a line for each file, and one for all."""
    whole = Tally()
    for path in sorted(folder.glob("*.jsonl")):
        rows = [json.loads(row) for row in path.read_text(encoding="utf-8").splitlines()]
        tally = Tally()
        for row in rows:
            count(row, tally)
        show(path.stem, tally)
        print("\n".join(tally.wrong[:misses]), end="\n" if misses else "")
        whole += tally
    show("all", whole)


def count(row: dict[str, Any], tally: Tally) -> None:
    """Count one row."""
    question, history = row["question"], turns_of(row)
    query = by_rule(question, history)
    if plain(question) == plain(row["rewrite"]):
        tally.alone += 1
        tally.left += query == question
        tally.later += bool(history)
        tally.later_left += bool(history) and query == question
        if query != question:
            tally.wrong.append(f"    not left alone: {query}")
        return
    if query != question:
        tally.added.append(len(query) - len(question))
    said = " ".join(f"{turn.question} {turn.answer}" for turn in history)
    missing = (words(row["rewrite"]) - words(question)) & words(said)
    names = missing & words(row["rewrite"], names=True)
    got = words(query)
    tally.missing += len(missing)
    tally.carried += len(missing & got)
    tally.names += len(names)
    tally.names_carried += len(names & got)


def turns_of(row: dict[str, Any]) -> list[Turn]:
    """Return a row's history as turns."""
    said = row["history"]
    if row["id"].startswith("C_"):
        return [Turn(*(*said[i : i + 2], "")[:2]) for i in range(0, len(said), 2)]
    return [Turn(question, "") for question in said]


def plain(text: str) -> str:
    """Return a text without case and punctuation."""
    return " ".join(re.findall(r"\w+", text.lower()))


def words(text: str, *, names: bool = False) -> set[str]:
    """Return the stems of the words of ``text`` that say something; those of ``names`` alone."""
    found = set()
    for match in _WORD.finditer(text):
        word = match[0]
        named = word[0].isdigit() or (word[0].isupper() and match.start() > 0)
        if word.lower() not in ENGLISH.small and (named or not names):
            found.add(stem(word))
    return found


def show(name: str, tally: Tally) -> None:
    """Print a line of the table."""

    def share(part: int, whole: int) -> str:
        return f"{part / whole:6.1%}" if whole else "     –"

    added = sum(tally.added) / len(tally.added) if tally.added else 0
    print(
        f"{name:14} left alone {share(tally.left, tally.alone)} of {tally.alone:4}"
        f" (after a first turn {share(tally.later_left, tally.later)} of {tally.later:4})"
        f"  carried {share(tally.carried, tally.missing)} of {tally.missing:5} words,"
        f" {share(tally.names_carried, tally.names)} of {tally.names:5} names"
        f"  {added:.0f} characters added"
    )


def retrieval(folder: Path, sentences: int, misses: int) -> None:
    """Print window hit@5 of the follow-ups of a set, by query and by way to search."""
    questions = read_set(folder, sentences=sentences, questions=10**6)
    there = {document.path for document in questions.documents}
    rows = [json.loads(row) for row in (folder / "questions.jsonl").open(encoding="utf-8")]
    asked = [
        (row["question"], told(row["history"]), docs)
        for row in rows
        if row["answerable"]
        and row["history"]
        and (docs := {f"{doc}.txt" for doc in row.get("doc_ids") or [row["doc_id"]]} & there)
    ]
    embeddings = CachedEmbeddings(folder.name)
    queries: dict[str, Make] = {
        "last turn alone": lambda question, _: question,
        "all questions": lambda question, history: " ".join(
            [*(turn.question for turn in history), question]
        ),
        "by rule": by_rule,
    }
    made = {make(question, history) for question, history, _ in asked for make in queries.values()}
    embeddings.queries(sorted(map(clean_query, made)))  # at once: the cache is written once
    print(f"{folder.name}: {len(asked)} follow-ups, {len(questions.sentences)} sentences")
    with collection(of_set(questions, embeddings, lambda p: p.embedded_text), embeddings) as store:
        modes: tuple[Mode, ...] = ("hybrid", "dense", "keyword")
        for mode in modes:
            hits: dict[str, list[bool]] = {}
            for name, make in queries.items():
                hits[name] = []
                for question, history, docs in asked:
                    found = retrieve(
                        store, embeddings, make(question, history), mode=mode, top_k=6,
                        window_size=WINDOW, candidates=60,
                    )  # fmt: skip
                    hits[name].append(any(w.source in docs for w in found.windows[:5]))
            print(f"  {mode:8} window hit@5" + "".join(
                f"  {name} {sum(each) / len(each):6.1%}" for name, each in hits.items()
            ))  # fmt: skip
            lost = [
                f"    lost: {by_rule(question, history)}"
                for (question, history, _), before, after in zip(
                    asked, hits["last turn alone"], hits["by rule"], strict=True
                )
                if before and not after
            ]
            print("\n".join(lost[:misses]), end="\n" if misses else "")


def told(history: Sequence[dict[str, str]]) -> list[Turn]:
    """Return what user and agent said as turns."""
    turns: list[Turn] = []
    for said in history:
        if said["role"] == "user":
            turns.append(Turn(said["text"], ""))
        elif turns:
            turns[-1] = Turn(turns[-1].question, said["text"])
    return turns


if __name__ == "__main__":
    main()
