"""The tests; `pytest` in the repository runs them all."""
