"""Which source sentence supports a sentence of an answer, and where the two differ."""
