"""The page's components: scripts and styles beside this file, registered with Streamlit.

Streamlit's own elements draw the frame; these draw what holds foreign text, as text nodes.
"""

from __future__ import annotations

from dataclasses import asdict, dataclass
from pathlib import Path
from typing import TYPE_CHECKING, ClassVar

import streamlit as st

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

FOLDER = Path(__file__).parent
PAGE_STYLE = FOLDER / "page.css"
ICON = FOLDER / "icon.svg"


@dataclass(frozen=True, slots=True)
class Action:
    """What was clicked in a component. ``what`` is a word of the component's script; the others are
    what it says of it, and empty where it says nothing. All of it comes from the browser.
    """

    what: str = ""
    turn: int = 0
    passage: int = 0
    question: str = ""
    source: str = ""
    start: int = 0
    end: int = 0
    thumb: str = ""
    comment: str = ""

    _TYPES: ClassVar[dict[str, type]] = {
        "what": str, "turn": int, "passage": int, "question": str, "source": str, "start": int,
        "end": int, "thumb": str, "comment": str,
    }  # fmt: skip

    @classmethod
    def read(cls, payload: object) -> Action:
        """Make an action of what a browser sent, dropping what is not of its type."""
        if not isinstance(payload, dict):
            return cls()
        fits = {
            name: payload[name]
            for name, kind in cls._TYPES.items()
            if name in payload and type(payload[name]) is kind
        }
        return cls(**fits)


def _component(name: str) -> Callable[..., object]:
    """Register the component whose script and style, if it has one, are named ``name``."""
    script, style = (
        "\n".join((FOLDER / file).read_text("utf-8") for file in files if (FOLDER / file).exists())
        for files in (("nodes.js", f"{name}.js"), ("shared.css", f"{name}.css"))
    )
    return st.components.v2.component(f"sentence_window.{name}", js=script, css=style)


_MOUNTS = {name: _component(name) for name in ("conversation", "evidence", "documents", "labels")}


def draw(
    name: str, key: str, data: Mapping[str, object], on_action: Callable[[Action], None]
) -> None:
    """Draw the component ``name``; ``on_action`` is called before the run that a click causes."""

    def clicked() -> None:
        on_action(Action.read(st.session_state[key].get("action")))

    plain = {field: _plain(value) for field, value in data.items()}
    _MOUNTS[name](key=key, data=plain, on_action_change=clicked)


def _plain(value: object) -> object:
    """Turn dataclasses, alone or in sequences, into what JSON can hold."""
    if isinstance(value, (list, tuple)):
        return [_plain(item) for item in value]
    if hasattr(value, "__dataclass_fields__"):
        return asdict(value)  # type: ignore[call-overload]
    return value
