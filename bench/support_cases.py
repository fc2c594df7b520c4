"""A question set → claims with passages: faithful restatements, and the same with a thing altered.

Faithful claims are sentences of the documents lightly edited ("edited"), and questions turned into
statements by putting their answer in place of the question word ("answered"): a person's wording of
what a document says, where the windows have its numbers. From both, claims are made that differ in
a number, a unit, a negation or a name. Names and half of the numbers come from the same document,
so that it does say them, of something else. Everything is drawn with fixed seeds.
"""

from __future__ import annotations

import random
import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from evaluation_sets import EvaluationSet, Question, read_set

from rag.types import Hit, Sentence, Window
from rag.windows import merge_windows
from rag.word_lists import word_list, word_set

Kind = Literal["edited", "answered", "number", "unit", "negation", "name", "elsewhere"]
FAITHFUL: tuple[Kind, ...] = ("edited", "answered")
ALTERED: tuple[Kind, ...] = ("number", "unit", "negation", "name", "elsewhere")


@dataclass(frozen=True)
class Case:
    """A claim of an answer and the passages it was made from; ``before`` is the claim unaltered."""

    kind: Kind
    language: str
    claim: str
    before: str
    windows: tuple[Window, ...]


def make_cases(folder: Path, most: int = 150, seed: int = 11) -> list[Case]:
    """Return the cases of a set, ``most`` of each kind; language and rules by the folder's name.

    Another ``seed`` draws others.
    """
    language = folder.name.rsplit("-", 1)[-1]
    data = read_set(folder, sentences=4000, questions=3000)
    maker = _Maker(data, language, random.Random(seed))
    kinds: dict[Kind, list[Case]] = {kind: [] for kind in (*FAITHFUL, *ALTERED)}
    for case in maker.cases():
        if len(kinds[case.kind]) < most:
            kinds[case.kind].append(case)
    return [case for cases in kinds.values() for case in cases]


class _Maker:
    def __init__(self, data: EvaluationSet, language: str, rng: random.Random) -> None:
        self.language, self.rng = language, rng
        self.questions = [q for q in data.questions if q.answerable and q.spans]
        self.by_source: dict[str, list[Sentence]] = {}
        for parsed in data.sentences:
            self.by_source.setdefault(parsed.sentence.source, []).append(parsed.sentence)
        self.answers: dict[str, list[str]] = {}
        for question in self.questions:
            if _asks_name(question.text, language):
                self.answers.setdefault(question.source, []).append(question.answers[0])

    def cases(self) -> Iterator[Case]:
        """Yield cases, question by question, in a fixed random order."""
        self.rng.shuffle(self.questions)
        for question in self.questions:
            at = self._gold(question)
            if at is None:
                continue
            sentence = self.by_source[question.source][at]
            windows = self._windows(question.source, at)
            claims = [("edited", edited(sentence.text, self.language, self.rng))]
            answered = statement(question.text, question.answers[0], self.language)
            if answered and borne_out(answered, windows, sentence):
                claims.append(("answered", answered))
            for kind, claim in claims:
                if not 15 <= len(claim) * (2.5 if self.language == "zh" else 1) <= 400:
                    continue
                yield Case(kind, self.language, claim, claim, windows)
                for altered, text in self._altered(claim, question, windows):
                    yield Case(altered, self.language, text, claim, windows)
            other = self._elsewhere(question.source)
            if other:
                yield Case("elsewhere", self.language, other, other, windows)

    def _gold(self, question: Question) -> int | None:
        start, end = question.spans[0]
        for i, sentence in enumerate(self.by_source[question.source]):
            if sentence.start <= start and end <= sentence.end:
                return (
                    i if len(sentence.text) * (2.5 if self.language == "zh" else 1) >= 30 else None
                )
        return None

    def _windows(self, source: str, at: int) -> tuple[Window, ...]:
        """The window of the sentence among those of five others, of this and other documents."""
        here = self.by_source[source]
        picked = [here[at]]
        picked += self.rng.sample(here, min(3, len(here)))
        others = [name for name in self.by_source if name != source]
        picked += [self.rng.choice(self.by_source[self.rng.choice(others)]) for _ in range(2)]
        hits = [Hit(sentence, rank) for rank, sentence in enumerate(dict.fromkeys(picked), 1)]
        near = [
            self.by_source[h.sentence.source][i]
            for h in hits
            for i in range(max(0, h.sentence.index - 2), h.sentence.index + 3)
            if i < len(self.by_source[h.sentence.source])
        ]
        return tuple(merge_windows(hits, list(dict.fromkeys(near)), 2))

    def _elsewhere(self, source: str) -> str | None:
        """A sentence of another document: what no passage says."""
        name = self.rng.choice([name for name in self.by_source if name != source])
        text = self.rng.choice(self.by_source[name]).text
        return text if len(text) * (2.5 if self.language == "zh" else 1) > 60 else None

    def _altered(
        self, claim: str, question: Question, windows: tuple[Window, ...]
    ) -> Iterator[tuple[Kind, str]]:
        texts = " ".join(window.text for window in windows if window.source == question.source)
        number = other_number(claim, texts, self.rng)
        if number:
            yield "number", number
        unit = other_unit(claim, self.rng)
        if unit:
            yield "unit", unit
        negated = negation(claim, self.language, self.rng)
        if negated:
            yield "negation", negated
        names = self.answers.get(question.source, [])
        own = question.answers[0] if question.answers[0] in names else ""
        name = other_name(claim, own, names, texts, self.language, self.rng)
        if name:
            yield "name", name


