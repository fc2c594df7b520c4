"""PDF → text, blocks and pages, from documents that LibreOffice makes and from broken ones."""

from __future__ import annotations

import io
import re
import zlib
from pathlib import Path

import pypdfium2
import pytest
from hypothesis import given
from hypothesis import strategies as st

from rag.documents import read_document
from rag.nodes import parse_sentences
from rag.readers import Content
from rag.readers.folder_search import File
from rag.readers.pdf import read
from rag.readers.pdf_glyphs import GLYPHS
from rag.readers.pdf_layout import write_blocks
from rag.readers.pdf_lines import Line, PageLines
from tests.conftest import SAMPLES
from tests.data.manual_texts import CHINESE, EGG_BOILER, ENGLISH, Manual
from tests.read_blocks import Read, check, read_blocks

DATA = Path(__file__).parent / "data"


def expected(manual: Manual) -> list[Read]:
    """The blocks of a manual but for its footnotes, as its text says them."""
    blocks: list[Read] = []
    section: tuple[str, ...] = ()
    for kind, value in manual.blocks:
        if kind == "title":
            blocks.append(("heading", str(value), ()))
        elif kind in ("h1", "h2"):
            section = (*section[: int(kind[1]) - 1], str(value))
            blocks.append(("heading", str(value), section))
        elif kind == "table":
            blocks += [("row", " | ".join(row), section) for row in value]  # type: ignore[attr-defined]
        elif kind in ("bullets", "numbers"):
            for number, item in enumerate(value, start=1):  # type: ignore[arg-type, var-annotated]
                for text in item if isinstance(item, list) else [item]:
                    bullet = "– " if isinstance(item, list) else "• "
                    marker = bullet if kind == "bullets" else f"{number}. "
                    blocks.append(("item", marker + text, section))
        else:
            blocks.append(("sentence", re.sub(r"\{\{.*?\}\}", "", str(value)), section))
    return blocks


@pytest.fixture(scope="module", params=[ENGLISH, CHINESE, EGG_BOILER], ids=lambda m: m.name)
def manual(request: pytest.FixtureRequest) -> Manual:
    """Each of the manuals."""
    return request.param  # type: ignore[no-any-return]


def file_of(manual: Manual) -> Path:
    """The PDF file of a manual."""
    folder = SAMPLES / "formats" if manual.folder.startswith("docs") else DATA
    return folder / f"{manual.name}.pdf"


def test_a_document_of_libreoffice_is_read_whole(manual: Manual) -> None:
    """Lines and hyphens are joined, also over pages; heads and feet are left out."""
    content = read(file_of(manual).read_bytes())
    assert content.title == manual.title
    assert [block for block in read_blocks(content) if block[0] != "footnote"] == expected(manual)
    assert not content.notes


def test_a_footnote_does_not_stand_amid_a_sentence() -> None:
    """It follows the paragraph before the one that runs on to the next page."""
    for language, note in (("en", "1 Hardness above 14 °dH counts as hard."),
                           ("zh", "1 硬度超过 14 °dH 即为硬水。")):  # fmt: skip
        content = read((DATA / f"steam-mop-m3.{language}.pdf").read_bytes())
        notes = [block for block in content.blocks if block.kind == "footnote"]
        assert [content.text[note.start : note.end] for note in notes] == [note]


def test_each_sentence_names_the_page_it_stands_on(manual: Manual) -> None:
    """The page begins with what PDFium finds on it; offsets count in the extracted text."""
    path = file_of(manual)
    with pypdfium2.PdfDocument(path) as pdf:
        shown = [squeezed(page.get_textpage().get_text_range()) for page in pdf]
    document = read_document(File(path.name, path, 0, 0.0))
    parsed = parse_sentences(document, window_size=1)
    assert {each.sentence.page for each in parsed} == set(range(1, len(shown) + 1))
    searchable = {(b.kind, b.section) for b in document.blocks if b.searchable}
    assert {(p.sentence.kind, p.sentence.section) for p in parsed} == searchable
    for each in parsed:
        sentence = each.sentence
        assert sentence.page
        assert document.text[sentence.start : sentence.end] == sentence.text
        begin = squeezed(sentence.text.replace(" | ", ""))[:8]
        assert begin in shown[sentence.page - 1]


