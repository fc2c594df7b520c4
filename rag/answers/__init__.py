"""How an answer comes about: streamed from a model, or taken from the passages."""