def borne_out(claim: str, windows: tuple[Window, ...], sentence: Sentence) -> bool:
    """Whether the sentence's own window has each number of a claim. Questions bring in what stands
    elsewhere in a document ("in 2015"): a claim made of one is not faithful to what it rests on.
    """
    own = [w for w in windows if w.source == sentence.source and w.start <= sentence.start < w.end]
    said = set(re.findall(r"\d+", " ".join(window.text for window in own)))
    return set(re.findall(r"\d+", claim)) <= said


_HAN = "\u4e00-\u9fff"
_NUMBER_WORDS = word_list("zero one two three four five six seven eight nine ten")


def edited(text: str, language: str, rng: random.Random) -> str:
    """Return a sentence in slightly other words: what an answer copies is seldom word for word."""
    text = re.sub(r"\s*\[\d+\]", "", text.strip())
    # What stands in brackets, but not inside a title: that would be another title.
    edits = [lambda t: re.sub(r"\s*[（(][^（()）]{3,60}[)）](?![^《]*》)", "", t)]
    if language == "en":
        edits += [
            lambda t: re.sub(r"\b(is|was|were|did|does|could|has) not\b", r"\1n't", t),
            lambda t: re.sub(r"\b(is|was|were|did|does|could|has)n't\b", r"\1 not", t),
            lambda t: re.sub(r"(\d)%", r"\1 percent", t),
            lambda t: re.sub(r"(\d) percent\b", r"\1%", t),
            lambda t: re.sub(r"(\d),(\d{3})\b", r"\1\2", t),
            lambda t: re.sub(
                r"\b(two|three|four|five|six|seven|eight|nine|ten)\b(?= \w+s\b)",
                lambda m: str(_NUMBER_WORDS.index(m[0])), t,
            ),
            lambda t: re.sub(r", (?:which|who) [^,.;]+(?=[.,])", "", t),
            lambda t: re.sub(r"^((?:In|On|During|After|By) [^,]{4,40}), (\w)(.*?)([.]?)$",
                             lambda m: f"{m[2]}{m[3]} {m[1][0].lower()}{m[1][1:]}{m[4]}", t),
            lambda t: re.sub(r"; [^;.]{10,}(?=\.$)", "", t),
            lambda t: re.sub(r"^(However|Moreover|Therefore|Additionally|Also|Thus), (\w)",
                             lambda m: m[2].upper(), t),
            lambda t: t.replace(" also ", " "),
        ]  # fmt: skip
    elif language == "zh":
        edits += [
            lambda t: re.sub(rf"(?<=\d) (?=[{_HAN}])|(?<=[{_HAN}]) (?=\d)", "", t),
            lambda t: re.sub(r"(?<![\d.,])(\d+(?:\.\d+)?)%", r"百分之\1", t),
            lambda t: re.sub(r"^(然而|但是|不过|因此|此外|同时|其中)，?", "", t),
            lambda t: t.replace("并且", "而且").replace("以及", "和"),
            lambda t: re.sub(r"(\d),(\d{3})", r"\1\2", t),
            lambda t: re.sub(r"；[^；。]{6,}(?=。$)", "", t),
        ]
    else:
        edits += [
            lambda t: re.sub(r"(\d) ?%", r"\1 Prozent", t),
            lambda t: re.sub(r"(\d)\.(\d{3})\b", r"\1\2", t),
            lambda t: re.sub(r"^(Jedoch|Allerdings|Außerdem|Daher) ", "", t),
            lambda t: re.sub(r"; [^;.]{10,}(?=\.$)", "", t),
            lambda t: t.replace(" auch ", " "),
        ]
    for edit in rng.sample(edits, min(6, len(edits))):
        text = edit(text)
    return text.strip()


