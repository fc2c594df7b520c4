"""How numbers and units are written in English, German and Chinese. Tables only."""

from __future__ import annotations

from rag.word_lists import word_list


def _table(rows: str) -> dict[str, str]:
    """Read rows ``unit: spelling, spelling``; a unit's own name is one of its spellings."""
    table = {}
    for row in rows.strip().splitlines():
        unit, _, spellings = row.strip().partition(":")
        for spelling in (unit, *spellings.split(",")):
            if spelling.strip():
                table[spelling.strip()] = unit
    return table


UNITS = _table("""
second: seconds, sec, secs, s, Sekunde, Sekunden, 秒, 秒钟
minute: minutes, min, mins, Minute, Minuten, 分钟, 分鐘
hour: hours, hr, hrs, h, Stunde, Stunden, 小时, 小時, 个小时, 个钟头
day: days, Tag, Tage, Tagen, 天
week: weeks, Woche, Wochen, 周, 星期, 个星期, 礼拜
month: months, Monat, Monate, Monaten, 个月, 月
year: years, yr, yrs, Jahr, Jahre, Jahren, 年, 周年
decade: decades, Jahrzehnt, Jahrzehnte, Jahrzehnten
century: centuries, Jahrhundert, Jahrhunderte, Jahrhunderten, Jahrhunderts, 世纪, 个世纪
µm: micrometre, micrometres, micrometer, micrometers, μm, um, Mikrometer, 微米
nm: nanometre, nanometres, nanometer, nanometers, 纳米
mm: millimetre, millimetres, millimeter, millimeters, Millimeter, 毫米
cm: centimetre, centimetres, centimeter, centimeters, Zentimeter, 厘米, 公分
m: metre, metres, meter, meters, Meter, Metern, 米
km: kilometre, kilometres, kilometer, kilometers, Kilometer, Kilometern, 公里, 千米
inch: inches, Zoll, 英寸, 寸
foot: feet, ft, Fuß, 英尺, 尺
yard: yards, yd, 码
mile: miles, mi, Meile, Meilen, 英里
nautical mile: nautical miles, nmi, Seemeilen, 海里
mg: milligram, milligrams, Milligramm, 毫克
µg: microgram, micrograms, μg, ug, Mikrogramm, 微克
g: gram, grams, gramme, grammes, Gramm, 克
kg: kilogram, kilograms, kilo, kilos, Kilogramm, 公斤, 千克
t: ton, tons, tonne, tonnes, Tonne, Tonnen, 吨
lb: lbs, Pfund, 磅
ounce: ounces, oz, 盎司
ml: millilitre, millilitres, milliliter, milliliters, mL, Milliliter, 毫升
l: litre, litres, liter, liters, L, Liter, Litern, 升, 公升
gallon: gallons, gal, 加仑
ha: hectare, hectares, Hektar, 公顷
acre: acres, 英亩
m²: square metre, square metres, square meter, square meters, m2, Quadratmeter, 平方米
km²: square kilometre, square kilometres, square kilometer, square kilometers, km2, 平方公里
km²: Quadratkilometer, Quadratkilometern, 平方千米
mi²: square mile, square miles, sq mi, Quadratmeile, Quadratmeilen, 平方英里
m³: cubic metre, cubic metres, cubic meter, cubic meters, m3, Kubikmeter, 立方米
km/h: kph, kilometres per hour, kilometers per hour, 公里每小时
mph: miles per hour
m/s: metres per second, meters per second
grade: 级, 級
°C: ℃, degrees Celsius, Celsius, Grad Celsius, 摄氏度
°F: ℉, degrees Fahrenheit, Fahrenheit, Grad Fahrenheit, 华氏度
°: degree, degrees, Grad, 度
V: volt, volts, Volt, 伏, 伏特
A: ampere, amperes, amp, amps, Ampere, 安, 安培
mAh: 毫安时
W: watt, watts, Watt, 瓦, 瓦特
kW: kilowatt, kilowatts, Kilowatt, 千瓦
MW: megawatt, megawatts, Megawatt, 兆瓦
GW: gigawatt, gigawatts, Gigawatt
kWh: kilowatt-hours, Kilowattstunden, 千瓦时, 度电
Hz: hertz, Hertz, 赫兹
kHz: kilohertz, 千赫
MHz: megahertz, 兆赫
GHz: gigahertz, 吉赫
dB: decibel, decibels, Dezibel, 分贝
Pa: pascal, pascals, 帕
kPa: kilopascal, 千帕
MPa: megapascal, 兆帕
bar: bars
bit: bits, 比特
byte: bytes, Byte, Bytes, 字节
KB: kB, kilobyte, kilobytes
MB: megabyte, megabytes
GB: gigabyte, gigabytes
TB: terabyte, terabytes
kbit/s: kbps, Kbit/s
Mbit/s: Mbps
Gbit/s: Gbps
%: percent, per cent, Prozent, ％, 个百分点
$: dollar, dollars, USD, US dollars, Dollar, US-Dollar, 美元, 美金
€: euro, euros, EUR, Euro, 欧元
£: GBP, pounds sterling, 英镑
¥: yen, Yen, 日元, JPY
CNY: yuan, RMB, Yuan, 元, 人民币, 元人民币
pound: pounds
""")
"""Spelling → unit. Letters alone are told apart by case: m is not M."""

