# The chat page, and store.py and ask.py, as a user who owns nothing but /data. Nothing else is
# written to but /tmp, so that the rest may be read-only.
FROM python:3.12-slim

WORKDIR /app
COPY pyproject.toml README.md LICENSE app.py store.py ask.py ./
COPY .streamlit ./.streamlit
COPY rag ./rag
RUN pip install --no-cache-dir '.[login]'

RUN useradd --uid 10001 --no-create-home app && mkdir /data && chown app /data
USER app
# Threads come and go with questions and builds, and glibc would give each memory of its own to keep.
ENV HOME=/data \
    MALLOC_ARENA_MAX=2 \
    PYTHONUNBUFFERED=1 \
    QDRANT_PATH=/data/qdrant \
    RAG_DOCS=/docs \
    RAG_HISTORY=/data/conversations.sqlite
VOLUME /data
EXPOSE 8501

# Only inside the container does the page listen on all addresses: .streamlit/config.toml keeps it
# to this machine elsewhere.
CMD ["streamlit", "run", "app.py", "--server.address=0.0.0.0", "--server.port=8501", "--server.headless=true"]
