"""Makes the manuals of this folder, and samples in ``docs/formats``, as PDF and as DOCX.

    python tests/data/make_manuals.py

Needs ``soffice`` with Writer, the fonts Liberation and Noto CJK, and English hyphenation (Debian:
``libreoffice-writer-nogui fonts-liberation fonts-noto-cjk hyphen-en-us``). The results are in the
repository, so that tests need none of it. The texts stand in ``manual_texts.py``.
"""

from __future__ import annotations

import subprocess
import sys
import tempfile
from pathlib import Path
from xml.sax.saxutils import escape

HERE = Path(__file__).resolve().parent
sys.path.insert(0, str(HERE))

from manual_texts import MANUALS, Manual  # noqa: E402

HEAD = """<?xml version="1.0" encoding="UTF-8"?>
<office:document xmlns:office="urn:oasis:names:tc:opendocument:xmlns:office:1.0"
 xmlns:style="urn:oasis:names:tc:opendocument:xmlns:style:1.0"
 xmlns:text="urn:oasis:names:tc:opendocument:xmlns:text:1.0"
 xmlns:table="urn:oasis:names:tc:opendocument:xmlns:table:1.0"
 xmlns:fo="urn:oasis:names:tc:opendocument:xmlns:xsl-fo-compatible:1.0"
 xmlns:svg="urn:oasis:names:tc:opendocument:xmlns:svg-compatible:1.0"
 xmlns:dc="http://purl.org/dc/elements/1.1/"
 xmlns:meta="urn:oasis:names:tc:opendocument:xmlns:meta:1.0"
 office:version="1.3" office:mimetype="application/vnd.oasis.opendocument.text">
<office:meta><dc:title>{title}</dc:title></office:meta>
<office:font-face-decls>
 <style:font-face style:name="Body" svg:font-family="'Liberation Serif'"/>
 <style:font-face style:name="CJK" svg:font-family="'Noto Sans CJK SC'"/>
</office:font-face-decls>
<office:styles>
 <style:default-style style:family="paragraph">
  <style:paragraph-properties fo:hyphenation-ladder-count="no-limit" fo:text-align="justify"
   style:text-autospace="none" fo:orphans="1" fo:widows="1"/>
  <style:text-properties style:font-name="Body" style:font-name-asian="CJK" fo:font-size="11pt"
   style:font-size-asian="11pt" fo:language="en" fo:country="US" style:language-asian="zh"
   style:country-asian="CN" fo:hyphenate="true" fo:hyphenation-remain-char-count="2"
   fo:hyphenation-push-char-count="2"/>
 </style:default-style>
 <style:style style:name="Standard" style:family="paragraph"/>
 <style:style style:name="Text_20_body" style:display-name="Text body" style:family="paragraph"
  style:parent-style-name="Standard">
  <style:paragraph-properties fo:margin-bottom="{gap}"/></style:style>
 <style:style style:name="Title" style:family="paragraph" style:parent-style-name="Standard">
  <style:paragraph-properties fo:text-align="center" fo:margin-bottom="5mm"/>
  <style:text-properties fo:font-size="22pt" style:font-size-asian="22pt"/></style:style>
 <style:style style:name="Heading_20_1" style:display-name="Heading 1" style:family="paragraph"
  style:parent-style-name="Standard" style:default-outline-level="1">
  <style:paragraph-properties fo:margin-top="4mm" fo:margin-bottom="2mm" fo:keep-with-next="always"
   fo:text-align="start"/>
  <style:text-properties fo:font-size="16pt" style:font-size-asian="16pt"
   fo:hyphenate="false"/>
 </style:style>
 <style:style style:name="Heading_20_2" style:display-name="Heading 2" style:family="paragraph"
  style:parent-style-name="Standard" style:default-outline-level="2">
  <style:paragraph-properties fo:margin-top="3mm" fo:margin-bottom="2mm" fo:keep-with-next="always"
   fo:text-align="start"/>
  <style:text-properties fo:font-size="13pt" style:font-size-asian="13pt"
   fo:hyphenate="false"/>
 </style:style>
 <style:style style:name="Footnote" style:family="paragraph" style:parent-style-name="Standard">
  <style:text-properties fo:font-size="9pt" style:font-size-asian="9pt"/></style:style>
 <style:style style:name="Header" style:family="paragraph" style:parent-style-name="Standard"/>
 <style:style style:name="Footer" style:family="paragraph" style:parent-style-name="Standard"/>
 <text:list-style style:name="Bullets">{bullets}</text:list-style>
 <text:list-style style:name="Numbers">
  <text:list-level-style-number text:level="1" style:num-format="1" style:num-suffix=".">
   <style:list-level-properties text:list-level-position-and-space-mode="label-alignment">
    <style:list-level-label-alignment text:label-followed-by="listtab" fo:text-indent="-6mm"
     fo:margin-left="12mm"/></style:list-level-properties>
  </text:list-level-style-number></text:list-style>
</office:styles>
<office:automatic-styles>
 <style:page-layout style:name="A5"><style:page-layout-properties fo:page-width="148mm"
  fo:page-height="{height}" fo:margin="15mm"/>
  <style:header-style><style:header-footer-properties fo:margin-bottom="5mm"/></style:header-style>
  <style:footer-style><style:header-footer-properties fo:margin-top="5mm"/></style:footer-style>
 </style:page-layout>
</office:automatic-styles>
<office:master-styles><style:master-page style:name="Standard" style:page-layout-name="A5">
 <style:header><text:p text:style-name="Header">{running}</text:p></style:header>
 <style:footer><text:p text:style-name="Footer">{foot}</text:p></style:footer>
</style:master-page></office:master-styles>
<office:body><office:text>
"""

