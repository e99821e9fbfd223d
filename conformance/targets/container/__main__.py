"""``python -m conformance.targets.container VERSION…`` builds the images of Kubernetes versions, and names them."""

from __future__ import annotations

import sys

from conformance.targets.container.image import build
from conformance.targets.protocol import TargetError


def main() -> int:
    try:
        for version in sys.argv[1:]:
            print(build(version), flush=True)
    except TargetError as error:
        print(f"error: {error}", file=sys.stderr)
        return 2
    return 0


if __name__ == "__main__":
    sys.exit(main())
