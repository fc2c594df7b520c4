"""The language of a stretch of text, for its abbreviations."""

from __future__ import annotations

import pytest

from rag.splitting.languages import detect_language


@pytest.mark.parametrize(
    ("text", "language"),
    [
        ("Fill the kettle with water.", "en"),
        ("I don't know what it is.", "en"),
        ("Das Wasser ist noch nicht heiß.", "de"),
        ("Il est dans la cuisine avec l’eau.", "fr"),
        ("El agua no está en la cocina.", "es"),
        ("A água não está na cozinha.", "pt"),
        ("L'acqua non è nella cucina.", "it"),
        ("Het water is niet in de keuken.", "nl"),
        ("Vandet er ikke i køkkenet.", "da"),
        ("Vattnet är inte i köket.", "sv"),
        ("Vesi ei ole keittiössä, se on täällä.", "fi"),
        ("Woda nie jest w kuchni.", "pl"),
        ("Voda není v kuchyni, ale je tu.", "cs"),
        ("Вода не в кухне.", "ru"),
        ("Вода не в кухні, її там немає.", "uk"),
        ("Су ас үйде жоқ.", "kk"),
        ("Το νερό δεν είναι εδώ.", "el"),
        ("Ջուրը այստեղ չէ", "hy"),
        ("המים לא כאן", "he"),
        ("الماء ليس هنا", "ar"),
        ("پانی یہاں نہیں ہے ڑ", "ur"),
        ("पानी यहाँ नहीं है", "hi"),
        ("水不在厨房里", "zh"),
        ("水は台所にありません", "ja"),
        ("물은 부엌에 없다", "ko"),
        ("น้ำไม่ได้อยู่ในครัว", "th"),
        ("使用 Python 运行服务器", "zh"),
    ],
)
def test_languages_are_told_apart(text: str, language: str) -> None:
    """Script, letters and small words are enough for a sentence."""
    assert detect_language(text) == language


@pytest.mark.parametrize("text", ["", "E07", "Kettle K-17", "12345", "\ud800", "👍", "…"])
def test_the_default_where_nothing_tells(text: str) -> None:
    """A line without evidence is in its document's language."""
    assert detect_language(text, "de") == "de"
    assert detect_language(text) == "en"


def test_the_default_wins_a_tie() -> None:
    """Words that two languages share do not change a document's language."""
    assert detect_language("Det er en", "da") == "da"
    assert detect_language("in", "de") == "de"
