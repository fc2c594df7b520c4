"""Exchanges → what the conversation component draws.

Pure. The words are those of the page's language; the answer's text becomes a tree of harmless
elements.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

from rag.answers.stream import STOPPED
from rag.followups.followup import FELL_BACK
from rag.page.answer_tree import Json, answer_tree
from rag.page.cards import heading, place
from rag.page.claims import (
    ClaimView,
    Unfounded,
    checkable,
    claim_views,
    summary,
    unfounded,
)  # fmt: skip
from rag.page.strings import Strings, fault
from rag.types import EXTRACTIVE, Answer

if TYPE_CHECKING:
    from collections.abc import Sequence

    from rag.page.exchange import Exchange
    from rag.page.live import LiveAnswer
    from rag.support.verdict import Support
    from rag.types import Window

State = Literal["searching", "reading", "writing", "waiting", "done"]


@dataclass(frozen=True, slots=True)
class TurnView:
    """One turn, ready to draw. ``tips`` are the places of the passages, in their order; ``copy`` is
    the answer with its sources, as plain text; ``prompted`` says that a model was asked, ``last``
    that it can be answered again. ``searched`` says what was searched, where that is not the
    question. ``claims`` are the marks of the answer's sentences, ``checked`` says how many of them
    were found, and ``unfounded`` which were not.
    """

    number: int
    question: str
    state: State = "done"
    blocks: tuple[Json, ...] = ()
    status: str = ""
    fault: str = ""
    detail: str = ""
    remarks: tuple[str, ...] = ()
    facts: str = ""
    searched: str = ""
    claims: tuple[ClaimView, ...] = ()
    checked: str = ""
    unfounded: tuple[Unfounded, ...] = ()
    thumb: str = ""
    comment: str = ""
    reasoning: str = ""
    copy: str = ""
    tips: tuple[str, ...] = ()
    selected: bool = False
    prompted: bool = False
    last: bool = False


def finished(
    exchange: Exchange,
    words: Strings,
    *,
    selected: bool,
    last: bool,
    support: Sequence[Support] | None = (),
) -> TurnView:
    """Return the view of a turn that is over; ``support`` is None while it is being checked."""
    answer = exchange.answer
    failed = exchange.error is not None or exchange.failed
    claims = checkable(support or ())
    prompted = answer.answerer not in ("", EXTRACTIVE)
    checking = support is None and prompted and not failed and not answer.refused
    tips = _tips(exchange, words)
    return TurnView(
        number=exchange.number,
        question=exchange.question,
        blocks=tuple(
            answer_tree(answer.text, len(answer.windows), [(s.start, s.end) for s in claims])
        ),
        fault=fault(words, exchange.error) if failed else "",
        detail=str(exchange.error or ""),
        remarks=() if failed else _remarks(answer, words),
        facts="" if failed else _facts(answer, words),
        searched=_searched(answer, words),
        claims=claim_views(answer, claims, words),
        checked=words.checking if checking else summary(claims, words),
        unfounded=tuple(unfounded(answer, claims, words)),
        thumb=exchange.thumb or "",
        comment=exchange.comment,
        reasoning=answer.reasoning,
        copy=_copy(exchange, tips, words),
        tips=tips,
        selected=selected,
        prompted=prompted,
        last=last,
    )


def unfinished(live: LiveAnswer, number: int, words: Strings, *, selected: bool) -> TurnView:
    """Return the view of the turn that is under way."""
    windows = live.windows
    state: State = "writing" if live.text else "searching" if windows is None else "reading"
    so_far = Answer(live.question, live.query, live.text, windows or ())
    status = {"searching": words.searching, "reading": words.reading}.get(state, "")
    return TurnView(
        number=number,
        question=live.question,
        state=state,
        blocks=tuple(answer_tree(live.text, len(windows or ()))),
        status=status,
        reasoning=live.reasoning,
        searched=_searched(so_far, words),
        tips=tuple(heading(window) for window in windows or ()),
        selected=selected,
    )


def _searched(answer: Answer, words: Strings) -> str:
    return words.searched.format(query=answer.query) if answer.rewritten else ""


def _tips(exchange: Exchange, words: Strings) -> tuple[str, ...]:
    def tip(window: Window) -> str:
        lines = exchange.lines.get((window.source, window.start, window.end))
        return f"{heading(window)} — {place(window, lines, words)}"

    return tuple(tip(window) for window in exchange.answer.windows)


def _copy(exchange: Exchange, tips: tuple[str, ...], words: Strings) -> str:
    """Return the answer and the passages that it cites, for the clipboard."""
    text = exchange.answer.text
    sources = [f"[{n}] {tips[n - 1]}" for n in sorted(exchange.cited)]
    return "\n".join([text, "", f"{words.sources}:", *sources]) if sources else text


def _remarks(answer: Answer, words: Strings) -> tuple[str, ...]:
    remarks = [words.fell_back if note == FELL_BACK else note for note in answer.notes]
    if answer.cut:
        stopped = answer.cut_reason in ("", STOPPED)
        remarks.insert(0, words.stopped if stopped else words.cut.format(reason=answer.cut_reason))
    return tuple(remarks)


def _facts(answer: Answer, words: Strings) -> str:
    """Say in a line who answered, how long it took, and what it used."""
    facts = [words.refused] if answer.refused else []
    facts.append(words.extractive if answer.answerer == EXTRACTIVE else answer.answerer)
    if answer.timings.total:
        facts.append(words.seconds.format(seconds=f"{answer.timings.total / 1000:.1f}"))
    if answer.usage:
        used = {"input": answer.usage.input_tokens, "output": answer.usage.output_tokens}
        facts.append(words.tokens.format(**used))
    return " · ".join(fact for fact in facts if fact)