_AUXILIARY = "is|was|were|are|has|had|can|could|will|would"
_ENGLISH = [
    re.compile(rf"^(?:who|what) (?=(?:{_AUXILIARY}|\w+(?:ed|es|s))\b)", re.IGNORECASE),
    re.compile(r"^how many (?=\w+ (?!did|do|does|(?:was|were|are|is) there))", re.IGNORECASE),
    re.compile(rf"^(?:which|what) (?:\w+ ){{1,2}}(?=(?:{_AUXILIARY}|\w+ed)\b)", re.IGNORECASE),
]  # fmt: skip
_INVERTED = re.compile(
    r"\b(?:did|do|does)\b"
    r"|\b(?:is|was|were|are|can|will|would|could) (?:it|he|she|they|there|the|a|his)\b"
    r".*\b(?:called|known|to|by|as|named)$"
    r"|\b(?:called|of|for|as|with|in|on|from|to|by|doing|about)$"
)


def statement(question: str, answer: str, language: str) -> str | None:
    """Put the answer in place of the question word, where that gives a sentence; None elsewhere."""
    question, answer = question.strip().rstrip("?？ "), answer.strip().rstrip(".。")
    if not answer or len(answer) > 60:
        return None
    if language == "zh":
        return _chinese(question, answer)
    if language == "de":
        return _german(question, answer)
    if _INVERTED.search(question.lower().rstrip(" .")):
        return None
    for pattern in _ENGLISH:
        match = pattern.match(question)
        if match:
            counted = match[0].lower().startswith("how many")
            if counted and not re.fullmatch(r"[\d,.]+|[a-z]+", answer):
                return None
            text = f"{answer} {question[match.end() :]}"
            return text[0].upper() + text[1:] + "."
    return None


def _chinese(question: str, answer: str) -> str | None:
    forms = [
        ("多少", r"[\d,.]+(?:万|亿)?[^\d\s]{0,3}"),
        ("几", r"[\d一二三四五六七八九十两]+[^\d\s]{0,3}"),
        ("哪(?:一)?年", r"\d{4} ?年?"),
        ("谁", r".{2,20}"),
        ("什么", r".{2,20}"),
        ("哪里", r".{2,20}"),
        (r"何时|什么时候", r".*\d.*"),
    ]
    if re.search(r"为什么|为何|如何|怎|吗$|是否|意思|什么样", question):
        return None
    for word, shape in forms:
        found = list(re.finditer(word, question))
        if len(found) == 1 and re.fullmatch(shape, answer):
            start, end = found[0].span()
            tail = question[end:]
            if answer in question or answer[:2] in question[max(0, start - 4) : start]:
                return None  # "不能做什么" with "不能…": it would stand twice
            if (
                word == "什么"
                and re.match(r"(?!是|被|在|时|名|导致|使|让|将)[\u4e00-\u9fff]{1,3}", tail)
                and start > 0
            ):
                return None  # 什么 before a noun: the noun would stand twice
            for size in (3, 2, 1):  # "多少分" + "308 分"
                if tail[:size] and answer.endswith(tail[:size]):
                    tail = tail[size:]
                    break
            return re.sub(r"[呢呀啊]$", "", question[:start] + answer + tail) + "。"
    return None


def _german(question: str, answer: str) -> str | None:
    # "Welcher deutsche Dichter" gives way whole: with his adjectives, up to the first capital.
    which = r"Welche[rsn]?(?: [a-zäöüß]\w*){0,3} [A-ZÄÖÜ]\w*"
    match = re.match(rf"(?:Wer|Was|{which}|Wo|Wann|(Wie viele)(?= \w+ ))\s", question)
    if not match:
        return None
    if match[0].startswith("Wie viele") and not re.fullmatch(r"[\d.,]+|\w+", answer):
        return None
    if match[0].startswith("Wann") and not re.match(r"(?:Im?|Am|\d{4}$)", answer, re.I):
        return None
    rest = question[match.end() :]
    if answer in rest or re.match(rf"(?:{_GERMAN_OF}|haben?|hatten?)\b", rest):
        return None
    if not match[0].startswith(("Wo", "Wann")) and re.match(r"[a-zäöüß]+e[nm]\b", answer):
        return None  # "großen Automarken": what is asked for as a subject is in another case
    text = f"{answer} {rest}"
    return text[0].upper() + text[1:] + "."