def squeezed(text: str) -> str:
    """Letters and digits alone."""
    return re.sub(r"[\W_]", "", text)


def test_a_paragraph_that_runs_over_a_page_is_on_both() -> None:
    """The page turns amid the sentence, where the printed page does."""
    for language, before, after in (("en", "forms ", "an insoluble"), ("zh", "一水", "箱中静置")):
        content = read((DATA / f"steam-mop-m3.{language}.pdf").read_bytes())
        starts = {page.start for page in content.pages} - {b.start for b in content.blocks}
        (turn,) = starts
        assert content.text[:turn].endswith(before[-1])
        assert content.text[turn:].startswith(after)


def pdf(*pages: str, extra: str = "", outline: str = "") -> bytes:
    """A PDF file of content streams, with Courier as F1, on pages of 612 × 792 points."""
    count = len(pages)
    kids = " ".join(f"{10 + 2 * n} 0 R" for n in range(count))
    objects = {
        1: f"<</Type/Catalog/Pages 2 0 R{outline}>>",
        2: f"<</Type/Pages/Kids[{kids}]/Count {count}/MediaBox[0 0 612 792]"
        "/Resources<</Font<</F1 3 0 R>>/XObject<</I 4 0 R>>>>>>",
        3: "<</Type/Font/Subtype/Type1/BaseFont/Courier/Encoding/WinAnsiEncoding>>",
    }
    picture = "/Subtype/Image/Width 1/Height 1/BitsPerComponent 8/ColorSpace/DeviceGray"
    streams = {4: (picture, b"\0")}
    for n, page in enumerate(pages):
        objects[10 + 2 * n] = f"<</Type/Page/Parent 2 0 R/Contents {11 + 2 * n} 0 R>>"
        streams[11 + 2 * n] = ("", page.encode("cp1252"))
    data = b"%PDF-1.4\n"
    for number, text in objects.items():
        data += f"{number} 0 obj{text}endobj\n".encode("cp1252")
    for number, (entries, stream) in streams.items():
        packed = zlib.compress(stream)
        head = f"{number} 0 obj<</Filter/FlateDecode/Length {len(packed)}{entries}>>stream\n"
        data += head.encode() + packed + b"\nendstream endobj\n"
    return data + f"trailer<</Root 1 0 R{extra}>>\n".encode()


def lines(*texts: str, top: int = 700, left: int = 72, size: int = 12) -> str:
    """A content stream of lines under each other."""
    shown = "".join(f"({text}) Tj 0 {-1.2 * size} Td " for text in texts)
    return f"BT /F1 {size} Tf {left} {top} Td {shown}ET\n"


def texts(content: Content) -> list[str]:
    """The texts of the blocks."""
    return [text for _, text, _ in read_blocks(content)]


FULL = "This line is as long as a line can be on this page, it has"


def test_lines_are_joined_only_where_they_were_full() -> None:
    """A short line ends a paragraph; a hyphen goes, unless the word has one elsewhere."""
    page = lines(
        FULL,
        "no more room. It ends.",
        "Short lines",
        "stand alone.",
        "One line of text is not enough for what this well-known inter-",
        "rupted line has to say, so it ends where the words are well-",
        "known. A name such as the one of the kettle is never torn: K-",
        "1 is one.",
    )
    assert texts(read(pdf(page))) == [
        f"{FULL} no more room. It ends.",
        "Short lines",
        "stand alone.",
        (
            "One line of text is not enough for what this well-known interrupted line has to say, "
            "so it ends where the words are well-known. A name such as the one of the kettle is "
            "never torn: K-1 is one."
        ),
    ]


