"""Texts of many scripts and of none, for the properties of everything that has offsets."""

from __future__ import annotations

from hypothesis import settings
from hypothesis import strategies as st

PIECES = [
    "Fill the kettle. ", "It boils at 100 °C.", "e.g. ", "Dr. Who ", "U.S. ", "No. ", "No. 5 ",
    "Yes. ", "Yes. ", "OK", "3.14 ", "v1.2.", "a@b.co ", "https://a.b/c. ", "“Done.” ",
    '"Oh! No," ', "'tis ", "(see p. 3.) ", "[1] ", "首次使用前请清洗水壶。", "你好！！？", "，",
    "「はい。」", "と", "ー",
    "یہ ہے۔ ", "هل هذا؟ ", "שלום. ", "यह है। ", "Привет. ", "г. ", "Ωχ; ", "Բարև: ", "간다. ",
    "สวัสดี ", "👍🏽", "👩‍👩‍👧 ", "e\u0301. ", "\u202e", "\u200f", "\0", "\ud800", "\udfff", "\ufeff",
    "\u00a0", "\u3000", "\u2028", "\f", " ", "  ", "\t", "\n", "\n\n", "\r\n", "\r", "  \n",
    "# ", "## Use\n", "\n# x\n", "- ", "* ", "1. ", "a) ", "> ", "    ", "```\n", "~~~", "`a. B`",
    "| a. | b |\n", "|---|---|\n", "---\n", "***\n", "===\n", "<b>", "<!-- ", "-->", "</div>\n",
    "[x](y. Z)", "[r]: u\n", "[^1]: note. ", "[^1]", "**", "_", "\\", "...", "…", "!", "?!",
    ". . .",
]  # fmt: skip

strange_texts = st.one_of(
    st.lists(st.sampled_from(PIECES), max_size=30).map("".join),
    st.text(alphabet=st.characters(codec=None), max_size=60),
)
"""Texts put together from pieces that mean something to a splitter, and from any characters."""

quick = settings(max_examples=150, deadline=None)
"""Few examples, and no time limit for any: the machine may be busy."""
