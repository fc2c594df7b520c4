"""Words with a stop → whether the stop can end a sentence, by language.

Beside the lists of ``sentencex``, which are asked word by word, stand ours: for what they lack, and
for what they do not tell apart. A word is spelled without its last stop; one in lower case stands
for any spelling, another for itself (Sun.).
"""

from __future__ import annotations

import re
from functools import cache, lru_cache
from typing import Literal

import sentencex

from rag.splitting.languages import small_words

Abbreviation = Literal["bound", "numbered", "unit", "loose"]
"""How an abbreviation stands to the next word: ``bound`` always belongs to it (Mr., e.g.),
``numbered`` to a number (Fig. 3), ``unit`` follows one (5 ft. 6 in.), ``loose`` may end a sentence
(etc., Inc.): it does before a word that often begins one."""

_BOUND = {
    "en": "mr mrs ms messrs dr prof st mt ft gen col capt lt sgt cpl pvt cmdr adm maj rev hon pres"
    " gov sen rep amb supt insp fr sr.dr e.g i.e cf viz vs approx ca incl excl esp resp spp subsp"
    " ssp var sp al avg conc temp trans ed eds eg ie pp dept univ assn natl intl gov.t",
    "de": "dr prof hr hrn fr frl dipl ing st z.b z d.h d u.a u bzw ca vgl inkl exkl zzgl evtl ggf"
    " sog bes insb allg geb gest verh o.g i.d.r m.e s.o s.u vors kath ev lt gem bzgl max min mind"
    " ehem dt engl frz lat griech amtl staatl hl str.nr z.zt z.t",
    "fr": "m mm mme mmes mlle mlles dr pr me st ste mgr cf ex p.ex env apr av c.-à-d j.-c",
    "es": "sr sra srta sres dr dra d dña dª prof profa lic ing arq gral cap tte p.ej ej aprox"
    " sto sta ntra fr mons ud uds vd vds admón excmo ilmo",
    "pt": "sr sra srta dr dra prof profa eng arq d exmo sto sta p.ex ex aprox",
    "it": "sig sig.ra sig.na sigg dott dott.ssa prof prof.ssa ing avv arch geom rag on mons s ss"
    " es ad.es p.es cfr ca egr spett gent dir",
    "nl": "dhr mevr mw mej drs dr ir ing mr prof ds st bijv bv ca incl excl resp o.a d.w.z m.b.t"
    " i.p.v t.a.v vgl zgn aanw",
    "da": "hr fr dr prof st skt bl.a f.eks fx ca dvs evt inkl ekskl mht ifm jf pga vedr",
    "sv": "hr fr dr prof st t.ex bl.a d.v.s dvs ca s.k inkl exkl resp jfr",
    "fi": "esim mm ts tri prof rva ym.s",
    "pl": "np tj tzn m.in in ul al pl dr prof mgr inż hab św ks bp o gen płk mjr kpt ok tzw zob por"
    " im pan min.n ang łac niem franc ros bałt wg ww pt",
    "cs": "např tj tzn tzv ul nám dr prof ing mgr bc doc mudr judr phdr sv p pí cca resp vč",
    "sk": "napr t.j tzn tzv ul nám dr prof ing mgr bc doc mudr judr sv p cca resp vr",
    "ca": "sr sra dr dra prof st sta p.ex",
    "tr": "dr prof doç av bkz örn sn hz st",
    "hu": "dr prof pl ill ún id ifj özv kb szt",
    "ro": "dl dna dra dr prof ing sf ex art.nr aprox",
    "ru": "г гр г-н г-жа им ул пр просп пер пл д кв т.е т.н проф акад доц д-р инж св см ср напр"
    " тов о с пос дер обл оз р п пгт ст бул наб корп тел зам",
    "uk": "м вул пр просп пров пл буд кв т.зв т проф акад доц д-р інж св див порівн напр тов о с"
    " смт обл оз р журн вид чл укр наук тел ім пп",
    "bg": "г-н г-жа д-р проф акад доц инж св вж напр ул бул пл гр с им т.нар вкл",
    "kk": "проф акад ж т.б",
    "el": "κ κα κ.κ δρ καθ π.χ βλ δηλ αγ",
}  # fmt: skip
_EVERYWHERE = " mr mrs ms dr prof st mt"
_NUMBERED = {
    "en": "no nos n° p pp pg pgs fig figs eq eqs sec sect ch chap vol vols ref refs art arts para"
    " paras par tab app ex ser pt pts v rm tel ext apt Jan Feb Mar Apr Jun Jul Aug Sep Sept Oct Nov"
    " Dec cl col l ll ver",
    "de": "nr nrn s abs art abb tab kap bd bde jg anm rn rdnr ziff aufl tel tl zi hs",
    "fr": "n no n° p pp art fig chap vol t éd tél réf al ann",
    "es": "n no nº núm núms n° p pp pág págs art arts fig cap vol t tel tels ext párr párrf cra",
    "pt": "n no nº n.º p pp pág págs art arts fig cap vol t tel séc",
    "it": "n nn p pp pag pagg art artt fig cap vol t tel sec",
    "nl": "nr nrs p pp blz art afb fig hfdst tel",
    "da": "nr s side kap stk tlf fig p", "sv": "nr s sid kap st tel fig",
    "fi": "n nro s luku kuva", "pl": "nr str s t rys tab rozdz art ust pkt poz tel r w",
    "cs": "č str s tab obr kap čl odst sv tel r", "sk": "č str s tab obr kap čl ods zv tel r",
    "ca": "núm p pàg art fig cap vol", "tr": "no s cad sok mah", "hu": "sz o old fej ábra",
    "ro": "nr pag p fig cap vol art", "ru": "№ кв стр с рис табл гл т п ч вып тел разд",
    "uk": "№ стор с рис табл гл т п ч вип тел розд", "bg": "№ стр с фиг табл гл т чл ал тел",
    "el": "αρ σελ σ κεφ τ",
}  # fmt: skip
UNITS = frozenset((
    "lb", "lbs", "oz", "ft", "in", "yd", "mi", "pt", "qt", "gal", "cu", "sq", "mph", "hr", "hrs",
    "min", "mins", "sec", "secs", "yr", "yrs", "wk", "wks", "mo", "mos", "kg", "km", "cm", "mm",
    "std", "sek", "mio", "mrd", "tsd", "kr", "mln", "mld", "mil", "tis", "tys", "godz", "грн",
    "год", "хв", "сек", "тыс", "млн", "млрд", "коп", "руб", "дол", "долл", "куб", "кв", "град",
    "кб", "од", "вт", "км", "м", "га",
))  # fmt: skip
_LOOSE = {
    "en": "etc co inc corp ltd llc plc jr sr esq bros mfg est max misc dist st ave blvd"
    " rd ln hwy pl bldg assoc govt Mon Tue Tues Wed Thu Thur Thurs Fri Sat Sun Ind Mass Cal Calif"
    " Conn Fla Wash Penn Mich Minn Wis Ont Que Sask",
    "de": "usw etc u.ä o.ä u.v.m str jh jhd Jan Febr Feb Mär Apr Aug Sep Sept Okt Nov Dez Mo Di Mi"
    " Do Sa So uvm verl hrsg",
    "fr": "etc janv févr avr juil sept oct nov déc bd av hab sté cie",
    "es": "etc av avda s.a ee uu ee.uu ene feb mar abr jun jul ago sep sept oct nov dic lun mié jue"
    " vie sáb dom hs km cía",
    "pt": "etc av ltda cia s.a jan fev mar abr jun jul ago set out nov dez r",
    "it": "ecc etc s.p.a s.r.l a.c d.c gen feb mar apr mag giu lug ago set ott nov dic lun mer gio"
    " ven sab dom amm econ psicol idraul meteor st",
    "nl": "enz etc b.v n.v", "da": "osv mv m.m m.fl a/s", "sv": "osv m.m m.fl o.s.v",
    "fi": "jne ym yms", "pl": "itd itp r w tys zł gr maks", "cs": "atd apod r kč s.r.o a.s",
    "sk": "atď a.s s.r.o r", "tr": "vb vs", "hu": "stb", "ro": "etc",
    "ru": "т.д т.п др пр г гг в вв н.э у.е кг", "uk": "т.д т.п ін р рр ст н.е у.о",
    "bg": "т.н др г в", "kk": "т.б б.з.б", "el": "κ.λπ κλπ κ.ά",
}  # fmt: skip
_DOTTED = re.compile(r"(?:[^\W\d_]{1,3}\.)+[^\W\d_]{1,3}")
_DEGREE = re.compile(
    r"(?:Ph|Ed|Th|Sc|Psy)\.D|(?:LL|M|B|Ph|Ed)\.?(?:Sc|Ed|Phil|Eng|[BMD])|LL\.[A-Z]"
)
"""Degrees follow a name, and so often end a sentence: She earned her Ph.D."""
_ORDINALS = frozenset({"de", "da", "fi", "cs", "sk", "hu", "tr", "pl"})
"""Languages that write ordinal numbers with a stop: 7. Juni."""