def test_larger_print_is_a_heading_where_there_is_no_outline() -> None:
    """The largest of the first page is the title; the others are sections by size."""
    page = (
        lines("Big Title", top=740, size=24) + lines("Chapter", top=690, size=18)
        + lines(FULL, "text.", top=660) + lines("Section", top=600, size=15)
        + lines("More text stands here.", top=570)
    )  # fmt: skip
    content = read(pdf(page))
    assert content.title == "Big Title"
    assert read_blocks(content) == [
        ("heading", "Big Title", ()),
        ("heading", "Chapter", ("Chapter",)),
        ("sentence", f"{FULL} text.", ("Chapter",)),
        ("heading", "Section", ("Chapter", "Section")),
        ("sentence", "More text stands here.", ("Chapter", "Section")),
    ]


def test_two_columns_are_read_one_after_the_other() -> None:
    """A sentence goes on at the top of the next column."""
    left = [f"Left column line {n} is full" for n in "abcdefgh"]
    right = [f"of words which go on {n} {n}" for n in "abcdefg"]
    page = lines(*left, left=60) + lines(*right, "and ends here.", left=320)
    assert texts(read(pdf(page))) == [" ".join([*left, *right, "and ends here."])]


def test_running_heads_are_left_out_and_what_stands_once_is_kept() -> None:
    """The same line at the same height of most pages is furniture, page numbers included."""
    pages = [
        lines("Acme manual", top=760) + lines(f"{FULL} {n}", f"Page text {word} ends.")
        + lines(f"Page {n} of 3", top=30)
        for n, word in ((1, "one"), (2, "two"), (3, "three"))
    ]  # fmt: skip
    pages[0] += lines("Order number 4711", top=50)
    content = read(pdf(*pages))
    assert "Acme" not in content.text
    assert "of 3" not in content.text
    assert "Order number 4711" in content.text
    assert [content.text[p.start : p.end].split()[-2] for p in content.pages[1:]] == [
        "two",
        "three",
    ]


def test_heads_with_page_numbers_are_left_out_even_if_each_stands_on_few_pages() -> None:
    """A chapter's head is known by its number, which counts the pages."""
    heads = ["Pouring 11", "Pouring 12", "Boiling 13", "Cleaning 14"]
    pages = [lines(head, top=760) + lines(FULL, f"of {head}.") for head in heads]
    pages[0] = lines("Twelve cups of 99", top=760) + lines(FULL, "of tea.")
    text = read(pdf(*pages)).text
    assert text.startswith("Twelve cups of 99")
    assert text.count("12") == text.count("13") == text.count("14") == 1


CELLS = st.sampled_from([(), ("Part", "Price"), ("Lid", "3"), ("Cord", "low"), ("A", "B", "C")])


@given(st.lists(st.lists(CELLS, min_size=1, max_size=6), min_size=1, max_size=3))
def test_a_row_is_embedded_with_its_table_s_first(rows: list[list[tuple[str, ...]]]) -> None:
    """Text ends a table, pages do not; a first row with numbers or of other length is no header."""
    pages = []
    for number, page in enumerate(rows, 1):
        of_page = [
            Line(number, " ".join(cells) or "Text.", 72, 200, 700 - 15 * n, 12, cells=cells)
            for n, cells in enumerate(page)
        ]
        pages.append(PageLines(number, 792, tuple(of_page)))
    content = write_blocks(pages, [], "", [])
    first: list[str] = []
    for block in content.blocks:
        cells = content.text[block.start : block.end].split(" | ")
        header = first if len(first) == len(cells) and "3" not in first else []
        if block.kind == "row":
            assert block.context == " | ".join(header)
            first = first or cells
        else:
            first = []


def test_a_table_of_contents_stays_lines() -> None:
    """An entry ends with its page, and dots that lead there are one mark."""
    page = lines(
        *(f"{name} {'. ' * (29 - len(name) // 2)}{n}" for n, name in ((1, "Use"), (2, "Care")))
    )
    assert texts(read(pdf(page))) == ["Use … 1", "Care … 2"]


