// Streamlit's own labels are English and cannot be set: they are said in the page's language here.

const LABELLED = {
  sidebar: '[data-testid="stSidebar"]',
  collapse: '[data-testid="stSidebarCollapseButton"] button',
  expand: '[data-testid="stExpandSidebarButton"]',
  send: '[data-testid="stChatInputSubmitButton"]',
  files: '[data-testid="stFileUploaderDropzoneInput"]',
  choose: '.st-key-upload [data-testid="stFileUploaderDropzone"] button',
  open: '[data-testid="stMultiSelect"] button[aria-label="Open"]',
};

let spoken = null; // the words in use

function relabel() {
  for (const [name, selector] of Object.entries(LABELLED)) {
    for (const node of document.querySelectorAll(selector)) {
      if (node.getAttribute("aria-label") !== spoken[name]) {
        node.setAttribute("aria-label", spoken[name]);
      }
    }
  }
  for (const node of document.querySelectorAll('[aria-label^="Help for "]')) {
    const what = node.getAttribute("aria-label").slice("Help for ".length);
    node.setAttribute("aria-label", spoken.help.replace("{name}", what));
  }
  const skip = document.querySelector('[data-testid="stSkipToContent"]');
  if (skip && skip.textContent !== spoken.skip) skip.textContent = spoken.skip;
}

// Say the page's language, and the labels of all that is there or comes.
function speak(words) {
  document.documentElement.lang = words.lang;
  const first = spoken === null;
  spoken = words.labels;
  relabel();
  if (!first) return;
  let due = false;
  new MutationObserver(() => {
    if (due) return;
    due = true;
    requestAnimationFrame(() => {
      due = false;
      relabel();
    });
  }).observe(document.body, { childList: true, subtree: true });
}
