"""Tests of the runs: the Trainer, its workers, the pool, the routes."""
