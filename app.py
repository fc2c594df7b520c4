"""The chat page: ``streamlit run app.py``."""

from rag.page import main

main()