def test_ragged_lines_go_on_before_a_small_letter() -> None:
    """A line a little shorter than it could be ends no sentence."""
    page = lines(
        FULL, "and more.", "Ragged print leaves room at the end of a line", "now and then.",
        "It does so",
    )  # fmt: skip
    assert texts(read(pdf(page)))[1:] == [
        "Ragged print leaves room at the end of a line now and then.", "It does so",
    ]  # fmt: skip


def test_a_single_page_keeps_all_its_lines() -> None:
    """What repeats cannot be told from one page."""
    content = read(pdf(lines("Acme manual", top=760) + lines(FULL, "Text ends.")))
    assert content.text.startswith("Acme manual")


def test_raised_digits_and_marks() -> None:
    """m² is not m2; a note's mark behind a sentence is left out."""
    small, normal = "/F1 7 Tf 5 Ts", "/F1 12 Tf 0 Ts"
    page = (
        f"BT {normal} 72 700 Td (It covers 20 m) Tj {small} (2) Tj {normal} ( of floor.) Tj "
        f"{small} (1) Tj {normal} ( Good.) Tj ET"
    )
    assert read(pdf(page)).text == "It covers 20 m² of floor. Good."


def test_pages_without_text_are_named_if_they_are_pictures() -> None:
    """A scan is refused whole; a scanned page among others is a remark; a blank page is nothing."""
    picture = "q 500 0 0 700 50 50 cm /I Do Q"
    with pytest.raises(ValueError, match="holds no text: its 2 pages are pictures"):
        read(pdf(picture, picture))
    content = read(pdf(lines("Some text."), picture, "", lines("More text.")))
    assert content.notes == ("page 2 without text: pictures of text are not read",)
    assert [page.number for page in content.pages] == [1, 4]
    with pytest.raises(ValueError, match=r"holds no text$"):
        read(pdf("", ""))


def encrypted() -> bytes:
    """A file that asks for a password."""
    entries = f"<</Filter/Standard/V 1/R 2/P -4/O<{'41' * 32}>/U<{'42' * 32}>>>".replace(
        ">>>", ">>>"
    )
    return pdf(lines("Secret."), extra=f"/Encrypt {entries}/ID[<00><00>]")


WHOLE = (DATA / "steam-mop-m3.en.pdf").read_bytes()


@pytest.mark.parametrize(
    ("data", "reason"),
    [
        (b"", "does not begin with %PDF"),
        (b"Just text.", "does not begin with %PDF"),
        (b"%PDF-1.7\n", "is damaged"),
        (WHOLE[:2000], "is damaged"),
        (WHOLE[: len(WHOLE) // 2], "is damaged"),
        (encrypted(), "is encrypted: it asks for a password"),
        (pdf(lines("a"), lines("b")).replace(b"12 0 R]", b"99 0 R]"), "page 2 cannot be read"),
    ],
    ids=["empty", "text", "head", "cut early", "cut in half", "encrypted", "page"],
)  # fmt: skip
def test_what_is_no_readable_pdf_has_a_reason(data: bytes, reason: str) -> None:
    """Each kind of broken file is refused in words."""
    with pytest.raises(ValueError, match=reason):
        read(data)


def test_ligatures_and_symbols_are_what_they_mean() -> None:
    """Letters that print joins are found as letters."""
    assert "eﬃcient ﬂow \uf0b7 ⾦⽔".translate(GLYPHS) == "efficient flow • 金水"


def test_offsets_are_exact_for_any_order_of_lines() -> None:
    """Lines that stand anywhere still make a text whose blocks and pages tile it."""
    for seed in range(20):
        page = "".join(
            lines(f"Line {n} of {seed}", top=50 + (n * 7919 * (seed + 3)) % 700,
                  left=20 + (n * 104729) % 400, size=8 + n % 3 * 4)
            for n in range(25)
        )  # fmt: skip
        content = read(pdf(page))
        check(content)
        assert all(f"Line {n} of {seed}" in content.text.replace(" | ", " ") for n in range(25))


def test_it_can_be_read_from_memory() -> None:
    """The helper above makes files that PDFium reads."""
    assert len(pypdfium2.PdfDocument(io.BytesIO(pdf(lines("a"), lines("b"))))) == 2
