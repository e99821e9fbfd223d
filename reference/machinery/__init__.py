"""What client-go gives a controller, in virtual time.

``client`` and ``environment`` are what a controller sees; ``driver`` makes its every await a question and an answer.
Behind these: ``store`` (tables, their past, and their logs), ``informer``, ``queue``, ``events``, ``clock``; and two
tools of the controllers themselves, ``expectations`` and ``ref_manager``. ``runner`` puts one controller to work.
"""
