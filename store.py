"""Bring the collection up to date with a folder: ``python store.py docs``."""

from rag.commands.store import command

if __name__ == "__main__":
    command()
