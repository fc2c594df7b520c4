"""Bytes → text, in whatever encoding it was written."""

from __future__ import annotations

import codecs

import pytest

from rag.readers.encoding import decode

CHINESE = "首次使用前请清洗水壶。加水至最高水位线，煮沸后倒掉。"
TRADITIONAL = "首次使用前請清洗水壺。加水至最高水位線，煮沸後倒掉。"
JAPANESE = "初めて使う前に、やかんを洗ってください。保証期間は二年です。"
KOREAN = "처음 사용하기 전에 주전자를 씻으십시오. 보증 기간은 2년입니다."
FRENCH = "Été comme hiver : rincez la bouilloire à l’eau claire, s’il vous plaît."
POLISH = "Przed pierwszym użyciem umyj czajnik. Gwarancja trwa dwa lata, zależnie od kraju."
RUSSIAN = "Перед первым использованием промойте чайник. Гарантия два года."
GREEK = "Η εγγύηση ισχύει για δύο χρόνια από την αγορά."
TURKISH = "Cihazı ilk kez kullanmadan önce yıkayın. Garanti süresi iki yıldır."


@pytest.mark.parametrize(
    ("text", "encoding"),
    [
        (CHINESE, "gb18030"),
        (CHINESE, "utf-8"),
        (CHINESE, "utf-8-sig"),
        (CHINESE, "utf-16"),
        (CHINESE + "\nK1, 1.5 L\n", "utf-16-le"),
        (CHINESE + "\nK1, 1.5 L\n", "utf-16-be"),
        (CHINESE, "utf-32"),
        (TRADITIONAL, "big5"),
        (TRADITIONAL, "gb18030"),
        (JAPANESE, "shift_jis"),
        (JAPANESE, "euc_jp"),
        (JAPANESE, "iso2022_jp"),
        (KOREAN, "euc_kr"),
        (FRENCH, "cp1252"),
        (POLISH, "cp1250"),
        (POLISH, "iso8859_2"),
        (RUSSIAN, "cp1251"),
        (RUSSIAN, "koi8_r"),
        (GREEK, "cp1253"),
        (TURKISH, "cp1254"),
    ],
)
def test_text_is_read_in_the_encoding_it_was_written_in(text: str, encoding: str) -> None:
    """Marked or not, short or long, every character comes back."""
    for times in (1, 200):
        assert decode((text * times).encode(encoding)) == text * times


@pytest.mark.parametrize(
    ("text", "encoding"),
    [
        ("保修", "gb18030"),
        ("电水壶", "gb18030"),
        ("K1电水壶,129元\n", "gb18030"),
        ("Kettle K1 (水壶) costs 129 yuan; see manual p. 3.", "gb18030"),
        ("Heat to 100 °C.", "cp1252"),
        ("Price £5\n", "cp1252"),
        ("Größe 5 m²", "cp1252"),
        ("The kettle’s lid — closed — is “safe”…", "cp1252"),
        ("naïve", "latin-1"),
    ],
)
def test_a_few_characters_are_enough(text: str, encoding: str) -> None:
    """A lone degree sign is not Korean, two ideographs are not Western."""
    assert decode(text.encode(encoding)) == text


def test_characters_in_a_long_plain_file_are_found_wherever_they_stand() -> None:
    """What comes late in the file decides as well."""
    text = "Nothing but ASCII here.\n" * 5000 + "Größe: 5 m² à la carte\n"
    assert decode(text.encode("cp1252")) == text


def test_line_ends_become_line_feeds() -> None:
    """Offsets count the same whatever wrote the file."""
    assert decode(b"a\r\nb\rc\n") == "a\nb\nc\n"


def test_a_declared_encoding_is_believed_unless_it_is_utf_8() -> None:
    """What the file says of itself decides, under the names that browsers give encodings."""
    assert decode("größer".encode("cp1252"), "iso-8859-1") == "größer"
    assert decode("€ 5".encode("cp1252"), "latin1") == "€ 5"
    assert decode("水壶".encode("gb18030"), "GB2312") == "水壶"
    assert decode("水壶".encode(), "gb2312") == "水壶"
    assert decode("größer".encode("cp1252"), "no-such-thing") == "größer"


@pytest.mark.parametrize(
    ("data", "reason"),
    [
        (CHINESE.encode()[:-1], "damaged UTF-8"),
        ("Größe und Höhe. ".encode() * 50 + b"\xff", "damaged UTF-8"),
        (b"\x00\x01\x02\xff" * 50, "not text"),
        (b"plain\0text", "not text"),
        (codecs.BOM_UTF16_LE + b"a", "UTF-16-LE"),
        (bytes(range(128, 256)) * 4, "encoding is not known"),
    ],
)
def test_what_cannot_be_decoded_has_a_reason(data: bytes, reason: str) -> None:
    """No character is replaced or dropped to make it fit."""
    with pytest.raises(ValueError, match=reason):
        decode(data)


def test_a_file_that_is_half_one_encoding_is_refused() -> None:
    """The whole must decode, not just the part that was looked at."""
    with pytest.raises(ValueError, match=r"does not fit|not known"):
        decode((CHINESE * 500).encode("gb18030") + b"\xff\xff\n")
