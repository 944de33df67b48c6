"""Runs: the Trainer that makes them learn, the worker processes it lives in, and what the server knows of them.

The engine's side (torch): ``trainer`` holds a ``learner`` a run, with ``snapshots`` and ``looks``; ``worker`` puts it
at the end of two pipes. The server's side (no torch): ``pool`` holds a ``run`` a run and a ``process`` a worker;
``broadcast``, ``routes`` and ``lifespan`` face the browser. Both sides share ``requests``, ``wire``, ``status``,
``history`` and ``pace``.
"""
