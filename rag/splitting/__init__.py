"""Where a text is cut: blocks, paragraphs, sentence ends, each rule in a module of its own."""
