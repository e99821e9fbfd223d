"""``python -m conformance``: the console script, where it is not on the PATH."""

from conformance.entry import main

main()
