// Streamlit's own words are English and cannot be set: they are said in the page's language here.
// What it tells the browser alone, which files it has not sent, is passed on. Shows nothing itself.

const UPLOAD = '.st-key-upload [data-testid="stFileUploaderDropzone"]';
const CHIP = '[data-testid="stFileChip"]'; // a file in the uploader

// What is called by what it is, whatever Streamlit calls it.
const LABELLED = {
  sidebar: '[data-testid="stSidebar"]',
  collapse: '[data-testid="stSidebarCollapseButton"] button',
  expand: '[data-testid="stExpandSidebarButton"]',
  send: '[data-testid="stChatInputSubmitButton"]',
  files: '[data-testid="stFileUploaderDropzoneInput"]',
  choose: `${UPLOAD} button:not(${CHIP} *)`,
};

// What Streamlit says elsewhere, in labels and in the places of WRITTEN.
const ENGLISH = [
  ["help", /^Help for (.*)$/s],
  ["drop_file", /^(?:Remove|Cancel upload of) (.*)$/s],
  ["open", /^Open$/],
  ["close", /^(?:Close|Dismiss)$/],
  ["copy", /^Copy to clipboard$/],
  ["copied", /^Copied$/],
  ["clear", /^Clear all$/],
  ["selected", /^Selected values$/],
  ["all", /^Select all$/],
  ["matches", /^Select (\d+) matches$/],
  ["options", /^(\d+) options? available\.$/],
  ["nothing", /^No results$/],
  ["progress", /^progress$/],
  ["enter", /^Press Enter to apply$/],
  ["lost", /^Connection error$/],
  ["lost_why", /^(?:Is Streamlit still running\?|Streamlit server is not responding\.).*$/s],
  ["restart", /^streamlit run yourscript\.py$/],
];
const WRITTEN = '[data-testid="InputInstructions"], [role="listbox"], [role="dialog"], [data-live-announcer]';

const said = new WeakMap(); // node → what Streamlit said, and what was made of it
let spoken = null; // the words in use
let tell = null; // says something to the program
let told = {}; // what it was told of files that were not sent, and of which uploader

function inLanguage(text) {
  for (const [name, pattern] of ENGLISH) {
    const found = pattern.exec(text);
    if (found) return spoken[name].replace("{name}", () => found[1]);
  }
  return text;
}

function translate(node, now, put) {
  const before = said.get(node);
  const english = before && before.made === now ? before.english : now;
  const made = inLanguage(english);
  if (made === now) return;
  said.set(node, { english, made });
  put(made);
}

function label(node, text) {
  if (node.getAttribute("aria-label") !== text) node.setAttribute("aria-label", text);
}

function relabel() {
  for (const [name, selector] of Object.entries(LABELLED)) {
    for (const node of document.querySelectorAll(selector)) label(node, spoken[name]);
  }
  for (const node of document.querySelectorAll("[aria-label]")) {
    translate(node, node.getAttribute("aria-label"), (text) => label(node, text));
  }
  for (const place of document.querySelectorAll(WRITTEN)) {
    const texts = document.createTreeWalker(place, NodeFilter.SHOW_TEXT);
    // A text node keeps its place: Streamlit goes on writing into it.
    for (let node; (node = texts.nextNode()); ) translate(node, node.data, (text) => (node.data = text));
  }
  for (const why of document.querySelectorAll(`${CHIP} [role="alert"]`)) sayWhy(why);
  tellUnsent();
  for (const icon of document.querySelectorAll('[role="img"][aria-label$=" icon"]')) {
    icon.setAttribute("aria-hidden", "true"); // the name of a picture that says nothing new
  }
  const skip = document.querySelector('[data-testid="stSkipToContent"]');
  if (skip && skip.textContent !== spoken.skip) skip.textContent = spoken.skip;
}

// Why the uploader has not taken a file: Streamlit tells those who hear it, page.css shows it to all.
function sayWhy(node) {
  node.dataset.why ??= /must be .* or smaller/.test(node.textContent) ? "too_large" : "not_sent";
  const text = spoken[node.dataset.why];
  if (node.textContent !== text) node.textContent = text;
}

// Tells the program which files the uploader has not taken, whenever that changes: it lets go of the
// uploader, and of what stands in it, once it has read the files that came.
function tellUnsent() {
  const uploader = document.querySelector('[class*="st-key-upload-"]');
  const turn = Number(/st-key-upload-(\d+)/.exec(uploader?.className)?.[1]);
  const chips = [...(uploader?.querySelectorAll(`${CHIP}:has([role="alert"])`) ?? [])];
  if (!uploader || (!chips.length && turn !== told.turn)) return;
  const lines = (read) => chips.map(read).join("\n");
  const source = lines((chip) =>
    (chip.querySelector('[data-testid="stFileChipName"]')?.title ?? "").replaceAll("\n", " "),
  );
  const comment = lines((chip) => chip.querySelector('[role="alert"]').dataset.why);
  const files = JSON.stringify([source, comment]);
  if (turn === told.turn && files === told.files) return;
  told = { turn, files };
  tell({ what: "unsent", turn, source, comment });
}

export default function ({ data, setTriggerValue }) {
  tell = (action) => setTriggerValue("action", action);
  document.documentElement.lang = data.lang;
  const first = spoken === null;
  spoken = data.labels;
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
  }).observe(document.body, { childList: true, subtree: true, characterData: true });
}
