"""Stories: long random scenarios, written from a seed and played on several targets in lockstep.

A story is a scenario in the features' own sentences, so what it says can be read, replayed, and pasted into a feature.
``story`` is the value and its text, ``writing`` makes one of a seed out of the ``acts``, ``playing`` runs it on all
targets sentence by sentence until they differ, ``shrinking`` makes a story that differs as short as can be, and
``command`` is ``deployment-conformance story``.
"""
