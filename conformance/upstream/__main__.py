"""`python -m conformance.upstream VERSION…` builds ahead what the suite would build when it's first needed."""

from __future__ import annotations

import argparse
import signal
import sys

from conformance.upstream.build import PROGRAMS, ensure
from conformance.upstream.errors import UpstreamUnavailable


def main() -> int:
    """Build the programs asked for, print their paths; exit code 2 if one can't be had."""
    parser = argparse.ArgumentParser(prog="python -m conformance.upstream", description=__doc__)
    parser.add_argument("versions", metavar="VERSION", nargs="+", help="a Kubernetes version, such as 1.37")
    parser.add_argument("--program", action="append", choices=PROGRAMS, help="only this one; may be repeated")
    chosen = parser.parse_args()
    signal.signal(signal.SIGTERM, lambda number, _: sys.exit(128 + number))  # so that Go is ended too
    try:
        for version in chosen.versions:
            for program in chosen.program or PROGRAMS:
                print(ensure(program, version), flush=True)
    except UpstreamUnavailable as error:
        print(f"error: {error}", file=sys.stderr)
        return 2
    except KeyboardInterrupt:
        print("interrupted: what was compiled is kept, and the next run goes on from there", file=sys.stderr)
        return 130
    return 0


if __name__ == "__main__":
    sys.exit(main())