@cache
def _list(language: str) -> dict[str, Abbreviation]:
    """Return our abbreviations of ``language``; what a word is in a later list counts."""
    found: dict[str, Abbreviation] = {}
    for kind, words in (
        ("unit", " ".join(UNITS)), ("bound", _BOUND.get(language, "") + _EVERYWHERE),
        ("numbered", _NUMBERED.get(language, "")), ("loose", _LOOSE.get(language, "")),
    ):  # fmt: skip
        for word in words.split():
            found[word] = kind  # type: ignore[assignment]
    return found


@lru_cache(maxsize=65536)
def abbreviation(word: str, language: str) -> Abbreviation | None:
    """Return what kind of abbreviation ``word`` (without its stop) is; None for a whole word."""
    ours = _list(language)
    if kind := ours.get(word) or ours.get(word.lower()):
        return kind
    if language == "de" and word.endswith(("str", "Str")):
        return "numbered"
    if _DOTTED.fullmatch(word):
        return None if _DEGREE.fullmatch(word) else "loose"
    if word in small_words(language) or (word.isupper() and len(word) == 2):
        return None  # OK is no state here
    known = word.encode("utf-8", "replace").decode("utf-8")  # a lone surrogate is nothing it takes
    return "loose" if len(sentencex.segment(language, f"Xy {known}. Xy")) == 1 else None


def begins_sentences(word: str, language: str) -> bool:
    """Whether the capitalised ``word`` is one of the small words that often begin a sentence."""
    return word.lower().partition("'")[0].partition("’")[0] in small_words(language)


def has_ordinals(language: str) -> bool:
    """Whether ``7.`` may mean the seventh."""
    return language in _ORDINALS
