// Draws turns: the question, the answer with its citations, and what can be done with it.

const PLAIN = new Set([
  "p", "blockquote", "ul", "li", "em", "strong", "s", "thead", "tbody", "tr", "th", "td",
  "hr", "br", "code", "span",
]);

const THUMB = "M2 9h3v9H2z M7 9.5 11 2c1.5 0 2.5 1 2.5 2.5V8h3c1 0 1.7.9 1.5 1.9l-1.2 6.6c-.2.9-.9 1.5-1.8 1.5H7z";

export default function ({ data, parentElement, setTriggerValue }) {
  const root = rootOf(parentElement, "turns");
  const scroller = scrollerOf(root);
  const atEnd = beyond(root, scroller) < 80;
  const known = drawn.get(root) ?? new Map();
  drawn.set(root, known);
  const act = (what, turn, more) => setTriggerValue("action", { what, turn, ...more });
  let added = false;

  const order = data.turns.map((turn) => {
    let state = known.get(turn.number);
    if (!state || state.question !== turn.question) {
      added = true;
      state = newTurn(turn, data.words, act);
      known.set(turn.number, state);
    }
    state.node.classList.toggle("selected", turn.selected);
    state.selected = turn.selected;
    const json = JSON.stringify([turn, data.words]);
    state.rates = data.rates;
    if (json !== state.json) drawAnswer(state, turn, data.words, act);
    state.json = json;
    return state.node;
  });
  for (const [number, state] of known) {
    if (!order.includes(state.node)) known.delete(number);
  }
  const same = order.length === root.childNodes.length;
  if (!same || order.some((node, at) => node !== root.childNodes[at])) {
    root.replaceChildren(...order);
  }
  root.classList.toggle("busy", data.busy);
  // The next drawing is asked for when this one is done, so that they never queue up.
  if (data.look && data.look !== known.look) {
    known.look = data.look;
    setTimeout(() => setTriggerValue("action", { what: "look", turn: data.look }), 30);
  }
  // The turn under way is drawn more often than the page: it sees when a page has not arrived.
  known.page = data.page;
  if (data.part === "turns") {
    window.sentenceWindowPage = data.page;
  } else if (window.sentenceWindowPage !== data.page) {
    setTimeout(() => {
      if (window.sentenceWindowPage === data.page || known.page !== data.page) return;
      setTriggerValue("action", { what: "lost", turn: data.page });
    }, 500);
  }
  // A new question is brought into view; an answer that grows stays there unless one scrolled away.
  if (added || (data.busy && atEnd)) {
    requestAnimationFrame(() => {
      const missing = beyond(root, scroller);
      if (missing > 0) scroller.scrollBy({ top: missing });
    });
  }
}

// How many pixels of the last turn, and of what stands below it, are out of sight.
function beyond(root, scroller) {
  const last = root.lastElementChild;
  if (!last) return -Infinity;
  const bottom = Math.min(scroller.getBoundingClientRect().bottom, window.innerHeight);
  const room = window.innerWidth <= 640 ? 170 : 72;
  return last.getBoundingClientRect().bottom - (bottom - room);
}

function newTurn(turn, words, act) {
  const bubble = element("div", "bubble", turn.question);
  bubble.dir = "auto";
  const question = element("div", "question", bubble);
  const answer = element("div", "answer");
  const text = element("div", "text");
  text.dir = "auto";
  const node = element("article", "turn", question, answer);
  node.dataset.turn = turn.number;
  const state = { node, question: turn.question, answer, text, blocks: [], selected: false };
  state.edit = () => edit(question, bubble, state, words, act);
  const lead = (event) => {
    const place = event.target.closest("a.cite, [data-passage]");
    if (!place) return;
    event.preventDefault();
    const to = {};
    for (const name of ["passage", "start", "end"]) to[name] = Number(place.dataset[name] ?? 0);
    if (!state.selected) act("select", state.number, to);
    else document.dispatchEvent(new CustomEvent("passage", { detail: to }));
  };
  answer.addEventListener("click", (event) => {
    const chosen = event.target.getRootNode().getSelection?.() ?? document.getSelection();
    if (chosen.isCollapsed || event.target.closest("a.cite, button")) lead(event);
  });
  answer.addEventListener("keydown", (event) => {
    if (event.key === "Enter" && event.target.closest(".claim, .unfounded li")) lead(event);
  });
  return state;
}

