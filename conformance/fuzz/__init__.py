"""The fuzzer: random worlds, one sync each, by the reference and by upstream's own code; a difference is a finding.

``command`` runs it; ``session`` is the loop. Worlds come from ``walk`` (states that real rollouts pass through, faults
included), ``broken`` (states that somebody has meddled with) and ``tamper`` (the first made into the second), and pod
templates from ``templates`` (any field that the version has). ``oracle`` is upstream's code in a process of its own,
``shrink`` makes a finding small, ``show`` makes it readable.
"""
