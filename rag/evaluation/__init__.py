"""How well search finds what a set of questions asks for."""
