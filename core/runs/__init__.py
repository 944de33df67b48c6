"""Runs: the Trainer that makes them learn, the worker processes it lives in, and what the server knows of them.

``trainer`` and ``worker`` belong to the engine (torch); ``run``, ``pool`` and ``routes`` to the face (no torch);
``requests``, ``wire`` and ``status`` are the words both sides share.
"""
