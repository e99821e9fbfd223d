"""YAML bodies, as the JSON that the API server makes of them before it reads them.

Source: ``sigs.k8s.io/yaml``, with the rules of YAML 1.1 for what is a number or a truth; times stay texts.
"""

from __future__ import annotations

import json
from typing import Any

import yaml

from reference.api.json_syntax import TOO_DEEP, NotJson

_MOST = 3 << 20
"""Values that a document may have once its aliases are written out."""


class _Loader(yaml.SafeLoader):
    """Reads no times."""


_Loader.yaml_implicit_resolvers = {
    first: [(tag, pattern) for tag, pattern in resolvers if tag != "tag:yaml.org,2002:timestamp"]
    for first, resolvers in yaml.SafeLoader.yaml_implicit_resolvers.items()
}


def json_of(text: bytes) -> bytes:
    """The document as JSON. Raises NotJson."""
    try:
        value = yaml.load(text, Loader=_Loader)
        _size(value, {})
        return json.dumps(value, allow_nan=False, default=str).encode()
    except RecursionError:
        raise NotJson(TOO_DEEP) from None
    except (yaml.YAMLError, ValueError, TypeError) as error:
        raise NotJson(f"yaml: {error}") from None


def _size(value: Any, known: dict[int, int]) -> int:
    """How many values there are; ``known`` has those of lists and objects that were met, which may come again."""
    if not isinstance(value, dict | list):
        return 1
    if id(value) in known:
        size = known[id(value)]
    else:
        known[id(value)] = _MOST  # a value that holds itself has no end
        parts = value.values() if isinstance(value, dict) else value
        size = known[id(value)] = 1 + sum(_size(part, known) for part in parts)
    if size >= _MOST:
        raise ValueError("document contains excessive aliasing")
    return size
