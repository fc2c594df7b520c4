"""Turns → a stored conversation, and back exactly as they were.

Each turn is one row with all that it was made from, so sources cannot end up at another turn. Knows
no page and no model. Who may see what: a conversation of a logged-in user is that user's alone; one
without an owner is open to whoever has its link, and listed only where all visitors are at this
machine.
"""

from __future__ import annotations

import secrets
import sqlite3
import time
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

from rag.conversations.file import clean, open_file
from rag.conversations.serial import from_json, to_json
from rag.conversations.stored_turn import ConversationInfo, StoredTurn, Thumb, Visitor
from rag.errors import ConversationMissing, HistoryError
from rag.support.verdict import Support
from rag.types import Turn

TITLE_CHARACTERS = 80
"""The longest title that is made of a first question."""


class Conversations:
    """The conversations in one file. Safe to use from several threads and processes.

    All methods raise :class:`~rag.errors.HistoryError` when the file cannot be used, and those that
    name a conversation :class:`~rag.errors.ConversationMissing` when there is none of that id, or
    none for this visitor.
    """

    def __init__(self, path: Path) -> None:
        """``path`` is made, with its folder, when the first conversation is."""
        self.path = path

    def start(self, visitor: Visitor, title: str = "") -> str:
        """Begin a conversation and return its id. Without ``title`` its first question names it."""
        new = secrets.token_urlsafe(16)
        now = time.time()
        with open_file(self.path, write=True) as file:
            row = (new, visitor.user, clean(title), now, now)
            file.execute("INSERT INTO conversations VALUES (?, ?, ?, ?, ?)", row)
        return new

    def list(self, visitor: Visitor, words: str = "") -> tuple[ConversationInfo, ...]:
        """Return the visitor's conversations, the last changed first.

        With ``words`` those that hold all of them, in titles, questions or answers, in any case.
        """
        if (visitor.user is None and not visitor.local) or not self.path.exists():
            return ()
        sql = f"{_INFO} WHERE c.owner IS ?"
        wanted = clean(words).casefold().split()
        sql += (
            " AND (instr(folded(c.title), ?) OR EXISTS"
            " (SELECT 1 FROM turns t WHERE t.conversation = c.id AND instr(t.folded, ?)))"
        ) * len(wanted)
        values = [visitor.user, *(word for word in wanted for _ in range(2))]
        with open_file(self.path) as file:
            file.create_function("folded", 1, str.casefold, deterministic=True)
            rows = file.execute(f"{sql} ORDER BY c.changed DESC, c.id", values).fetchall()
        return tuple(ConversationInfo(*row) for row in rows)

    def info(self, conversation: str, visitor: Visitor) -> ConversationInfo:
        """Return what a list says of one conversation."""
        with open_file(self.path) as file:
            return self._open(file, conversation, visitor)

    def turns(self, conversation: str, visitor: Visitor) -> tuple[StoredTurn, ...]:
        """Return the turns in order, each equal to what was added."""
        with open_file(self.path) as file:
            self._open(file, conversation, visitor)
            rows = file.execute(
                "SELECT record, number, thumb, comment FROM turns WHERE conversation = ?"
                " ORDER BY number",
                (conversation,),
            ).fetchall()
        try:
            return tuple(
                replace(from_json(StoredTurn, record), number=number, thumb=thumb, comment=comment)
                for record, number, thumb, comment in rows
            )
        except ValueError as error:
            raise HistoryError(f"A turn in {self.path} cannot be read: {error}") from None

    def add_turn(self, conversation: str, visitor: Visitor, turn: StoredTurn) -> StoredTurn:
        """Put a turn behind the last one and return it with its number.

        Add a turn when it is over, however it ended: a turn is stored whole or not at all.
        """
        turn = replace(turn, asked=turn.asked or time.time())
        with open_file(self.path, write=True) as file:
            title = self._open(file, conversation, visitor).title or _title(turn.question)
            number = file.execute(
                "SELECT coalesce(max(number), 0) + 1 FROM turns WHERE conversation = ?",
                (conversation,),
            ).fetchone()[0]
            turn = replace(turn, number=number)
            answer = turn.answer.text if turn.answer else ""
            folded = clean(f"{turn.question}\n{answer}").casefold()
            record = to_json(replace(turn, thumb=None, comment=""))
            file.execute(
                "INSERT INTO turns VALUES (?, ?, ?, ?, ?, ?, ?, ?)",
                (conversation, number, turn.asked, clean(turn.question), record, folded,
                 turn.thumb, clean(turn.comment)),
            )  # fmt: skip
            _touch(file, conversation, title)
        return turn

    def set_support(
        self, conversation: str, visitor: Visitor, number: int, support: tuple[Support, ...]
    ) -> None:
        """Say what became of the sentences of a stored answer."""
        with open_file(self.path, write=True) as file:
            self._open(file, conversation, visitor)
            row = file.execute(
                "SELECT record FROM turns WHERE conversation = ? AND number = ?",
                (conversation, number),
            ).fetchone()
            if row is not None:
                record = to_json(replace(from_json(StoredTurn, row[0]), support=support))
                file.execute(
                    "UPDATE turns SET record = ? WHERE conversation = ? AND number = ?",
                    (record, conversation, number),
                )

    def drop_turns(self, conversation: str, visitor: Visitor, first: int) -> None:
        """Take turn ``first`` and all behind it out: the question is asked again."""
        with open_file(self.path, write=True) as file:
            title = self._open(file, conversation, visitor).title
            file.execute(
                "DELETE FROM turns WHERE conversation = ? AND number >= ?", (conversation, first)
            )
            _touch(file, conversation, title)

    def rename(self, conversation: str, visitor: Visitor, title: str) -> None:
        """Give a conversation another title."""
        with open_file(self.path, write=True) as file:
            self._open(file, conversation, visitor)
            _touch(file, conversation, " ".join(clean(title).split()))

    def delete(self, conversation: str, visitor: Visitor) -> None:
        """Take a conversation and its turns away for good."""
        with open_file(self.path, write=True) as file:
            self._open(file, conversation, visitor)
            file.execute("DELETE FROM conversations WHERE id = ?", (conversation,))

    def rate(
        self,
        conversation: str,
        visitor: Visitor,
        number: int,
        thumb: Thumb | None,
        comment: str = "",
    ) -> None:
        """Set the thumb and the comment of a turn's answer; None and "" take them back."""
        with open_file(self.path, write=True) as file:
            self._open(file, conversation, visitor)
            file.execute(
                "UPDATE turns SET thumb = ?, comment = ? WHERE conversation = ? AND number = ?",
                (thumb, clean(comment), conversation, number),
            )

    def _open(
        self, file: sqlite3.Connection, conversation: str, visitor: Visitor
    ) -> ConversationInfo:
        row = file.execute(f"{_INFO} WHERE c.id = ?", (conversation,)).fetchone()
        if row is None or row[2] not in (None, visitor.user):
            raise ConversationMissing("None of yours has this address. Begin a new chat")
        return ConversationInfo(*row)


_INFO = (
    "SELECT c.id, c.title, c.owner, c.created, c.changed,"
    " (SELECT count(*) FROM turns n WHERE n.conversation = c.id),"
    " (SELECT count(*) FROM turns r WHERE r.conversation = c.id AND r.thumb = 'up')"
    " FROM conversations c"
)


def history_of(turns: Sequence[StoredTurn]) -> tuple[Turn, ...]:
    """Return the turns as the next question follows them: those that have an answer's text."""
    return tuple(Turn(t.question, t.answer.text) for t in turns if t.answer and t.answer.text)


def _touch(file: sqlite3.Connection, conversation: str, title: str) -> None:
    file.execute(
        "UPDATE conversations SET changed = ?, title = ? WHERE id = ?",
        (time.time(), title, conversation),
    )


def _title(question: str) -> str:
    words = " ".join(clean(question).split())
    return words if len(words) <= TITLE_CHARACTERS else words[: TITLE_CHARACTERS - 1] + "…"
