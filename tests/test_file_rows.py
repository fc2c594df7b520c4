"""The documents view, as values: what it says of each file."""

from __future__ import annotations

import pytest

from rag.building.status import DocumentStatus, Status
from rag.page.file_rows import age, file_rows, size
from rag.page.reading_faults import reason
from rag.page.strings import LANGUAGES
from rag.stores.base import CollectionInfo, CollectionRecord, DocumentRecord, Fingerprint
from rag.types import Skipped

ENGLISH, CHINESE = LANGUAGES["en"], LANGUAGES["zh"]


def record(path: str) -> DocumentRecord:
    """A document of 3 sentences and 1,500 bytes, an hour and a half old at second 10,000."""
    return DocumentRecord(path, path, "digest", 1500, 10_000 - 5400, 3)


def status(*since: str, new: tuple[str, ...] = (), skipped: tuple[Skipped, ...] = ()) -> Status:
    """A collection whose documents a.md, b.md, … have fared like that."""
    fingerprint = Fingerprint("model", 3, 1, "splitter", "tokenizer")
    made = CollectionRecord(fingerprint, "/docs", 2, 0.0, "engine")
    info = CollectionInfo("window_db", "store", "1", len(since), 3 * len(since), made)
    documents = tuple(
        DocumentStatus(record(f"{'abcdef'[at]}.md"), each)  # type: ignore[arg-type]
        for at, each in enumerate(since)
    )
    return Status(info, documents, new, skipped, ())


def test_what_wants_to_be_seen_stands_first() -> None:
    """Uploads, then new, skipped, changed and missing files, then the others."""
    given = status(
        "same", "gone", "changed", new=("new.md", "uploads/new.md"),
        skipped=(Skipped("x.png", "files of type .png are not read"),),
    )  # fmt: skip
    rows = file_rows(given, ENGLISH, lambda path: path.startswith("uploads/"), 10_000)
    assert [row.path for row in rows] == [
        "uploads/new.md", "new.md", "x.png", "c.md", "b.md", "a.md",
    ]  # fmt: skip
    assert [row.removable for row in rows] == [True, *[False] * 5]
    assert rows[-1].facts == "3 sentences · 1.5 kB · 90 min ago"
    assert rows[-1].note == ""
    assert rows[2].note == "Not read: files of type .png are not read"


def test_a_document_that_cannot_be_read_any_more_is_one_row() -> None:
    """It is in the collection and among the skipped."""
    given = status("gone", skipped=(Skipped("a.md", "cannot be read: permission denied"),))
    (row,) = file_rows(given, CHINESE, lambda _: False, 10_000)
    assert row.state == "skipped"
    assert row.note == "未读取：无法读取文件。"


@pytest.mark.parametrize(
    ("text", "kind"),
    [
        ("files of type .zip are not read", "type"),
        ("is 60 MB long; files over 50 MB are not read", "large"),
        ("holds no text: its 3 pages are pictures, as of a scan. Make them text by OCR", "scan"),
        ("holds no text: it is empty", "empty"),
        ("is encrypted, or an old .doc file: save it as .docx without a password", "encrypted"),
        ("is damaged: its page 2 cannot be read", "damaged"),
        ("is not a PDF file: it does not begin with %PDF", "not_what"),
        ("is a ZIP archive, not a DOCX file", "not_what"),
        ("its character encoding is not known; save it as UTF-8", "encoding"),
        ("takes more than 20 seconds to read", "slow"),
        ("20 MB are allowed", "large"),
        ("did not arrive; try again", "not_sent"),
        ("is a link that leads out of the folder", "link"),
        ("its name is not valid Unicode", "name"),
    ],
)
def test_reasons_are_said_in_the_page_s_language(text: str, kind: str) -> None:
    """English keeps the reader's words; one that is not known stays in them everywhere."""
    assert reason(text, CHINESE) == CHINESE.reasons[kind]
    assert reason(text, ENGLISH) == text
    assert reason("something new", CHINESE) == "something new"


def test_sizes_and_ages() -> None:
    """In the unit that suits them."""
    assert [size(n) for n in (12, 12_300, 12_300_000)] == ["12 B", "12.3 kB", "12.3 MB"]
    said = [age(n, ENGLISH) for n in (3, 180, 7200, 200_000)]
    assert said == ["just now", "3 min ago", "2 h ago", "2 days ago"]
