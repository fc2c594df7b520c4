"""Conversations as they are kept: the file, the turns, what is exported."""
