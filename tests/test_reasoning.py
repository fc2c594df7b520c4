"""What a model thinks is kept apart from what it says, however the stream is cut."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rag.answers.reasoning import ReasoningSplitter
from rag.types import ReasoningMode


def split(pieces: list[str], mode: ReasoningMode = "auto") -> tuple[str, str]:
    """Text and reasoning of a whole stream."""
    splitter = ReasoningSplitter(mode)
    text, reasoning = "", ""
    for part in [*map(splitter.feed, pieces), splitter.finish()]:
        if part.recalled:
            text, reasoning = "", reasoning + text
        text, reasoning = text + part.text, reasoning + part.reasoning
    return text, reasoning


@pytest.mark.parametrize(
    ("stream", "text", "reasoning"),
    [
        ("Boil it.", "Boil it.", ""),
        ("<think>\nHm.\n</think>\n\nBoil it.", "Boil it.", "\nHm.\n"),
        ("\n<think></think>Boil it.", "Boil it.", ""),
        ("<thinking>Hm.</thinking>Boil it.", "Boil it.", "Hm."),
        ("[THINK]Hm.[/THINK]Boil it [1].", "Boil it [1].", "Hm."),
        ("Hm.</think>Boil it.", "Boil it.", "Hm."),
        ("<think>a</think>Boil <think>b</think>it.", "Boil it.", "ab"),
        ("<think>a</think>Boil</think> it.", "Boil it.", "a"),
        ("<think>never ends", "", "never ends"),
        ("2 < 3 and <b>bold</b> [1] [T", "2 < 3 and <b>bold</b> [1] [T", ""),
    ],
)
@given(data=st.data())
def test_thinking_is_taken_out_in_any_chunking(
    data: st.DataObject, stream: str, text: str, reasoning: str
) -> None:
    """Wherever a stream is cut into pieces, its text and its thinking are the same."""
    cuts = sorted(data.draw(st.sets(st.integers(1, len(stream) - 1), max_size=8)))
    pieces = [stream[a:b] for a, b in zip([0, *cuts], [*cuts, len(stream)], strict=True)]
    assert split(pieces) == (text, reasoning)


def test_an_unopened_stream_holds_its_text_until_it_knows() -> None:
    """With ``unopened`` nothing is given out before the closing tag, and nothing recalled."""
    splitter = ReasoningSplitter("unopened")
    assert splitter.feed("Let me see. ").text == ""
    part = splitter.feed("Yes.</think>Boil ")
    assert (part.text, part.reasoning, part.recalled) == ("Boil ", "Let me see. Yes.", False)
    assert splitter.feed("it.").text == "it."


def test_an_unopened_stream_without_a_tag_is_the_answer() -> None:
    """A model that does not think after all loses nothing."""
    assert split(["Boil ", "it."], "unopened") == ("Boil it.", "")
    assert split(["<think>a</think>Boil"], "unopened") == ("Boil", "a")


def test_text_mode_leaves_all_in_place() -> None:
    """With ``text`` the tags are part of the answer."""
    assert split(["<think>a</think>", " Boil"], "text") == ("<think>a</think> Boil", "")


def test_plain_text_is_not_held_back() -> None:
    """A piece without the beginning of a tag is given out at once; a bracket waits for the next."""
    splitter = ReasoningSplitter()
    assert splitter.feed("Boil it ").text == "Boil it "
    assert splitter.feed("[").text == ""
    assert splitter.feed("1]").text == "[1]"
