"""Files that a visitor brings, through Streamlit's uploader into the upload folder.

Draws the uploader, and says which files were taken and why others were not. Taken files are read by
a build that follows at once.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import streamlit as st

from rag.errors import DocumentError
from rag.page.login import login_is_required
from rag.page.reading_faults import reason
from rag.page.suggestions import escaped
from rag.readers import READERS
from rag.uploads import Uploads

if TYPE_CHECKING:
    from rag.page.building import Builder
    from rag.page.frontend import Action
    from rag.page.strings import Strings
    from rag.settings import Settings

HERE = ("localhost", "127.0.0.1", "::1")
"""Addresses of the page that this machine alone can reach."""
MOST_UNSENT = 20
"""How many files that the browser did not send are named."""


@dataclass(frozen=True, slots=True)
class Outcome:
    """What became of the last files: names of those taken, names and reasons of the others."""

    taken: tuple[str, ...] = ()
    refused: tuple[tuple[str, str], ...] = ()


def may_upload(settings: Settings) -> bool:
    """Say whether visitors may bring files.

    Where others than this machine's user can reach the page without a login, only when the folder
    is named.
    """
    if settings.max_upload_megabytes == 0:
        return False
    here = st.get_option("server.address") in HERE
    return here or login_is_required() or settings.uploads is not None


def draw_upload(settings: Settings, builder: Builder, words: Strings) -> None:
    """Draw the uploader, and what became of the files that it was given last."""
    turn = st.session_state.setdefault("upload-turn", 0)
    most = settings.max_upload_megabytes
    st.html(_said(words))
    with st.container(key="upload"):
        files = st.file_uploader(
            words.upload,
            accept_multiple_files=True,
            key=f"upload-{turn}",  # another each time, so that the last files are let go
            max_upload_size=most,
        )
        st.caption(words.upload_types.format(types=" ".join(READERS), most=most))
        if files:
            with st.spinner(words.upload_checking):
                given = [(file.name, file.getvalue()) for file in files]
                outcome = take(Uploads(settings), given)
            st.session_state["upload-turn"] = turn + 1
            st.session_state["upload-outcome"] = outcome
            if outcome.taken:
                builder.start(again=True)
            st.rerun()
        _draw_outcome(last_outcome(settings), words)


def note_unsent(action: Action) -> None:
    """Note the files that the browser says it has not sent: names and why, a line each.

    Its uploader shows them, but is gone once those beside them are read.
    """
    if action.what == "unsent":
        files = zip(action.source.split("\n"), action.comment.split("\n"), strict=False)
        named = [(name, why) for name, why in files if name]
        st.session_state["upload-unsent"] = (action.turn, named[:MOST_UNSENT])


def last_outcome(settings: Settings) -> Outcome:
    """Return what became of the files that the uploader was given last."""
    outcome: Outcome = st.session_state.get("upload-outcome", Outcome())
    turn, files = st.session_state.get("upload-unsent", (None, ()))
    if turn != st.session_state.get("upload-turn", 0) - 1:
        return outcome  # they still stand in the uploader, or are of one before
    most = settings.max_upload_megabytes
    reasons = {"too_large": f"{most} MB are allowed", "not_sent": "did not arrive; try again"}
    unsent = tuple((name, reasons.get(why, reasons["not_sent"])) for name, why in files)
    return replace(outcome, refused=outcome.refused + unsent)


def forget_outcome() -> None:
    """Say no more of the last files."""
    for key in ("upload-outcome", "upload-unsent"):
        st.session_state.pop(key, None)


def take(uploads: Uploads, files: list[tuple[str, bytes]]) -> Outcome:
    """Keep what can be read of ``files``: names and bytes."""
    taken: list[str] = []
    refused: list[tuple[str, str]] = []
    for name, data in files:
        try:
            taken.append(uploads.take(name, data).partition("/")[2])
        except DocumentError as error:
            refused.append((error.path, str(error)))
    return Outcome(tuple(taken), tuple(refused))


def _draw_outcome(outcome: Outcome, words: Strings) -> None:
    if outcome.taken:
        names = ", ".join(map(escaped, outcome.taken))
        st.success(words.upload_taken.format(names=names), icon=":material/check:")
    for name, why in outcome.refused:
        said = words.upload_refused.format(name=escaped(name))
        st.warning(f"{said}  \n{escaped(reason(why, words))}", icon=":material/block:")


def _said(words: Strings) -> str:
    """Return a style that puts the page's words in place of the uploader's own, which are English
    and cannot be set.
    """
    said = {"drop": words.upload_drop, "browse": words.upload_browse, "here": words.labels["drop"]}
    plain = {name: re.sub(r"[\\\"<>]", "", text) for name, text in said.items()}
    variables = " ".join(f'--{name}: "{text}";' for name, text in plain.items())
    return f"<style>.st-key-upload {{ {variables} }}</style>"
