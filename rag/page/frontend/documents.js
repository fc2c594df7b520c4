// Draws the files: what each is, what is the matter with it, and for uploads the way to remove it.

export default function ({ data, parentElement, setTriggerValue }) {
  const root = rootOf(parentElement, "files");
  const act = (what, more) => setTriggerValue("action", { what, ...more });
  let state = drawn.get(root);
  if (!state) {
    state = { json: "", items: new Map() };
    drawn.set(root, state);
    root.append(element("ul", "list"));
  }
  const json = JSON.stringify(data);
  if (json !== state.json) {
    state.json = json;
    drawRows(state, root.firstChild, data, act);
  }
  // A citation leads to its passage, which stands where the files are.
  return onPassage(state, (event) => act("passage", { passage: event.detail.passage }));
}

// A file keeps its item, and with it the focus and a question under way, while others come and go
// and minutes pass.
function drawRows(state, list, { rows, words }, act) {
  const before = state.items;
  state.items = new Map();
  for (const row of rows) {
    const key = JSON.stringify([row.path, row.removable, words]);
    const item = before.get(key) ?? element("li", "", row.removable ? removal(row, words, act) : "");
    before.delete(key);
    state.items.set(key, item);
    item.className = `file ${row.state}`;
    for (const part of item.querySelectorAll(":scope > p")) part.remove();
    item.prepend(...partsOf(row, words));
  }
  for (const item of before.values()) item.remove();
  [...state.items.values()].forEach((item, at) => {
    if (list.children[at] !== item) list.insertBefore(item, list.children[at] ?? null);
  });
}

function partsOf(row, words) {
  const name = element("p", "name", row.removable ? row.path.replace(/^uploads\//, "") : row.path);
  name.dir = "auto";
  const parts = [name];
  if (row.facts || row.removable) {
    const tag = row.removable ? element("span", "tag", words.uploaded) : null;
    parts.push(element("p", row.facts ? "facts" : "facts none", row.facts, tag));
  }
  if (row.note) parts.push(element("p", "note", row.note));
  return parts;
}

// Removing asks once more, in its place.
function removal(row, words, act) {
  const box = element("div", "removal");
  const ask = button("remove", words.remove, () => {
    const sure = element("span", "sure", words.remove_sure);
    const yes = button("primary", words.remove, () => {
      act("remove", { source: row.path });
      box.replaceChildren(ask);
    });
    const no = button("", words.cancel, () => {
      box.replaceChildren(ask);
      ask.focus();
    });
    box.replaceChildren(sure, yes, no);
    no.focus();
  });
  ask.setAttribute("aria-label", `${words.remove}: ${row.path}`);
  box.setAttribute("role", "group");
  box.append(ask);
  return box;
}
