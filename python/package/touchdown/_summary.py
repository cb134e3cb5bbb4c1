"""Summaries as mappings whose entries are attributes too."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, overload


class Record(Mapping[str, Any]):
    """A mapping whose keys are attributes too: `record["upper"]` and `record.upper`."""

    def __init__(self, entries: Mapping[str, Any]) -> None:
        self._entries = {key: wrapped(value) for key, value in entries.items()}

    def __getitem__(self, key: str) -> Any:
        return self._entries[key]

    def __getattr__(self, key: str) -> Any:
        try:
            return self.__dict__["_entries"][key]
        except KeyError:
            raise AttributeError(key) from None

    def __iter__(self) -> Iterator[str]:
        return iter(self._entries)

    def __len__(self) -> int:
        return len(self._entries)

    def __dir__(self) -> list[str]:
        return [*super().__dir__(), *self._entries]

    def __repr__(self) -> str:
        return f"Record({self._entries!r})"

    def __reduce__(self) -> tuple[object, ...]:
        return Record, (self._entries,)

    def plain(self) -> dict[str, Any]:
        """The same as dictionaries and lists, as `json.dumps` takes them."""
        return {key: _plain(value) for key, value in self._entries.items()}


class Named(Sequence[Record]):
    """Records in order, found by position or by their name: `criteria[0]`, `criteria["excursion"]`."""

    def __init__(self, records: Sequence[Record]) -> None:
        self._records = tuple(records)

    @property
    def names(self) -> tuple[str, ...]:
        """The names, in order."""
        return tuple(record.name for record in self._records)

    @overload
    def __getitem__(self, which: int | str) -> Record: ...
    @overload
    def __getitem__(self, which: slice) -> Sequence[Record]: ...
    def __getitem__(self, which: int | str | slice) -> Record | Sequence[Record]:
        if not isinstance(which, str):
            return self._records[which]
        for record in self._records:
            if record.name == which:
                return record
        raise KeyError(f"{which}; there are: {', '.join(self.names)}")

    def __len__(self) -> int:
        return len(self._records)

    def __contains__(self, which: object) -> bool:
        return which in self.names if isinstance(which, str) else which in self._records

    def __eq__(self, other: object) -> bool:
        return self._records == other._records if isinstance(other, Named) else NotImplemented

    def __hash__(self) -> int:
        return hash(self.names)

    def __repr__(self) -> str:
        return f"Named({list(self._records)!r})"


def _plain(value: Any) -> Any:
    if isinstance(value, Record):
        return value.plain()
    return [_plain(item) for item in value] if isinstance(value, (Named, list)) else value


def wrapped(value: Any) -> Any:
    """Mappings as records, lists of mappings that have names as named records."""
    if isinstance(value, Record):
        return value
    if isinstance(value, Mapping):
        return Record(value)
    if isinstance(value, list):
        items = [wrapped(item) for item in value]
        if items and all(isinstance(item, Record) and "name" in item for item in items):
            return Named(items)
        return items
    return value


def read(text: str) -> Record:
    """A summary of its JSON text."""
    content = json.loads(text)
    if not isinstance(content, dict):
        raise ValueError("it must be an object")
    return Record(content)