function drawAnswer(state, turn, words, act) {
  state.number = turn.number;
  state.last = turn.last;
  drawBlocks(state, turn);
  state.text.classList.toggle("writing", turn.state === "writing");
  state.answer.setAttribute("aria-busy", String(turn.state !== "done"));
  const parts = [];
  if (turn.searched) parts.push(element("p", "searched", turn.searched));
  if (turn.reasoning) {
    const open = state.answer.querySelector(".reasoning")?.open ?? false;
    const details = element("details", "reasoning", element("summary", "", words.reasoning));
    details.append(element("div", "", turn.reasoning));
    details.open = open;
    parts.push(details);
  }
  parts.push(state.text);
  if (turn.status) {
    const status = element("p", "status", turn.status, element("span", "dots"));
    status.setAttribute("role", "status");
    parts.push(status);
  }
  if (turn.fault) {
    const fault = element("div", "fault", element("p", "", turn.fault));
    fault.setAttribute("role", "alert");
    if (turn.detail) fault.append(element("p", "detail", turn.detail));
    parts.push(fault);
  }
  parts.push(...turn.remarks.map((remark) => element("p", "remark", remark)));
  if (turn.unfounded.length) parts.push(unfounded(turn, words));
  if (turn.checked) parts.push(element("p", "remark checked", turn.checked));
  if (turn.comment) {
    const said = words.because.replace("{what}", words.comment).replace("{why}", () => turn.comment);
    parts.push(element("p", "remark", said));
  }
  if (turn.state === "done") parts.push(footer(state, turn, words, act));
  state.answer.replaceChildren(...parts);
}

// What the passages do not have, each with what differs; it leads to the nearest sentence.
function unfounded(turn, words) {
  const items = turn.unfounded.map(({ claim, text, why }) => {
    const said = element("span", "said", text);
    said.dir = "auto";
    const item = element("li", "", said, " ", element("span", "why", why));
    leadTo(item, turn.claims[claim]);
    return item;
  });
  return element("div", "unfounded", element("p", "", words.unfounded), element("ul", "", ...items));
}

function leadTo(node, claim) {
  if (!claim.passage) return;
  Object.assign(node.dataset, { passage: claim.passage, start: claim.start, end: claim.end });
}

function footer(state, turn, words, act) {
  const bar = element("div", "actions");
  if (turn.copy) {
    const copy = button("", words.copy, async () => {
      await toClipboard(turn.copy);
      copy.textContent = words.copied;
      setTimeout(() => (copy.textContent = words.copy), 1500);
    });
    bar.append(copy);
  }
  if (turn.last) bar.append(button("idle", words.again, () => act("again", turn.number)));
  bar.append(button("idle", words.edit, () => state.edit()));
  if (turn.prompted) bar.append(button("", words.show_prompt, () => act("prompt", turn.number)));
  bar.append(button("show", words.show_evidence, () => act("select", turn.number)));
  if (state.rates && turn.copy && !turn.fault) bar.append(...rating(turn, words, act));
  return element("footer", "", bar, element("span", "facts", turn.facts));
}

