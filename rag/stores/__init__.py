"""The two stores behind one protocol (:mod:`rag.stores.base`)."""
