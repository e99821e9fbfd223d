"""Exploring from the command line: worlds in YAML, schedules in words, in pictures and to be followed again.

``world_file`` reads a world, ``command`` has it explored by ``reference.explore``, ``telling`` says what was found,
``sequence`` draws it, and ``schedule`` keeps it in a file that can be followed.
"""
