"""The left pane: the turns so far, the one under way, and what to ask when there is none.

Draws only. The turn under way is a fragment of its own, so that nothing else is drawn while an
answer streams. Its script asks for the next look once it has drawn the last one: a browser that is
slower than the answer gets fewer looks, not a queue of them that grows.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING

import streamlit as st

from rag.page.exchange import Options, Pending
from rag.page.frontend import Action, draw
from rag.page.session import Session
from rag.page.suggestions import suggest
from rag.page.turns import TurnView, finished, unfinished

if TYPE_CHECKING:
    from rag.conversations.stored_turn import Thumb
    from rag.page.library import Library
    from rag.page.strings import Strings

HEARTBEAT_SECONDS = 1.0
"""How often one looks when the browser does not ask, as after a lost connection."""

KEEPING_SECONDS = 0.3
"""How often one looks whether the last answer is stored and checked."""

WAIT_SECONDS = 0.2
"""The longest that a drawing waits for something new to draw, and so that a click waits for it."""


def draw_conversation(session: Session, library: Library, options: Options, words: Strings) -> None:
    """Draw the conversation, or an invitation to begin one."""
    shown = session.shown
    busy = session.keeper.busy  # before the turns are drawn, so that none is drawn as it was
    turns = [
        finished(
            exchange,
            words,
            selected=exchange is shown,
            last=exchange is session.exchanges[-1],
            support=session.support(exchange),
        )
        for exchange in session.exchanges
    ]

    def act(action: Action) -> None:
        _act(action, session, library, options)

    _draw("turns", turns, session, words, act, page=session.page)
    # Both are always there, so that a turn that ends does not make the page anew.
    session.drawn = -1  # this run draws at once what the fragment's own runs wait for
    every = HEARTBEAT_SECONDS if session.live else KEEPING_SECONDS if busy else None
    under_way = st.fragment(_draw_live, run_every=every)
    found = session.live is None or session.live.windows is not None
    under_way(session, words, page=session.page, found=found, keeping=busy)
    if not turns and session.live is None:
        _invite(session, library, options, words)


def _draw_live(session: Session, words: Strings, *, page: int, found: bool, keeping: bool) -> None:
    """Draw the turn under way, and the page anew when the passages are there or the turn is done.

    ``page`` numbers the drawing of the page that this belongs to; ``found`` says whether the
    passages were there then, ``keeping`` whether a turn was still to be stored or checked.
    """
    if page != session.page:  # a run that was to draw the page did not get to the end
        st.rerun()
    live = session.live
    if live is not None:
        live.wait_for_news(session.drawn, WAIT_SECONDS)
        session.drawn = len(live.text) + len(live.reasoning)
        if live.done or (live.windows is not None and not found):
            st.rerun()
        session.look_again(HEARTBEAT_SECONDS)
    elif keeping and not session.keeper.busy:
        st.rerun()
    turns = []
    if live is not None:
        number = session.made + 1
        turns.append(unfinished(live, number, words, selected=session.selected is None))
        turns += [
            TurnView(number + at, pending.question, state="waiting", status=words.waiting)
            for at, pending in enumerate(session.waiting, 1)
        ]

    def act(action: Action) -> None:
        _select(action, session)
        if action.what == "look":
            session.looked_at = action.turn
        elif action.what == "lost":
            # Drawn but not arrived: a busy server drops what it has not sent when a run begins.
            session.page += action.turn == session.page

    _draw("live", turns, session, words, act, page=page, look=session.look if live else 0)
    if live is not None:
        st.button(words.stop, key="stop", icon=":material/stop_circle:", on_click=live.stop)


def _draw(
    key: str,
    turns: Sequence[TurnView],
    session: Session,
    words: Strings,
    act: Callable[[Action], None],
    *,
    page: int,
    look: int = 0,
) -> None:
    names = ("again", "cancel", "copied", "copy", "edit", "edit_note", "reasoning", "send",
             "show_evidence", "show_prompt", "unfounded", "good", "bad", "comment",
             "because")  # fmt: skip
    said = {name: getattr(words, name) for name in names}
    draw(
        "conversation",
        key,
        {
            "turns": turns,
            "words": said,
            "busy": session.live is not None,
            "look": look,
            "part": key,
            "page": page,
            "rates": session.keeper.archive is not None,
        },
        act,
    )


def _invite(session: Session, library: Library, options: Options, words: Strings) -> None:
    with st.container(key="invitation"):
        st.subheader(words.welcome, anchor=False)
        st.caption(words.welcome_hint)
        for at, question in enumerate(suggest(library.assistant.documents(), words)):
            st.button(
                question.label,
                key=f"suggestion-{at}",
                width="stretch",
                on_click=session.ask,
                args=(library, Pending(question.text, options)),
            )


def _select(action: Action, session: Session) -> None:
    if action.what == "select":
        session.select(action.turn, action.passage or None, action.start, action.end)


def _act(action: Action, session: Session, library: Library, options: Options) -> None:
    _select(action, session)
    if action.what == "prompt":
        session.prompt_of = action.turn
    elif action.what == "rate":
        thumb: Thumb | None = "up" if action.thumb == "up" else None
        thumb = "down" if action.thumb == "down" else thumb
        session.rate(action.turn, thumb, action.comment.strip())
    elif action.what == "again":
        dropped = session.drop_from(action.turn)
        if dropped:
            session.ask(library, Pending(dropped.question, options))
    elif action.what == "edit" and action.question.strip() and session.drop_from(action.turn):
        session.ask(library, Pending(action.question, options))