AMBIGUOUS = {"pound": frozenset({"lb", "£"})}
"""Units that may be one of several others."""

CURRENCIES = {"$": "$", "US$": "$", "€": "€", "£": "£", "¥": "¥", "￥": "CNY"}

_SMALL = (
    "zero|null one two|zwei three|drei four|vier five|fünf six|sechs seven|sieben eight|acht"
    " nine|neun ten|zehn eleven|elf twelve|zwölf thirteen|dreizehn fourteen|vierzehn"
    " fifteen|fünfzehn sixteen|sechzehn seventeen|siebzehn eighteen|achtzehn nineteen|neunzehn"
)
_TENS = (
    "twenty|zwanzig thirty|dreißig forty|vierzig fifty|fünfzig sixty|sechzig seventy|siebzig"
    " eighty|achtzig ninety|neunzig"
)

NUMBER_WORDS: dict[str, float] = {
    **{word: float(n) for n, words in enumerate(word_list(_SMALL)) for word in words.split("|")},
    **{word: 10.0 * n for n, words in enumerate(word_list(_TENS), 2) for word in words.split("|")},
    "twice": 2.0,
    "thrice": 3.0,
    "zweimal": 2.0,
    "dreimal": 3.0,
}
"""German "eins" and "ein" are articles too, and English "one" counts before a unit alone."""

ORDINALS: dict[str, float] = {
    word: float(value)
    for value, word in enumerate(
        word_list(
            "third fourth fifth sixth seventh eighth ninth tenth eleventh twelfth thirteenth"
            " fourteenth fifteenth sixteenth seventeenth eighteenth nineteenth twentieth"
        ),
        3,
    )
} | {
    f"{stem}{ending}": float(value)
    for value, stem in enumerate(word_list("dritt viert fünft sechst siebt acht neunt zehnt"), 3)
    for ending in ("e", "en", "er")
    if stem != "acht"  # "achte" also is "mind!"
}  # fmt: skip
"""Not "first" and "second": they say too many other things."""

MAGNITUDES: dict[str, float] = {
    "hundred": 1e2, "thousand": 1e3, "million": 1e6, "millions": 1e6, "billion": 1e9,
    "billions": 1e9, "trillion": 1e12, "dozen": 12, "hundert": 1e2, "tausend": 1e3,
    "millionen": 1e6, "milliarde": 1e9, "milliarden": 1e9, "billionen": 1e12, "mio.": 1e6,
    "mrd.": 1e9, "bn": 1e9, "k": 1e3, "百": 1e2, "千": 1e3, "万": 1e4, "萬": 1e4,
    "十万": 1e5, "百万": 1e6, "千万": 1e7, "亿": 1e8, "億": 1e8, "十亿": 1e9, "百亿": 1e10,
    "千亿": 1e11, "万亿": 1e12,
}  # fmt: skip

CHINESE_DIGITS = {c: i for i, c in enumerate("零一二三四五六七八九")} | {"〇": 0, "两": 2}
CHINESE_STEPS = {"十": 10, "百": 100, "千": 1000, "万": 10_000, "亿": 100_000_000}
CHINESE_COUNTERS = (
    "个名人位岁次只台种倍条座项层届场辆架艘间所家部本支队块片"
    "年月日天周秒分小里米公克吨元度平世点号楼级"
)
"""Behind one of these a numeral of Han signs counts; elsewhere it may be part of a name (四川)."""
