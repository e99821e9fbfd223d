"""What the API server finds wrong with files that a volume puts into a container.

Source: upstream ``pkg/apis/core/validation``.
"""

from __future__ import annotations

from reference.api import fielderrors
from reference.api.checks import between, given
from reference.api.environment_validation import FIELDS_IN_FILES, field_reference_causes, resource_reference_causes
from reference.api.errors import Cause
from reference.api.objects import Json
from reference.api.paths import not_reserved

_MODES = "must be a number between 0 and 0777 (octal), both inclusive"


def key_causes(item: Json, path: str) -> list[Cause]:
    """A key of a ConfigMap or Secret, and the file that it is put into."""
    causes = given(item, path, "key", "path") + not_reserved(item["path"], f"{path}.path")
    return causes + mode_causes(item, "mode", path) + user_causes(item, "user", path)


def downward_causes(item: Json, path: str) -> list[Cause]:
    """A file with a field of the Pod, or a resource of a container."""
    causes = given(item, path, "path") + not_reserved(item["path"], f"{path}.path")
    if "fieldRef" in item:
        causes += field_reference_causes(item["fieldRef"], f"{path}.fieldRef", FIELDS_IN_FILES)
        if "resourceFieldRef" in item:
            text = "fieldRef and resourceFieldRef can not be specified simultaneously"
            causes.append(fielderrors.invalid(path, "resource", text))
    elif "resourceFieldRef" in item:
        causes += resource_reference_causes(item["resourceFieldRef"], f"{path}.resourceFieldRef", in_file=True)
    else:
        causes.append(fielderrors.required(path, "one of fieldRef and resourceFieldRef is required"))
    return causes + mode_causes(item, "mode", path) + user_causes(item, "user", path)


def mode_causes(holder: Json, member: str, path: str) -> list[Cause]:
    """A file's mode."""
    mode = holder.get(member)
    if mode is None or 0 <= mode <= 0o777:
        return []
    return [fielderrors.invalid(f"{path}.{member}", mode, _MODES)]


def user_causes(holder: Json, member: str, path: str) -> list[Cause]:
    """The user that a file belongs to."""
    return between(f"{path}.{member}", holder[member], 0, 2**31 - 1) if member in holder else []
