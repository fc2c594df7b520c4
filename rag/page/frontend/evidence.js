// Draws the passages of an answer, or one whole document; found sentences are marked.

// Milliseconds in which the browser may still be scrolling to a card.
const ON_ITS_WAY = 1500;

export default function ({ data, parentElement, setTriggerValue }) {
  const root = rootOf(parentElement, "evidence");
  const act = (what, more) => setTriggerValue("action", { what, ...more });
  let state = drawn.get(root);
  if (!state) {
    state = { focused: null, json: "", shown: -Infinity };
    drawn.set(root, state);
  }
  const json = JSON.stringify(data);
  if (json !== state.json) {
    const sameTurn = state.data?.turn === data.turn;
    const here = sameTurn ? root.querySelector(".here")?.dataset.first : null;
    state.data = data;
    state.json = json;
    state.document = data.document !== null;
    root.dataset.turn = data.turn;
    if (data.document) drawDocument(root, data.document, data.words, act);
    else drawCards(root, data, act, here);
    if (!sameTurn && !data.document) scrollerOf(root).scrollTo({ top: 0 });
    // New nodes in place of the old ones end the way to a card that was just asked for.
    if (here && !data.document && performance.now() - state.shown < ON_ITS_WAY) {
      show(root, state.place);
    }
  }
  if (data.focus && data.focus.click !== state.focused) {
    state.focused = data.focus.click;
    show(root, data.focus);
  }
  return onPassage(state, (event) => {
    if (state.document) {
      state.document = false;
      drawCards(root, state.data, act);
      act("close");
    }
    show(root, event.detail);
  });
}

// Brings a passage into view, or the sentence of its source from start to end, if there is one.
function show(root, place) {
  const state = drawn.get(root);
  const card = root.querySelector(`[data-numbers~="${Number(place.passage)}"]`);
  if (!card) return;
  state.shown = performance.now();
  state.place = place;
  const meant = markSource(root, state.data, place);
  for (const other of root.querySelectorAll(".here")) {
    other.classList.remove("here");
    other.removeAttribute("aria-current");
  }
  card.classList.add("here");
  card.setAttribute("aria-current", "true");
  card.focus({ preventScroll: true });
  const behavior = still() ? "auto" : "smooth";
  if (meant) meant.scrollIntoView({ block: "center", behavior });
  else card.scrollIntoView({ block: "start", behavior });
}

// Marks the sentence that an answer's sentence rests on, in whichever card holds it.
function markSource(root, data, { passage, start = 0, end = 0 }) {
  const cards = [...root.querySelectorAll(".card")];
  let meant = null;
  data.cards.forEach((card, at) => {
    const text = cards[at]?.querySelector(".text");
    if (!text) return;
    const own = start < end && card.numbers.includes(Number(passage));
    const parts = own ? cut(card.pieces, start - card.start, end - card.start) : card.pieces;
    if (!own && !text.querySelector(".source")) return;
    text.replaceChildren(...pieces(parts, data.words));
    meant ??= text.querySelector(".source");
  });
  return meant;
}

// Cuts pieces of text so that what is between two offsets, in code points, stands in its own.
function cut(list, start, end) {
  const found = [];
  let at = 0;
  for (const piece of list) {
    const points = [...piece.text];
    const bounds = [0, start - at, end - at, points.length].map((bound) =>
      Math.min(points.length, Math.max(0, bound)),
    );
    for (let i = 0; i < 3; i += 1) {
      const text = points.slice(bounds[i], bounds[i + 1]).join("");
      if (text) found.push({ ...piece, text, source: i === 1 });
    }
    at += points.length;
  }
  return found;
}

function drawCards(root, data, act, here) {
  const nodes = [drawTop(data, act)];
  const split = data.cards.some((card) => card.cited);
  data.cards.forEach((card, at) => {
    if (split && !card.cited && data.cards[at - 1]?.cited) {
      nodes.push(element("p", "divider", data.words.uncited));
    }
    nodes.push(drawCard(card, data.words, act));
  });
  if (!data.cards.length) nodes.push(element("p", "hint", data.hint));
  if (data.more) nodes.push(button("more", data.more, () => act("more")));
  root.classList.toggle("empty", data.turn < 0);
  root.replaceChildren(...nodes);
  if (here) root.querySelector(`[data-first="${Number(here)}"]`)?.classList.add("here");
}

function drawTop(data, act) {
  const top = element("header", "top", element("h2", "", data.words.evidence));
  if (data.of) top.append(element("p", "of", data.of));
  if (data.resized) {
    top.append(element("p", "resized", data.resized));
    top.append(button("again", data.words.answer_again, () => act("again")));
  }
  return top;
}

function drawCard(card, words, act) {
  const numbers = card.numbers.map((number) => element("span", "number", String(number)));
  const heading = element("h3", "", card.heading);
  heading.dir = "auto";
  const head = element("header", "", ...numbers, heading);
  const place = element("p", "place", card.place);
  const text = element("div", "text", ...pieces(card.pieces, words));
  text.dir = "auto";
  const reasons = card.why.map((reason) => element("li", "", reason));
  const why = element("details", "why", element("summary", "", words.why));
  why.append(element("ul", "", ...reasons));
  const open = button("open", words.open_document, () =>
    act("open", { source: card.source, start: card.start }),
  );
  const node = element("section", card.cited ? "card cited" : "card");
  node.append(head, place, text, element("footer", "", why, open));
  node.tabIndex = -1;
  node.dataset.numbers = card.numbers.join(" ");
  node.dataset.first = card.numbers[0] ?? "";
  node.setAttribute("aria-label", `${words.evidence} ${card.numbers.join(", ")}`);
  return node;
}

function drawDocument(root, opened, words, act) {
  const back = button("back", `← ${words.back}`, () => act("close"));
  const title = element("h3", "", opened.title);
  title.dir = "auto";
  const nodes = pieces(opened.pieces, words);
  const text = element("div", "text", ...nodes);
  text.dir = "auto";
  const head = element("header", "top", back, title, element("p", "place", opened.place));
  if (opened.note) head.append(element("p", "note", opened.note));
  root.replaceChildren(element("section", "document", head, text));
  const target = nodes[opened.target];
  const scroller = scrollerOf(root);
  if (target instanceof Element) {
    target.classList.add("target");
    target.scrollIntoView({ block: "center" });
  } else scroller.scrollTo({ top: 0 });
  back.focus({ preventScroll: true });
}

function pieces(list, words) {
  return list.map(({ text, rank, source }) => {
    if (!rank) return source ? element("span", "source", text) : document.createTextNode(text);
    const strength = rank === 1 ? "strong" : rank <= 3 ? "medium" : "light";
    const mark = element("mark", source ? `${strength} source` : strength, text);
    // Read aloud before the sentence, but no part of its text.
    mark.dataset.label = words.found_sentence.replace("{rank}", rank);
    mark.title = mark.dataset.label.replace(/[:：]\s*$/, "");
    return mark;
  });
}
