"""Who reconciles on a target: the reference controllers at work on a real API server, in a process of their own.

Not a line of ``reference.controllers`` knows it. ``environment`` is what they see here; behind it are ``api``
(requests), ``informer`` (caches that watches fill), ``queue`` (real time), and ``recorder`` (events). ``controller``
puts one to work, ``election`` decides whether it may, ``serving`` tells how it does, ``process`` is all of it from
beginning to end, and ``command`` its command line.
"""
