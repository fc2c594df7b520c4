"""Ask the documents a question: ``python ask.py "How long is the warranty?"``."""

from rag.commands.ask import command

if __name__ == "__main__":
    command()