_GERMAN_OF = "von|vom|über|der|des|in|im|aus|für|mit|zu|zur|zum|zwischen|unter|bei|beim|und"
"""What a noun is taken further by: "Welcher Teil der …" asks for more than its first noun."""

_DIGITS = re.compile(
    r"(?<![\w.,-])\d+(?:[.,]\d+)*(?![\w-])(?!\.\d)|(?<=[\u4e00-\u9fff])\d+(?:[.,]\d+)*(?=[\u4e00-\u9fff%，。])"
)


def other_number(claim: str, texts: str, rng: random.Random) -> str | None:
    """Return the claim with another number in place of one of its own."""
    found = list(_DIGITS.finditer(claim))
    if not found:
        return None
    match = rng.choice(found)
    own = {m[0] for m in found}
    near = sorted({m[0] for m in _DIGITS.finditer(texts)} - own)
    near = [n for n in near if len(n) == len(match[0])] or near
    if near and rng.random() < 0.5:
        new = rng.choice(near)
    else:
        digits = list(match[0])
        at = rng.choice([i for i, c in enumerate(digits) if c.isdigit()])
        digits[at] = rng.choice([d for d in "123456789" if d != digits[at]])
        new = "".join(digits)
    return claim[: match.start()] + new + claim[match.end() :]


_UNITS = [
    row.split()
    for row in (
        "second minute hour day week month year decade century",
        "seconds minutes hours days weeks months years decades centuries",
        "millimetres centimetres metres kilometres inches feet yards miles",
        "mm cm m km ft mi",
        "milligrams grams kilograms tonnes pounds ounces",
        "mg g kg lb",
        "ml l",
        "thousand million billion",
        "$ € £",
        "dollars euros pounds yen",
        "MW kW GW",
        "KB MB GB TB",
        "°C °F",
        "V A W",
        "Sekunden Minuten Stunden Tage Wochen Monate Jahre Jahrzehnte Jahrhunderte",
        "Tagen Wochen Monaten Jahren Jahrzehnten",
        "Millionen Milliarden",
        "Meter Kilometer Zentimeter Meilen",
        "Dollar Euro Pfund",
        "秒 分钟 小时 天 周 个月 年",
        "毫米 厘米 米 公里 英里 英尺",
        "克 公斤 千克 吨",
        "万 亿",
        "美元 欧元 英镑 日元 元",
    )
]
"""Units of one kind a row."""


def other_unit(claim: str, rng: random.Random) -> str | None:
    """Return the claim with another unit of the same kind behind, or before, one of its numbers."""
    found = []
    for units in _UNITS:
        for unit in units:
            if unit in "$€£":
                pattern = rf"{re.escape(unit)}(?=\d)"
            elif "\u4e00" <= unit[0] <= "\u9fff":
                pattern = rf"(?<=\d){unit}(?![前后]|代|级|[\u4e00-\u9fff]*区)|(?<=\d ){unit}"
                if unit == "年":
                    pattern = rf"(?<![\d])(?<=\d\d){unit}(?!\d)|(?<=[^\d]\d){unit}(?!\d)"
            else:
                pattern = rf"(?<=\d ){re.escape(unit)}(?!\w)|(?<=\d){re.escape(unit)}(?!\w)"
                if unit.islower() and len(unit) > 2:
                    words = "two|three|four|five|six|seven|eight|nine|ten"
                    pattern += "|" + "|".join(rf"(?<=\b{w} ){unit}\b" for w in words.split("|"))
            found += [(m, units, unit) for m in re.finditer(pattern, claim)]
    if not found:
        return None
    match, units, unit = rng.choice(found)
    new = rng.choice([u for u in units if u != unit])
    return claim[: match.start()] + new + claim[match.end() :]


_NEGATIONS = {
    "en": (
        (
            r"\b(is|was|were|are|has|have|had|can|could|will|would|does|did|do) not\b(?! only)"
            r"|\b(is|was|were|are|has|have|had|could|does|did|do)n't\b"
        ),
        (
            r"\b(is|was|were|are|has|have|had|can|could|will|would|should|may|must)\b"
            r"(?! not|n't| no\b)"
        ),
    ),
    "zh": (
        r"(?<![\u4e00-\u9fff]不)(?:没有|不)(?=是|能|会|可以|需要|被|包括|属于|允许)",
        (
            r"(?<![不没但还也就都可要只总而于凡若正却即应])"
            r"(?:是(?!否|一个人)|能够|可以|包括|属于|需要|允许|拥有|具有)"
        ),
    ),
    "de": (
        r"\bnicht (?!nur)",
        r"\b(ist|war|waren|sind|wurde|wurden|hat|hatte|kann|konnte|wird)\b(?! nicht)",
    ),
}
"""What is taken out, and what a negating word is put to, by language."""


