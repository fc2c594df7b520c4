"""Who looks at the page: nobody in particular, or whom Streamlit's own OIDC login says it is.

``[auth]`` in ``.streamlit/secrets.toml`` asks for the login; without it there is none.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import streamlit as st

if TYPE_CHECKING:
    from rag.page.strings import Strings


def login_is_required() -> bool:
    """Whether the page is for those alone who have logged in."""
    return st.secrets.load_if_toml_exists() and "auth" in st.secrets


def visitor() -> str | None:
    """Return who is logged in, as what is theirs is kept: None without a login.

    By the issuer and its subject, the only claims that are one person's for good (OpenID Connect
    Core 1.0, section 5.7): names are shared, and addresses are handed on, or not verified.
    """
    if not login_is_required() or not st.user.is_logged_in:
        return None
    said = st.user.to_dict()
    return f"{said.get('iss', '')} {said['sub']}"


def draw_login(words: Strings) -> bool:
    """Draw the way in, and return True, where a login is required and has not been."""
    if not login_is_required() or st.user.is_logged_in:
        return False
    with st.container(key="building"):
        st.subheader(words.title, anchor=False)
        st.caption(words.login_hint)
        st.button(words.login, key="login", type="primary", on_click=st.login)
    return True


def draw_logout(words: Strings) -> None:
    """Say who is logged in, and draw the way out."""
    if not login_is_required() or not st.user.is_logged_in:
        return
    said = st.user.to_dict()
    st.caption(words.logged_in)
    st.text(next(str(said[claim]) for claim in ("email", "name", "sub") if said.get(claim)))
    st.button(words.logout, key="logout", type="tertiary", icon=":material/logout:",
              on_click=st.logout)  # fmt: skip
