"""Text → the quantities in it: numbers by value, with their units. Pure.

English, German and Chinese: digits with any separators, number words, magnitudes (1.5 million,
30 万), per cent, and the units of unit_words.py. Numbers inside codes (E07, RTX-4090) are names.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, replace

from rag.support.unit_words import (
    AMBIGUOUS,
    CHINESE_COUNTERS,
    CHINESE_DIGITS,
    CHINESE_STEPS,
    CURRENCIES,
    MAGNITUDES,
    NUMBER_WORDS,
    ORDINALS,
    UNITS,
)

Value = float | str


@dataclass(frozen=True, slots=True)
class Quantity:
    """A number, ``text[start:end]`` with its unit. ``values`` are what it may mean: 1.000 is one in
    English, a thousand in German; a date or version is the string itself. ``unit`` is empty where
    none is known. ``counted`` says that it stands as a word, not in digits.
    """

    start: int
    end: int
    values: frozenset[Value]
    unit: str = ""
    counted: bool = False


_HAN_DIGITS = "零〇一二两三四五六七八九十百千"
_NAMES = "|".join(sorted(map(re.escape, {*NUMBER_WORDS, *ORDINALS}), key=len, reverse=True))
_STEPS = "|".join(sorted(map(re.escape, MAGNITUDES), key=len, reverse=True))
_NUMBER = re.compile(
    rf"""(?P<currency>US\$|[$€£¥￥])?[ ]?
    (?:(?<![A-Za-z\d.,_/])(?<![A-Za-z][-–])
         (?P<digits>\d{{1,2}}[:：]\d\d(?:[:：]\d\d)?|\d+(?:[.,'’\u00a0\u202f]\d+)*)
         (?:st|nd|rd|th)?(?!\d)(?![A-Za-z]{{0,2}}\d)
      |(?<![\w-])(?P<words>(?:{_NAMES})(?:[- ](?:{_NAMES}))*)(?!\w)
      |(?P<percent>百分之)(?P<share>\d+(?:\.\d+)?|[{_HAN_DIGITS}][{_HAN_DIGITS}点]*)
      |(?<![{_HAN_DIGITS}万亿唯])(?![百千]分之)(?P<han>[{_HAN_DIGITS}]+(?:[万亿][{_HAN_DIGITS}]*)*)(?=[{CHINESE_COUNTERS}]))
    (?:[- ]?(?P<step>{_STEPS}|(?<=\d)(?:bn|[mk])(?=[ ,.;)]|$))(?![A-Za-z]))?
    (?P<decade>['’]?s\b|er[nm]?\b|年代)?""",
    re.VERBOSE | re.IGNORECASE,
)  # fmt: skip
_ADJECTIVES = (
    r"(?:(?:calendar|working|business|consecutive|full|more|additional|other|long|short|U\.?S\.?"
    r"|多个?|余|几)[ -]?)?"
)
_UNIT = re.compile(
    rf"\s?-?{_ADJECTIVES}(?P<unit>"
    + "|".join(
        re.escape(unit)
        + (r"(?![A-Za-z²³])" if unit[-1].isascii() and unit[-1].isalpha() else "")
        + (r"(?!\d)" if unit in CURRENCIES else "")
        for unit in sorted(UNITS, key=len, reverse=True)
    )
    + ")"
)
_RANGE = re.compile(r"\s?(?:-|–|—|~|～|to|and|or|bis|und|oder|至|到|或)\s?\Z")


def find_quantities(text: str) -> list[Quantity]:
    """Return the quantities of ``text`` in order; the ends of a range share its unit."""
    found: list[Quantity] = []
    for match in _NUMBER.finditer(text):
        quantity = _quantity(text, match)
        if quantity is None:
            continue
        last = found[-1] if found else None
        if (
            last
            and not last.unit
            and quantity.unit
            and _RANGE.match(text, last.end, quantity.start)
        ):
            found[-1] = replace(last, unit=quantity.unit, values=last.values | _scaled(last, match))
        found.append(quantity)
    return found


def same_unit(one: str, other: str) -> bool:
    """Say whether two units may be the same; one that is not known may be any."""
    if not one or not other or one == other:
        return True
    return other in AMBIGUOUS.get(one, ()) or one in AMBIGUOUS.get(other, ())


def _quantity(text: str, match: re.Match[str]) -> Quantity | None:
    start, end = match.start() + (len(match[0]) - len(match[0].lstrip())), match.end()
    if match["percent"]:
        share = match["share"]
        value: Value = float(share) if share[0].isdigit() else chinese_value(share)
        return Quantity(start, end, frozenset([value]), "%")
    values = _values(match)
    if match["step"] == "m" and not match["currency"]:
        end -= 1  # metres
    unit = None if match["decade"] else _UNIT.match(text, end)
    name = UNITS[unit["unit"]] if unit else CURRENCIES.get((match["currency"] or "").upper(), "")
    word = (match["words"] or "").lower()
    if word == "one" and not (name or match["step"]):
        return None
    if match["han"] == "一" and (not name or name == "month"):
        return None
    if unit and match["currency"]:
        name = CURRENCIES[match["currency"].upper()]
    counted = bool(word or match["han"])
    return Quantity(start, unit.end() if unit else end, values, name, counted)


def _values(match: re.Match[str]) -> frozenset[Value]:
    step = _step(match)
    if match["digits"]:
        numbers = list(_digit_values(match["digits"], scaled=step != 1))
        if match["decade"] and len(match["digits"]) == 2:  # the 70s
            numbers.append(1900.0 + float(match["digits"]))
        # The 1700s are the 18th century; the 1,000s are thousands.
        if match["decade"] and match["digits"].isdecimal() and match["digits"].endswith("00"):
            numbers.append(float(match["digits"]) / 100 + 1)
    elif match["words"]:
        numbers = [_word_value(match["words"].lower())]
    else:
        numbers = [chinese_value(match["han"])]
    return frozenset(n if isinstance(n, str) else round(n * step, 6) for n in numbers)


def _scaled(quantity: Quantity, match: re.Match[str]) -> frozenset[Value]:
    """Return what the lower end of a range means when the upper one's magnitude is for both."""
    step = _step(match)
    return frozenset(round(v * step, 6) for v in quantity.values if not isinstance(v, str))


def _step(match: re.Match[str]) -> float:
    """Return what a number is multiplied by: million, and m behind an amount of money."""
    step = (match["step"] or "").lower()
    if step == "m":
        return 1e6 if match["currency"] else 1
    return MAGNITUDES.get(step, 1)


def _digit_values(digits: str, *, scaled: bool) -> Iterator[Value]:
    """Yield what a run of digits may mean, whichever sign is the decimal one. Before a magnitude
    (1.740 million) a single sign is a decimal one.
    """
    if ":" in digits or "：" in digits:
        yield digits.replace("：", ":").lstrip("0")
        return
    digits = re.sub(r"['’\u00a0\u202f ]", "", digits)
    signs = re.sub(r"\d", "", digits)
    if not signs:
        yield float(digits)
        return
    grouped = re.fullmatch(r"\d{1,3}(?:([.,])\d{3})(?:\1\d{3})*", digits)
    if grouped and not (scaled and len(signs) == 1):
        yield float(re.sub(r"[.,]", "", digits))
    if len(signs) == 1:
        yield float(digits.replace(",", "."))
    elif len(set(signs)) == 2 and signs.count(signs[-1]) == 1:  # 1,234.5 and 1.234,5
        whole, fraction = re.split(re.escape(signs[-1]), digits)
        yield float(f"{re.sub(r'[.,]', '', whole)}.{fraction}")
    elif not grouped:
        yield digits


def _word_value(words: str) -> float:
    return sum(NUMBER_WORDS.get(word, ORDINALS.get(word, 0.0)) for word in re.split("[- ]", words))


def chinese_value(numeral: str) -> float:
    """Return the value of a numeral of Han signs: 三十五, 一百零二, 二〇一五, 三点五."""
    if "点" in numeral:
        whole, _, part = numeral.partition("点")
        digits = "".join(str(CHINESE_DIGITS.get(c, "")) for c in part)
        return round(chinese_value(whole) + float(f"0.{digits}"), 6)
    if len(numeral) > 1 and all(c in CHINESE_DIGITS for c in numeral):  # digit by digit: a year
        return float("".join(str(CHINESE_DIGITS[c]) for c in numeral))
    total = section = digit = 0.0
    for sign in numeral:
        if sign in CHINESE_DIGITS:
            digit = CHINESE_DIGITS[sign]
            continue
        step = CHINESE_STEPS[sign]
        if step >= 10_000:
            total, section = (total + section + digit) * step, 0
        else:
            section += (digit or 1) * step
        digit = 0
    return total + section + digit