def negation(claim: str, language: str, rng: random.Random) -> str | None:
    """Return the claim denied, or, where it denies, affirmed."""
    removals, insertion = _NEGATIONS[language]
    removable = list(re.finditer(removals, claim))
    if removable:
        match = rng.choice(removable)
        kept = next((g for g in match.groups() if g), "")
        return claim[: match.start()] + kept + claim[match.end() :]
    if language == "en" and re.search(r"\b(no|not|never|none|nor|neither|without)\b|n't", claim):
        return None
    if language == "de" and re.search(r"\b(nicht|kein\w*|nie|ohne)\b", claim):
        return None
    if language == "zh" and re.search(r"[不没未无非]", claim):
        return None
    places = list(re.finditer(insertion, claim))
    if not places:
        return None
    match = rng.choice(places)
    if language == "zh":
        word = (
            "没" if match[0].startswith("有") else "没有" if match[0] in ("拥有", "具有") else "不"
        )
        word = "没" if match[0] == "拥有" else word
        return claim[: match.start()] + word + claim[match.start() :]
    return claim[: match.end()] + (" not" if language == "en" else " nicht") + claim[match.end() :]


_NAME = re.compile(r"(?<![.!?:]\s)(?<!^)\b(?:[A-Z][\w’'-]+)(?: (?:of (?:the )?)?[A-Z][\w’'-]+)*")
_CALENDAR = word_set(
    "january february march april may june july august september october november december "
    "monday tuesday wednesday thursday friday saturday sunday the these this many although "
    "however some "
)
_ZH_NAME = re.compile(r"《[^》]{2,15}》|[A-Z][A-Za-z]{2,}(?: [A-Z][A-Za-z]+)*")


def other_name(
    claim: str, answer: str, answers: list[str], texts: str, language: str, rng: random.Random
) -> str | None:
    """Return the claim with another name of the same document in place of one of its own."""
    if language == "zh":
        own = [m[0] for m in _ZH_NAME.finditer(claim)]
        if answer and answer in claim and _zh_namelike(answer):
            own.append(answer)
        pool = [a for a in answers if _zh_namelike(a)] + [m[0] for m in _ZH_NAME.finditer(texts)]
        own = [
            n for n in own if f"（{n}" not in texts and f"{n}）" not in texts
        ]  # not a second name
        pool = [n for n in pool if f"（{n}" not in texts and f"{n}）" not in texts]
    else:
        common = set(re.findall(r"(?<![\w’'-])[a-z]+", texts)) | _CALENDAR
        named = [m[0] for m in _NAME.finditer(texts)]
        pool = [n for n in named if len(n) > 3 and not set(n.lower().split()) <= common]
        own = [n for n in pool if n in claim]
        if language == "de":  # every noun has a capital: names of two words, or the answer itself
            own = [n for n in own if " " in n] + (
                [answer] if answer and answer in claim and answer.istitle() else []
            )
            pool = [n for n in pool if " " in n] + [
                a for a in answers if a.istitle() and len(a) > 3
            ]
    own = sorted(set(own))
    if not own:
        return None
    name = rng.choice(own)
    shape = "《" in name, name.isascii()
    pool = sorted({
        p for p in pool
        if p not in claim and name not in p and p not in name
        and not set(p.lower().split()) & set(claim.lower().split())
        and (language != "zh" or ("《" in p, p.isascii()) == shape)
    })  # fmt: skip
    if not pool:
        return None
    return claim.replace(name, rng.choice(pool), 1)


def _asks_name(question: str, language: str) -> bool:
    """Whether a question asks for a name: of a person, a place, a thing that has one."""
    if language != "zh":
        return True
    return bool(
        re.search(
            r"谁|哪位|哪[个座所家支部本条国]|哪里|哪儿|什么(?:地方|城市|国家|名字|公司|人)|叫什么|名[为称叫]|何地|何人",
            question,
        )
    )


def _zh_namelike(text: str) -> bool:
    return 2 <= len(text) <= 8 and not re.search(
        r"[\d，。、,的了是在不]|^[一二三四五六七八九十两]", text
    )
