"""A stretch of text → the code of its language, by its script, its letters and its small words.

Light and rough: it chooses whose abbreviations to look up, nothing else. Knows the languages that
the sentence rules tell apart; any other in Latin letters counts as the default.
"""

from __future__ import annotations

import re

_SCRIPTS = {
    "ru": "\u0400-\u052f", "el": "\u0370-\u03ff", "hy": "\u0530-\u058f", "he": "\u0590-\u05ff",
    "ar": "\u0600-\u06ff", "hi": "\u0900-\u097f", "bn": "\u0980-\u09ff", "pa": "\u0a00-\u0a7f",
    "gu": "\u0a80-\u0aff", "ta": "\u0b80-\u0bff", "te": "\u0c00-\u0c7f", "kn": "\u0c80-\u0cff",
    "ml": "\u0d00-\u0d7f", "th": "\u0e00-\u0e7f", "my": "\u1000-\u109f", "am": "\u1200-\u137f",
    "ja": "\u3040-\u30ff", "ko": "\uac00-\ud7af", "zh": "\u3400-\u9fff",
}  # fmt: skip
_OTHER_SCRIPT = re.compile("".join(["[", *_SCRIPTS.values(), "]"]))
_BY_SCRIPT = {code: re.compile(f"[{letters}]") for code, letters in _SCRIPTS.items()}

_LETTERS = {
    "uk": "іїєґ", "kk": "әғқңөұүһ", "bg": "ѝ", "fa": "پچژگ", "ur": "ٹڈڑے",
    "de": "ß", "es": "ñ¿¡", "pt": "ãõ", "pl": "łąęźż", "sk": "ľĺŕťď", "cs": "řěůťď", "da": "æø",
    "fr": "œ", "hu": "őű", "tr": "ğış", "sv": "å", "fi": "ä", "it": "ìò",
}  # fmt: skip

_WORDS = {
    "en": "it' i' don' the of and to in is that for it with was on are as this be by not or you"
    " we an at from have has he she they his her my i what please if when which will can all"
    " your there how why who where did do does many most some after although however while"
    " during since today then these those such each also no yes thanks thank let now here"
    " because so but any it's i'm don't me may him us them",
    "de": "in der die das und ist nicht ein eine einen den dem des zu mit sich auf für von im sie"
    " wir auch es als wird sind oder nach bei zum zur haben hat aus wie ich dass werden an"
    " er ihre nur kann über vor durch um am war du ihr mein dein was wer wo wann warum diese"
    " dieser dieses dann hier heute seit zwar doch aber wenn da so",
    "fr": "l' d' c' qu' j' n' le la les des et est un une du en que qui dans pour pas sur au par"
    " plus ne se ce il elle nous vous sont avec cette ou mais ont été aux son sa ses à je tu"
    " on mon ma mes leur ces quand comment pourquoi où si",
    "es": "el la los las de y que en un una es se por con para del al no su lo como más pero sus"
    " le ya este muy fue ha son está hola usted mi era yo tú él ella cómo cuándo dónde quién"
    " qué esta estos cuando si también",
    "pt": "o a os as de e que em um uma é se por com para do da dos das no na não ao como mais"
    " mas foi são pela pelo sua seu eu você ele ela quando onde quem este esta isso isto"
    " também",
    "it": "qui l' dell' all' nell' un' ci il lo la i gli le di e che in un una è si per con del"
    " della dei nel non al alla da sono come più ma ha dal delle suo mi era fu io tu lui lei"
    " quando dove chi cosa questo questa se anche",
    "nl": "de het een en van is in dat op te zijn niet met voor die er aan ook als was door maar"
    " om bij uit naar wordt hij zij deze ik je wij we wat wie waar wanneer hoe dit heeft had",
    "da": "og det er at en et den på de som med til af for ikke har jeg i der om vil du han var"
    " fra hun hvad hvem hvor hvordan dig mig mit min din denne dette",
    "sv": "och det är att en ett den på de som med till av för inte har jag i om var från kan han"
    " hon vi ni vad vem hur denna detta där",
    "fi": "ja on ei se että hän oli mutta kun myös tai ovat kuin niin ole sen joka minä sinä me"
    " te he mitä kuka missä tämä nyt",
    "pl": "i w nie na się z do to jest że jak od po za co ale przez był jego lub oraz tym są dla"
    " ja ty on ona my kto gdzie kiedy ten ta czy",
    "cs": "a je se na v že to s z do o jsem jako ale za by pro jeho byl jsou nebo podle já ty on"
    " ona my co kdo kde kdy tato tento",
    "sk": "a je sa na v že to s z do o som ako ale za by pre jeho bol bola sú alebo podľa však"
    " ktorí ja ty on ona my čo kto kde kedy táto tento",
    "ca": "el la els les de i que en un una és es per amb del al no més però són ha aquest",
    "tr": "ve bir bu da de için ile olarak daha çok olan gibi kadar ne var en sonra",
    "hu": "a az és hogy nem egy is van volt meg de ez el csak mint még már",
    "bg": "и на да се за от в с по не са е като до при че",
    "ru": "и в не на что с он как по это из к у за от так но его для бы был я ты мы вы она они"
    " кто где когда этот эта если после",
}  # fmt: skip
_WORD = re.compile(r"\b[^\W\d_]+\b'?")
_SETS = {code: frozenset(words.split()) for code, words in _WORDS.items()}
_MARKS = {code: frozenset(letters) for code, letters in _LETTERS.items()}
_SAMPLE = 400
"""Characters looked at: a few sentences."""


def small_words(language: str) -> frozenset[str]:
    """Return the words of ``language`` that its sentences are joined by: articles, pronouns."""
    return _SETS.get(language, frozenset())


def script(text: str) -> str:
    """Return the language by whose letters ``text`` is written, Ukrainian counting as Russian and
    so on; empty for Latin ones.
    """
    sample = text[:_SAMPLE].lower()
    return "" if sample.isascii() else _script(sample) or ""


def detect_language(text: str, default: str = "en") -> str:
    """Return the language of ``text`` as an ISO 639-1 code; ``default`` when nothing tells.

    Looks at the first 400 characters.
    """
    sample = text[:_SAMPLE].lower().replace("’", "'")
    letters = frozenset() if sample.isascii() else frozenset(sample)
    if letters and (script := _script(sample)):
        candidates = {"ru": ("uk", "kk", "bg"), "ar": ("ur", "fa")}.get(script, ())
        return next((code for code in candidates if letters & _MARKS[code]), script)
    words = frozenset(_WORD.findall(sample))
    expected = len(words & small_words(default))
    if expected > 2 and expected * 4 > len(words):
        return default  # beyond doubt
    scores = {code: float(len(words & small)) for code, small in _SETS.items()}
    if letters:
        for code, marks in _MARKS.items():
            if letters & marks:
                scores[code] = scores.get(code, 0.0) + 1.5
    best = max(scores.values())
    if not best:
        return default
    # The default wins ties: a document's short lines are in the document's language.
    return max(scores, key=lambda code: (scores[code], code == default, code == "en"))


def _script(sample: str) -> str | None:
    """Return the language of the most frequent script other than Latin, if it is frequent."""
    found = _OTHER_SCRIPT.findall(sample)
    if len(found) * 4 < len(sample) - sample.count(" "):
        return None
    joined = "".join(found)
    counts = {code: len(pattern.findall(joined)) for code, pattern in _BY_SCRIPT.items()}
    if counts["ja"] * 10 > counts["zh"] and counts["ja"]:
        return "ja"
    return max(counts, key=lambda code: counts[code])
