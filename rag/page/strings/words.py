"""What the page has to say: a name for each string.

Does not know any language. Words in braces are filled in by whoever draws the string.
"""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Strings:
    """The page's words in one language."""

    language: str
    tag: str
    title: str
    # The chat.
    ask: str
    welcome: str
    welcome_hint: str
    suggestions: tuple[str, ...]
    suggest_title: str
    searching: str
    reading: str
    stop: str
    stopped: str
    cut: str
    waiting: str
    copy: str
    copied: str
    again: str
    edit: str
    send: str
    cancel: str
    edit_note: str
    show_prompt: str
    show_evidence: str
    reasoning: str
    sources: str
    extractive: str
    tokens: str
    seconds: str
    refused: str
    searched: str
    fell_back: str
    # What became of an answer's sentences.
    checking: str
    checked: str
    claim_counts: dict[str, str]
    claim_tips: dict[str, str]
    claim_source: str
    claim_nearest: str
    differences: dict[str, str]
    differs_both: str
    differs_said: str
    unfounded: str
    unexpected: str
    roles: dict[str, str]
    # The evidence.
    evidence: str
    evidence_hint: str
    nothing_found: str
    uncited: str
    show_more: str
    why: str
    open_document: str
    back: str
    page: str
    found_sentence: str
    why_rank: str
    why_dense: str
    why_no_dense: str
    why_keyword: str
    why_no_keyword: str
    why_terms: str
    resized: str
    answer_again: str
    changed: str
    gone: str
    rebuilt: str
    # Ratings.
    good: str
    bad: str
    comment: str
    # The sidebar.
    new_chat: str
    conversations: str
    find_conversation: str
    nothing_like_it: str
    more: str
    manage: str
    conversation_title: str
    export: str
    export_rated: str
    export_rated_help: str
    delete: str
    delete_sure: str
    loaded: str
    documents: tuple[str, str]
    sentences: tuple[str, str]
    embedding: str
    chat_model: str
    no_chat_model: str
    check: str
    check_under_way: str
    check_ok: str
    check_failed: str
    check_names: dict[str, str]
    """By the names of :mod:`rag.check`."""
    connect: str
    connect_how: str
    window_size: str
    window_size_help: str
    advanced: str
    top_k: str
    top_k_help: str
    mode: str
    mode_help: str
    modes: dict[str, str]
    sources_filter: str
    sources_filter_help: str
    all_documents: str
    interface: str
    # Building.
    update: str
    update_help: str
    building: str
    building_hint: str
    steps: dict[str, str]
    cancel_build: str
    built: str
    time_left: str
    minutes: str
    # The documents.
    documents_view: str
    documents_outdated: str
    upload: str
    upload_drop: str
    upload_browse: str
    upload_types: str
    upload_checking: str
    upload_taken: str
    upload_refused: str
    remove: str
    remove_sure: str
    removed: str
    uploaded: str
    because: str
    states: dict[str, str]
    ages: dict[str, str]
    # Login.
    login: str
    login_hint: str
    logged_in: str
    logout: str
    # Why a file is not read: see rag.page.reading_faults. English has the readers' own words.
    reasons: dict[str, str]
    # Labels of Streamlit's own buttons and boxes: see frontend/labels.js.
    labels: dict[str, str]
    # Faults: class of error → what happened, in a sentence with what to do.
    faults: dict[str, str]
    retry: str
    rebuild: str
    build: str
    # Where there are no documents yet.
    first_documents: str
    first_documents_hint: str
    first_documents_folder: str
    first_documents_found: str
