"""The museum of faults, open to visitors: each piece is switched on and caught, switched off and clean.

``catchers`` says what catches each piece of ``reference.explore.mutants``: a scenario of the features, an exploration
(``worlds``), or, where the fault lies in a controller that no feature can hold up, a schedule written by hand
(``schedules``). ``shows`` switches the pieces and looks; ``command`` is the command line, ``page`` the report.
"""
