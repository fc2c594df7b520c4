"""DOCX → what Word shows, from documents that LibreOffice and Word-like markup make."""

from __future__ import annotations

import io
import zipfile
from pathlib import Path

import pytest

from rag.readers.docx import MAX_XML_BYTES, read
from tests.data.manual_texts import CHINESE, ENGLISH, Manual
from tests.read_blocks import Read, read_blocks, sentences

DATA = Path(__file__).parent / "data"
W = "http://schemas.openxmlformats.org/wordprocessingml/2006/main"
RELATION = "http://schemas.openxmlformats.org/officeDocument/2006/relationships"


def expected(manual: Manual) -> list[Read]:
    """The blocks of a manual, as its text says them."""
    blocks: list[Read] = []
    notes: list[str] = []
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
                    marker = "- " if kind == "bullets" else f"{number}. "
                    blocks.append(("item", marker + text, section))
        else:
            text, _, rest = str(value).partition("{{")
            note, _, rest = rest.partition("}}")
            notes += [note] if note else []
            blocks.append(("sentence", text + rest, section))
    return blocks + [("footnote", f"{n}. {note}", ()) for n, note in enumerate(notes, start=1)]


@pytest.mark.parametrize("manual", [ENGLISH, CHINESE], ids=["en", "zh"])
def test_a_document_of_libreoffice_is_read_whole(manual: Manual) -> None:
    """Title, headings, paragraphs, lists, table and footnote come in order, with their sections."""
    content = read((DATA / f"{manual.name}.docx").read_bytes())
    assert content.title == manual.title
    assert read_blocks(content) == expected(manual)
    rows = [block for block in content.blocks if block.kind == "row"]
    assert [block.context for block in rows[1:]] == [content.text[rows[0].start : rows[0].end]] * 3


def test_its_sentences_are_found_with_their_sections() -> None:
    """What search finds is a sentence of the extracted text, under the right headings."""
    found = sentences(read((DATA / "steam-mop-m3.zh.docx").read_bytes()))
    assert ("sentence", "每用五十箱水，给 M3 除垢一次。", ("保养", "除垢")) in found
    assert ("row", "2 | 石材和瓷砖 | 18", ("使用方法", "蒸汽档位")) in found
    assert ("item", "- 阀门密封圈：MP-322", ("保养", "备件")) in found


def docx(body: str, *, document: str = "", parts: dict[str, str] | None = None) -> bytes:
    """A Word document with `body` in it, and other parts by their path."""
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("[Content_Types].xml", "<Types/>")
        archive.writestr(
            "_rels/.rels",
            '<Relationships xmlns="http://schemas.openxmlformats.org/package/2006/relationships">'
            f'<Relationship Id="r1" Type="{RELATION}/officeDocument" Target="word/document.xml"/>'
            "</Relationships>",
        )
        whole = f'<w:document xmlns:w="{W}"><w:body>{body}</w:body></w:document>'
        archive.writestr("word/document.xml", document or whole)
        for name, text in (parts or {}).items():
            archive.writestr(name, text)
    return buffer.getvalue()


def run(text: str, tag: str = "t") -> str:
    """A run of text."""
    return f'<w:r><w:{tag} xml:space="preserve">{text}</w:{tag}></w:r>'


def paragraph(inner: str, style: str = "") -> str:
    """A paragraph, in a style."""
    properties = f'<w:pPr><w:pStyle w:val="{style}"/></w:pPr>' if style else ""
    return f"<w:p>{properties}{inner}</w:p>"


def test_what_word_shows_is_read_and_what_it_does_not_is_not() -> None:
    """Insertions, content controls, links and fields are text; deletions and comments are not."""
    body = paragraph(
        run("Boil ")
        + f'<w:ins w:id="1">{run("two ")}</w:ins>'
        + f'<w:del w:id="2">{run("three ", "delText")}</w:del>'
        + f"<w:sdt><w:sdtContent>{run('litres ')}</w:sdtContent></w:sdt>"
        + f"<w:hyperlink>{run('of water')}</w:hyperlink>"
        + f'<w:fldSimple w:instr=" PAGE ">{run(".")}</w:fldSimple>'
        + '<w:r><w:commentReference w:id="0"/></w:r>'
        + '<m:oMath xmlns:m="urn:m"><m:r><m:t> V=1</m:t></m:r></m:oMath>'
    )
    assert read(docx(body)).text == "Boil two litres of water. V=1"


def test_characters_that_mean_something_elsewhere_mean_nothing() -> None:
    """A paragraph that looks like Markdown or HTML is shown as it is."""
    content = read(docx(paragraph(run("# 5 * 3 &lt;b&gt; | _x_ [1](y)"))))
    assert read_blocks(content) == [("sentence", "# 5 * 3 <b> | _x_ [1](y)", ())]


def test_styles_are_known_by_name_whatever_their_id() -> None:
    """Word in Chinese gives its styles numbers for ids."""
    styles = (
        f'<w:styles xmlns:w="{W}"><w:style w:type="paragraph" w:styleId="1">'
        '<w:name w:val="heading 1"/></w:style></w:styles>'
    )
    body = paragraph(run("保修"), "1") + paragraph(run("两年。"))
    content = read(docx(body, parts={"word/styles.xml": styles}))
    assert read_blocks(content) == [
        ("heading", "保修", ("保修",)),
        ("sentence", "两年。", ("保修",)),
    ]


BILLION = "".join(
    f'<!ENTITY {b} "{f"&{a};" * 10}">' for a, b in zip("abcdefghi", "bcdefghij", strict=True)
)


@pytest.mark.parametrize(
    ("data", "reason"),
    [
        (b"", "no ZIP archive"),
        (b"Just text.", "no ZIP archive"),
        (docx(paragraph(run("Cut.")))[:-40], "no ZIP archive"),
        (b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1" + b"\0" * 512, "is encrypted, or an old .doc file"),
        (docx("", document="<w:document"), "is damaged, or no Word document"),
        (docx("").replace(b"word/document.xml", b"word/dokument.xml"), "no Word document"),
        (docx(paragraph(run("x" * 9))).replace(b"PK\x03\x04", b"PK\x03\x05", 3), "is damaged"),
        (docx(" " * (MAX_XML_BYTES + 1_000_000)), "unpacks into 65 MB"),
        (
            docx("", document=f'<!DOCTYPE d [<!ENTITY a "{"x" * 999}">{BILLION}]><d>&j;</d>'),
            "is damaged",
        ),
    ],
    ids=["empty", "text", "cut", "encrypted", "xml", "other", "header", "bomb", "entities"],
)
def test_what_is_no_word_document_has_a_reason(data: bytes, reason: str) -> None:
    """Each kind of broken file is refused in words."""
    with pytest.raises(ValueError, match=reason):
        read(data)


def test_an_archive_of_something_else_has_a_reason() -> None:
    """A ZIP file is not a Word document by its suffix."""
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w") as archive:
        archive.writestr("a.txt", "text")
    with pytest.raises(ValueError, match="is a ZIP archive, not a DOCX file"):
        read(buffer.getvalue())


def test_external_entities_are_not_fetched(tmp_path: Path) -> None:
    """A document cannot read files of this machine."""
    secret = tmp_path / "secret.txt"
    secret.write_text("secret")
    data = docx(
        "",
        document=f'<!DOCTYPE d [<!ENTITY s SYSTEM "file://{secret}">]><w:document xmlns:w="{W}">'
        f"<w:body>{paragraph(run('A&s;B'))}</w:body></w:document>",
    )
    assert "secret" not in read(data).text
