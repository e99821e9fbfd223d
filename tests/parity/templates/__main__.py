"""The search, for as long as it is told to: ``python -m tests.parity.templates --seconds 3600 --seed 7``.

Prints what it finds, each with the seed that repeats it, and ends with 1 if that was anything.
"""

from __future__ import annotations

import argparse
import sys
import time
from collections.abc import Iterator
from itertools import count

import msgspec

from conformance.targets.local import LocalTarget
from reference.versions import version_named
from tests.parity.sides import Model, Real
from tests.parity.templates.search import search
from tests.started import started

_SPACE = "templates"


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m tests.parity.templates", description=__doc__)
    parser.add_argument("--seconds", type=float, default=60)
    parser.add_argument("--seed", default="1")
    parser.add_argument("--kubernetes", default="1.37")
    parser.add_argument("--only", help="the one template of this seed, as a finding names it")
    parser.add_argument("--findings", type=int, default=20, help="how many are enough")
    options = parser.parse_args()
    with started(LocalTarget(options.kubernetes, controllers=False)) as target:
        return _run(target, options)


def _run(target: LocalTarget, options: argparse.Namespace) -> int:
    version = version_named(options.kubernetes)
    model, real = Model(version), Real(target.address)
    asked = found = 0
    try:
        for side in (model, real):
            side.open(_SPACE)
        for finding in search(_seeds(options), _SPACE, model, real, version):
            asked += 1
            if finding is not None:
                found += 1
                print(f"seed {finding.seed}: {msgspec.json.encode(finding.body).decode()}")
                print("\n".join(f"    {line}" for line in finding.differences), flush=True)
            if found >= options.findings:
                break
    except KeyboardInterrupt:
        print("interrupted")
    finally:
        real.close()
    print(f"Kubernetes {version.name}: {asked} templates, {found} answered differently")
    return 1 if found else 0


def _seeds(options: argparse.Namespace) -> Iterator[str]:
    if options.only:
        yield options.only
        return
    end = time.monotonic() + options.seconds
    for number in count():
        if time.monotonic() >= end:
            return
        yield f"{options.seed}/{number}"


if __name__ == "__main__":
    sys.exit(main())
