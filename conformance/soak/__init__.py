"""The soak: many Deployments under random acts and random faults for minutes, on a real control plane.

Afterwards all must have come to the state that the model predicts, and nothing of the controller's process may have
grown. ``acts`` says what may happen, ``prediction`` what must come of it, ``growth`` watches the process, ``run`` is
the whole of it, and ``command`` is ``deployment-conformance soak``.
"""