BULLET = """<text:list-level-style-bullet text:level="{level}" text:bullet-char="{char}">
 <style:list-level-properties text:list-level-position-and-space-mode="label-alignment">
  <style:list-level-label-alignment text:label-followed-by="listtab" fo:text-indent="-6mm"
   fo:margin-left="{indent}mm"/></style:list-level-properties></text:list-level-style-bullet>"""


def flat_odt(manual: Manual) -> str:
    """The manual as one flat OpenDocument file."""
    foot = manual.foot.replace("#", "<text:page-number>1</text:page-number>")
    head = HEAD.format(
        title=manual.title, running=manual.running, foot=foot, gap=manual.gap, height=manual.height,
        bullets="".join(BULLET.format(level=n, char="•–"[n - 1], indent=6 + 6 * n) for n in (1, 2)),
    )  # fmt: skip
    body = "".join(element(kind, value) for kind, value in manual.blocks)
    return f"{head}{body}</office:text></office:body></office:document>"


def element(kind: str, value: object) -> str:
    """One block of a manual as OpenDocument's XML."""
    if kind == "title":
        return f'<text:p text:style-name="Title">{inline(value)}</text:p>'
    if kind in ("h1", "h2"):
        level = kind[1]
        name = f"Heading_20_{level}"
        start = f'<text:h text:style-name="{name}" text:outline-level="{level}">'
        return f"{start}{inline(value)}</text:h>"
    if kind in ("bullets", "numbers"):
        return f'<text:list text:style-name="{kind.capitalize()}">{items(value)}</text:list>'
    if kind == "table":
        first, *rest = value
        columns = f'<table:table-column table:number-columns-repeated="{len(first)}"/>'
        return (
            f'<table:table table:name="T">{columns}<table:table-header-rows>{row(first)}'
            f"</table:table-header-rows>{''.join(map(row, rest))}</table:table>"
        )
    return f'<text:p text:style-name="Text_20_body">{inline(value)}</text:p>'


def items(values: list[object]) -> str:
    """List items; a nested list belongs to the item before it."""
    xml = ""
    for value in values:
        if isinstance(value, list):
            xml = xml.removesuffix("</text:list-item>")
            xml += f"<text:list>{items(value)}</text:list></text:list-item>"
        else:
            xml += f"<text:list-item><text:p>{inline(value)}</text:p></text:list-item>"
    return xml


def row(cells: list[str]) -> str:
    """A table's row."""
    inner = "".join(
        '<table:table-cell office:value-type="string">'
        f"<text:p>{inline(cell)}</text:p></table:table-cell>"
        for cell in cells
    )
    return f"<table:table-row>{inner}</table:table-row>"


def inline(value: object) -> str:
    """Text with ``{{a note}}`` as a footnote."""
    xml = escape(str(value)).replace("\n", "<text:line-break/>")
    xml = xml.replace(
        "{{",
        '<text:note text:note-class="footnote"><text:note-citation>1</text:note-citation>'
        '<text:note-body><text:p text:style-name="Footnote">',
    )
    return xml.replace("}}", "</text:p></text:note-body></text:note>")


def main() -> None:
    """Write each text in its formats into its folder."""
    with tempfile.TemporaryDirectory() as folder:
        for manual in MANUALS:
            source = Path(folder, f"{manual.name}.fodt")
            source.write_text(flat_odt(manual), "utf-8")
            target = HERE.parent.parent / manual.folder
            for kind in manual.kinds:
                subprocess.run(
                    ["soffice", "--headless", f"-env:UserInstallation=file://{folder}/profile",
                     "--convert-to", kind, "--outdir", str(target), str(source)],
                    check=True,
                )  # fmt: skip


if __name__ == "__main__":
    main()
