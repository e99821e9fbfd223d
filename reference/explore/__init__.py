"""What could happen: schedules that no single run shows, and faults that the real controllers once had.

    world = World(name="42639", given=(create,), acts=(delete,), controllers=named("42639").controllers)
    found = explore(world)
    assert found.verdict == "broken"
    for step in found.broken[0].steps:
        print(step)

``world`` says what is explored (with acts made of ``hands``), ``search`` how, ``properties`` what it is held to (by
``looks``), and ``mutants`` holds the faults. A state is a tuple of numbers (``state``, ``values``). Its parts are the
API server's tables (``serving``), and for each controller under suspicion its informers and its desk (``worker``,
``hearing``, ``desk``, ``syncs``); the others are ``actors``. ``system`` puts them together. ``circles`` and ``resting``
find what never ends, and ``following`` takes a schedule once more.
"""
