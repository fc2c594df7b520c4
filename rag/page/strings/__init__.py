"""Every word of the page, in each of its languages, once.

A language is a module with one value of :class:`Strings`; a type checker says what it lacks.
"""

from rag.page.strings.chinese import CHINESE
from rag.page.strings.english import ENGLISH
from rag.page.strings.words import Strings

LANGUAGES = {"en": ENGLISH, "zh": CHINESE}

__all__ = ["LANGUAGES", "Strings", "count", "fault", "language_of"]


def language_of(locale: str | None) -> str:
    """Return the key in :data:`LANGUAGES` for a browser's locale, such as ``zh-CN``: ``en`` for one
    that the page does not speak.
    """
    language = (locale or "en").partition("-")[0].lower()
    return language if language in LANGUAGES else "en"


def count(n: int, forms: tuple[str, str]) -> str:
    """Say a number of things, with the form of the noun for one or for several."""
    return forms[n != 1].format(n=f"{n:,}")


def fault(words: Strings, error: BaseException | None) -> str:
    """Say what happened and what to do, by the error's class or the nearest one above it.

    None stands for an error that has no name: a fault of the program.
    """
    for kind in type(error).__mro__:
        if kind.__name__ in words.faults:
            return words.faults[kind.__name__]
    return words.unexpected
