"""Windows become cards: exact slices, marked where a sentence was found, numbered as answered."""

from __future__ import annotations

from rag.page.cards import Piece, cards, heading, open_document, why
from rag.page.strings import LANGUAGES
from rag.types import Hit, Sentence, Window

EN = LANGUAGES["en"]
TEXT = "Intro. Boil twice. Pour away. Rinse. Dry."


def hit(text: str, rank: int, index: int = 0, source: str = "a.md") -> Hit:
    """A found sentence of TEXT."""
    start = TEXT.index(text)
    sentence = Sentence(source, index, start, start + len(text), text)
    return Hit(sentence, rank, dense=0.876, dense_rank=rank)


def window(text: str, rank: int, *hits: Hit, source: str = "a.md") -> Window:
    """A passage of TEXT."""
    start = TEXT.index(text)
    return Window(rank, source, start, start + len(text), text, 0, 9, hits, title="Kettle")


BOIL, DRY = hit("Boil twice.", 1, 1), hit("Dry.", 2, 4)
FIRST = window("Intro. Boil twice. Pour away.", 1, BOIL)
SECOND = window("Rinse. Dry.", 2, DRY)


def test_the_pieces_of_a_card_are_its_window() -> None:
    """Joined, the pieces are the window's text; the found sentence alone has a rank."""
    (card,) = cards([FIRST], [FIRST], {}, (), EN)
    assert "".join(piece.text for piece in card.pieces) == FIRST.text
    assert [piece for piece in card.pieces if piece.rank] == [Piece("Boil twice.", 1)]


def test_cited_windows_come_first_and_keep_their_numbers() -> None:
    """A passage that the answer cites stands before one that it does not."""
    drawn = cards([FIRST, SECOND], [FIRST, SECOND], {}, {2}, EN)
    assert [(card.numbers, card.cited) for card in drawn] == [((2,), True), ((1,), False)]


def test_resized_windows_keep_the_numbers_of_the_answer() -> None:
    """Two windows that run together at another size are one card with both numbers."""
    whole = Window(1, "a.md", 0, len(TEXT), TEXT, 0, 4, (BOIL, DRY), title="Kettle")
    (card,) = cards([whole], [FIRST, SECOND], {}, {2}, EN)
    assert card.numbers == (1, 2)
    assert card.cited


def test_a_card_says_where_it_stands() -> None:
    """File, lines and page; one line is not a range."""
    placed = Window(1, "a.md", 0, 6, "Intro.", 0, 0, (BOIL,), page=3)
    lines = {("a.md", 0, 6): (4, 4)}
    (card,) = cards([placed], [placed], lines, (), EN)
    assert card.place == "a.md:4, page 3"


def test_a_heading_names_nothing_twice() -> None:
    """A title that is also the first heading stands once."""
    named = Window(1, "a.md", 0, 1, "x", 0, 0, (), title="Kettle", section=("Kettle", "First use"))
    assert heading(named) == "Kettle › First use"


def test_why_says_ranks_scores_and_terms_in_words() -> None:
    """Both legs are told apart, and the words in common are named."""
    found = Hit(
        BOIL.sentence, 2, dense=0.876, dense_rank=3, keyword=11.24, keyword_rank=1, terms=("E07",)
    )
    assert why(found, EN) == (
        "Rank 2 of all sentences found. Close in meaning: place 3, similarity 0.88. "
        "Shares words: place 1, score 11.2. Words in common: E07."
    )  # fmt: skip
    by_meaning = why(BOIL, EN)
    assert "Not among those that share the question's words." in by_meaning


def test_a_document_shows_every_hit_and_opens_at_the_passage() -> None:
    """All found sentences of the file are marked; the one to scroll to is the passage's best."""
    opened = open_document(TEXT, [FIRST, SECOND], "a.md", SECOND.start, "")
    assert "".join(piece.text for piece in opened.pieces) == TEXT
    assert [piece.rank for piece in opened.pieces if piece.rank] == [1, 2]
    assert opened.pieces[opened.target] == Piece("Dry.", 2)


def test_every_language_says_everything() -> None:
    """The languages have the same braces in each string, and words for every error class."""
    import re
    from dataclasses import fields

    en, zh = LANGUAGES["en"], LANGUAGES["zh"]
    for field in fields(en):
        one, other = getattr(en, field.name), getattr(zh, field.name)
        assert type(one) is type(other)
        if isinstance(one, dict):
            # For why a file is not read English has the readers' own words.
            assert one.keys() == other.keys() or (field.name, one) == ("reasons", {})
        elif isinstance(one, str):
            assert one
            assert other
            assert set(re.findall(r"{\w*}", one)) == set(re.findall(r"{\w*}", other))
