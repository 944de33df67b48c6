"""Measurements: ``python -m tests.benchmarks [NAME ...] [--json]``. They compare within one run and assert nothing."""
