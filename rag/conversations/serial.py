"""Frozen dataclasses ↔ JSON text, so that a value read back equals the one written.

Knows no class: it goes by the fields' types. Tuples, mappings with string keys, unions, literals,
dates and nested dataclasses are kept apart. A field that the text lacks gets its default, one that
the class lacks is left out, so an older text can be read by a newer class and the other way round.
"""

from __future__ import annotations

import json
import types
from collections.abc import Mapping
from dataclasses import MISSING, fields, is_dataclass
from datetime import date
from functools import cache
from typing import Any, Literal, TypeVar, Union, cast, get_args, get_origin, get_type_hints

T = TypeVar("T")


def to_json(value: object) -> str:
    """Write a dataclass, or a tuple of them, as JSON in plain ASCII: any string survives."""
    return json.dumps(_plain(value), separators=(",", ":"))


def from_json(kind: type[T], text: str) -> T:
    """Read what :func:`to_json` wrote of a value of ``kind``.

    Raises :class:`ValueError` when it is none.
    """
    try:
        return cast("T", _made(kind, json.loads(text)))
    except (TypeError, KeyError, AttributeError) as error:
        raise ValueError(f"not the JSON of a {kind}: {error}") from None


def _plain(value: object) -> Any:
    if is_dataclass(value) and not isinstance(value, type):
        return {field.name: _plain(getattr(value, field.name)) for field in fields(value)}
    if isinstance(value, Mapping):
        return {str(name): _plain(each) for name, each in value.items()}
    if isinstance(value, tuple | list | frozenset):
        return [_plain(each) for each in value]
    if isinstance(value, date):
        return {"date": value.isoformat()}
    return value


@cache
def _hints(kind: type) -> dict[str, Any]:
    return get_type_hints(kind)


def _made(kind: Any, plain: Any) -> Any:
    origin = get_origin(kind)
    if is_dataclass(kind):
        return _made_dataclass(cast("type", kind), plain)
    if origin in (Union, types.UnionType):
        return _made_union(get_args(kind), plain)
    if origin is tuple:
        return _made_tuple(get_args(kind), plain)
    if isinstance(origin, type) and issubclass(origin, Mapping):
        return {name: _made(get_args(kind)[1], each) for name, each in plain.items()}
    return _made_atom(kind, plain)


def _made_atom(kind: Any, plain: Any) -> Any:
    if kind is date:
        return date.fromisoformat(plain["date"])
    if get_origin(kind) is Literal:
        if plain not in get_args(kind):
            raise ValueError(f"{plain!r} is none of {get_args(kind)}")
        return plain
    if kind is float and type(plain) is int:
        return float(plain)
    if type(plain) is not kind:
        raise TypeError(f"{plain!r} is no {kind}")
    return plain


def _made_tuple(kinds: tuple[Any, ...], plain: Any) -> tuple[Any, ...]:
    if len(kinds) == 2 and kinds[1] is Ellipsis:
        return tuple(_made(kinds[0], each) for each in plain)
    return tuple(_made(each, part) for each, part in zip(kinds, plain, strict=True))


def _made_dataclass(kind: type, plain: Any) -> Any:
    values = {}
    for field in fields(kind):
        if field.name in plain:
            values[field.name] = _made(_hints(kind)[field.name], plain[field.name])
        elif field.default is MISSING and field.default_factory is MISSING:
            raise KeyError(field.name)
    return kind(**values)


def _made_union(kinds: tuple[Any, ...], plain: Any) -> Any:
    for kind in kinds:
        if kind is types.NoneType:
            if plain is None:
                return None
            continue
        try:
            return _made(kind, plain)
        except (TypeError, KeyError, ValueError, AttributeError):
            continue
    raise TypeError(f"{plain!r} is none of {kinds}")
