"""Where sentences of running text end, language by language."""

from __future__ import annotations

from itertools import pairwise

import pytest

from rag.splitting.languages import detect_language
from rag.splitting.stops import sentence_ends


def split(text: str, language: str | None = None) -> list[str]:
    """The sentences of ``text``; in the language that is detected, as in the product."""
    ends = sentence_ends(text, language or detect_language(text))
    places = [0, *ends, len(text)]
    return [text[low:high].strip() for low, high in pairwise(places)]


@pytest.mark.parametrize(
    "text",
    [
        "The lid is closed. | The water boils. | Is it hot? | Yes! | Pour it out.",
        "Mr. Lee met Dr. Brown, i.e. the owner, at St. Mary's. | They talked.",
        "The answer is no. | No. 7 is the spare part, see Fig. 2 on p. 12.",
        "It weighs 5 lb. 3 oz. with the lid. | He lifted 8 kg. | Tom lifted more.",
        "She lives in the U.S. now. | He works for the U.S. Army. | I like the U.S. | It is big.",
        "We open at 9 a.m. on Monday. | We close at 6 p.m. | Mr. Lee has the key.",
        "At 6 a.m. Mr. Lee unlocks the door. | He goes home at 5 P.M. | Ann stays.",
        "He was born in 44 B.C. | His son ruled later.",
        "She earned her Ph.D. | Ann was proud.",
        "Ask J. K. Miller or A. Stone. | They know plan B. | It works, you and I. | Do you agree?",
        "It draws 3 A. | Heat it to 90 °C. | Then stop.",
        "Kettles, pots etc. | The list goes on. | Bolts, nuts etc. are in bag 2.",
        "Lee & Co. sold it to Pine Inc. in May. | It was cheap.",
        "Read https://a.example/b.html. | Write to ann@b.example. | Use Node.js and x.y.z.",
        "Version 2.0.1 costs $1,000.50. | $3 less than 1.9. | 4 people bought it.",
        'She said, "Stop! Now!" and left. | "Is it on?" he asked. | "Yes." | He nodded.',
        "He lifted it (the lid. It was hot.) and put it down. | (It was empty.) | Then he left.",
        "It is true.[1] | So is this. [2][3] | And this.[^note] | End.",
        "I waited ... and waited. | Then... | They came. | Well... I left.",
        "Great! 😀 | Next one. | Fine :) then.",
        "Do you use Yahoo! Mail? | Yes.",
        "its good. | u should try it. | i did. | it works",
        "Notes | ======== | More notes",
    ],
)
def test_english(text: str) -> None:
    """Abbreviations, numbers, times, names, addresses and quotations stay whole in English."""
    expected = [part.strip() for part in text.split("|")]
    assert split(text.replace(" | ", " "), "en") == expected


def test_a_lost_blank_after_a_stop() -> None:
    """A sentence begins right after a stop between two whole words; not inside a name."""
    assert split("They put out the fire.Wildfires are many.", "en") == [
        "They put out the fire.",
        "Wildfires are many.",
    ]
    assert split("Call os.Path or Node.js here.", "en") == ["Call os.Path or Node.js here."]


@pytest.mark.parametrize(
    "text",
    [
        "Das ist z. B. Wasser. | Er kam am 7. Juni. | Im 19. Jahrhundert war es so.",
        "Fragen Sie Hrn. Dr. Meier, Hauptstr. 5. | Es gibt Tee, Milch usw. | Das reicht.",
        "„Ja.“ | Er ging. | »Nein«, sagte sie. | Das war d. h. das Ende.",
        "M. Dupont est là. | Mme Curie aussi, cf. p. 5. | « Oui ! » | Il part.",
        "¿Qué hora es? | ¡Son las dos! | El Sr. García está en los EE. UU. desde mayo.",
        "O Sr. Silva chegou. | A Dra. Ana também, às 9 h. | Não é assim?",
        "Il Sig. Rossi è qui. | Scriva all'Avv. Bianchi, ecc. | Non è lontano.",
        "Het is dhr. Jansen. | Hij woont o.a. in Gent. | Waar is hij?",
        "Hr. Jensen bor på 5. sal. | Det er f.eks. dyrt. | Hvad nu?",
        "В 1999 г. он жил на ул. Ленина, д. 5. | А. С. Пушкин жил и т. д. | Он писал.",
        "Він живе в м. Київ на вул. Шевченка. | Це 5 км. від нас. | Добре.",
        "Mieszka przy ul. Długiej 5, tj. blisko. | To jest np. dom. | Gdzie on jest?",
        "Είναι εδώ. | Πού είναι; | Δεν ξέρω.",
        "Բարև ձեզ: | Ինչպե՞ս եք: | Լավ:",
        "هل هذا صحيح؟ | نعم. | قال د. أحمد ذلك.",
        "זה נכון. | מה זה? | כן!",
        "यह सही है। | क्या यह है? | हाँ।",
        "یہ درست ہے۔ | کیا یہ ہے؟ | ہاں۔",
        "그가 갔다. | 어디로? | 집으로 갔다.",
        "ይህ ነው። | አዎ።",
    ],
)
def test_other_languages(text: str) -> None:
    """Each language's own stops and abbreviations are known, without being told the language."""
    expected = [part.strip() for part in text.split("|")]
    assert split(text.replace(" | ", " ")) == expected


@pytest.mark.parametrize(
    "text",
    [
        "水开了。|倒掉吧！|好吗？|好。",
        "真的吗？！|是的。|《快跑！小明》很好看。|他（别动！）走了。",
        "“好吗？”他问道。|他说：“很好。”|然后走了。",
        "「行く。」と言った。|「帰る。」|彼は寝た。|３．５％です。",
        "这是第一句.|这是第二句.|版本3.2很好。",
        "他走了......|天黑了。",
        "先加水，再加盐；最后关火。",
    ],
)
def test_chinese_and_japanese(text: str) -> None:
    """Full-width stops end sentences without white space, not inside titles and brackets."""
    assert split(text.replace("|", "")) == text.split("|")


def test_a_long_quotation_is_split() -> None:
    """Only a quotation of a few sentences is kept whole."""
    quotation = "It was late and it was dark outside. " * 20
    assert len(split(f'She said, "{quotation.strip()}" and left.', "en")) > 10


@pytest.mark.parametrize("text", ["", ".", "...", "?!", "。", "a", ". . .", '"', "(", "1."])
def test_lone_marks_have_no_end_inside(text: str) -> None:
    """A text that is one mark or one word has no end before its own."""
    assert sentence_ends(text) == []
