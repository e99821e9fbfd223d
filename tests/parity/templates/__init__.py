"""Pod templates made by chance, and the search for one that the two servers answer differently.

``values`` says what each field may hold, ``generator`` makes templates of them, ``search`` asks both servers;
``python -m tests.parity.templates`` runs it for as long as it is told to.
"""
