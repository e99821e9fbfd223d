"""The JSON Schema of a report, for readers in other languages: made of the model, and kept beside it.

``python -m conformance.report.schema`` writes ``schema-v1.json`` anew; a test holds the two together.
"""

from __future__ import annotations

import json
from pathlib import Path

import msgspec

from conformance.report.model import SCHEMA, Report

FILE = Path(__file__).with_name("schema-v1.json")


def document() -> str:
    """The schema's text."""
    schema = {"$schema": "https://json-schema.org/draft/2020-12/schema", "$id": f"urn:{SCHEMA.replace('/', ':')}"}
    return json.dumps(schema | msgspec.json.schema(Report), indent=2, ensure_ascii=False) + "\n"


if __name__ == "__main__":
    FILE.write_text(document(), encoding="utf-8")
