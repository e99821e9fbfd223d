"""The step definitions of the features: thin, one verb of ``conformance.scenario`` each.

``wording`` holds the words that several steps share, ``fixtures`` what each starts from, and ``given``, ``when``,
``then`` and ``faults`` the steps themselves. ``deployment-conformance steps`` lists them.
"""