// Two thumbs, and a comment once there is one of them.
function rating(turn, words, act) {
  const rate = (thumb, comment) => act("rate", turn.number, { thumb, comment });
  const thumbs = [["up", words.good], ["down", words.bad]].map(([thumb, label]) => {
    const given = turn.thumb === thumb;
    const node = button(`thumb ${thumb}`, icon(THUMB), () => rate(given ? "" : thumb, turn.comment));
    node.title = label;
    node.setAttribute("aria-label", label);
    node.setAttribute("aria-pressed", String(given));
    return node;
  });
  if (!turn.thumb) return thumbs;
  const comment = button("", words.comment, () => {
    const box = element("input", "comment");
    box.value = turn.comment;
    box.setAttribute("aria-label", words.comment);
    box.addEventListener("keydown", (event) => {
      if (event.key === "Escape") box.replaceWith(comment);
      if (event.key === "Enter" && !event.isComposing) rate(turn.thumb, box.value.trim());
    });
    comment.replaceWith(box);
    box.focus();
  });
  return [...thumbs, comment];
}

async function toClipboard(text) {
  if (navigator.clipboard) return navigator.clipboard.writeText(text);
  // Without https, and not on this machine, browsers leave only the old way.
  const box = element("textarea");
  box.value = text;
  document.body.append(box);
  box.select();
  document.execCommand("copy");
  box.remove();
}

function edit(question, bubble, state, words, act) {
  if (question.querySelector("textarea")) return;
  const box = element("textarea");
  box.value = state.question;
  box.rows = Math.min(8, state.question.split("\n").length + 1);
  box.setAttribute("aria-label", words.edit);
  const close = () => question.replaceChildren(bubble);
  const send = () => {
    if (box.value.trim()) act("edit", state.number, { question: box.value.trim() });
    close();
  };
  box.addEventListener("keydown", (event) => {
    if (event.key === "Escape") close();
    // While an input method composes, Enter chooses a candidate.
    if (event.key === "Enter" && !event.shiftKey && !event.isComposing) {
      event.preventDefault();
      send();
    }
  });
  const note = state.last ? "" : words.edit_note;
  const bar = element("div", "actions", element("span", "facts", note));
  bar.append(button("", words.cancel, close), button("primary", words.send, send));
  question.replaceChildren(element("div", "editor", box, bar));
  box.focus();
}

// Blocks that did not change keep their nodes, so that a long answer streams without flicker.
function drawBlocks(state, { blocks, tips, claims }) {
  const marks = JSON.stringify([tips, claims]);
  const begun = new Set(); // claims of which a piece is drawn
  blocks.forEach((block, at) => {
    const json = JSON.stringify(block) + marks;
    const old = state.blocks[at];
    if (old?.json === json) return;
    const node = build(block, { tips, claims, begun });
    if (old) old.node.replaceWith(node);
    else state.text.append(node);
    state.blocks[at] = { json, node };
  });
  while (state.blocks.length > blocks.length) state.blocks.pop().node.remove();
}

function build(block, marks) {
  if (typeof block === "string") return document.createTextNode(block);
  const [tag, number, ...children] = block;
  if (tag === "cite") return citation(number, children[0], marks.tips);
  const nodes = children.map((child) => build(child, marks));
  if (tag === "claim") return claim(number, nodes, marks);
  if (tag === "h") return element(`h${Math.min(6, number + 2)}`, "", ...nodes);
  if (tag === "pre") return element("pre", "", element("code", "", ...nodes));
  if (tag === "table") return element("div", "wide", element("table", "", ...nodes));
  if (tag === "ol") {
    const list = element("ol", "", ...nodes);
    list.start = number;
    return list;
  }
  return element(PLAIN.has(tag) ? tag : "span", "", ...nodes);
}

// A piece of a sentence that was checked; the first of a sentence can be reached with the keyboard.
function claim(number, nodes, { claims, begun }) {
  const mark = claims[number];
  const piece = element("span", `claim ${mark.kind}`, ...nodes);
  piece.dataset.claim = number;
  piece.title = mark.tip;
  leadTo(piece, mark);
  if (mark.passage && !begun.has(number)) {
    piece.tabIndex = 0;
    piece.setAttribute("role", "link");
  }
  begun.add(number);
  return piece;
}

function citation(passage, label, tips) {
  const link = element("a", "cite", label);
  link.href = `#passage-${passage}`;
  link.dataset.passage = passage;
  link.title = tips[passage - 1] ?? "";
  return link;
}
