// Draws the files: what each is, what is the matter with it, and for uploads the way to remove it.

export default function ({ data, parentElement, setTriggerValue }) {
  const root = rootOf(parentElement, "files");
  const act = (what, more) => setTriggerValue("action", { what, ...more });
  let state = drawn.get(root);
  if (!state) {
    state = { json: "" };
    drawn.set(root, state);
  }
  const json = JSON.stringify(data);
  if (json !== state.json) {
    state.json = json;
    const list = element("ul", "list", ...data.rows.map((row) => drawRow(row, data.words, act)));
    root.replaceChildren(list);
  }
  // A citation leads to its passage, which stands where the files are.
  return onPassage(state, (event) => act("passage", { passage: event.detail.passage }));
}

function drawRow(row, words, act) {
  const name = element("p", "name", row.removable ? row.path.replace(/^uploads\//, "") : row.path);
  name.dir = "auto";
  const item = element("li", `file ${row.state}`, name);
  if (row.facts || row.removable) {
    const tag = row.removable ? element("span", "tag", words.uploaded) : null;
    item.append(element("p", row.facts ? "facts" : "facts none", row.facts, tag));
  }
  if (row.note) item.append(element("p", "note", row.note));
  if (row.removable) item.append(removal(row, words, act));
  return item;
}

// Removing asks once more, in its place.
function removal(row, words, act) {
  const box = element("div", "removal");
  const ask = button("remove", words.remove, () => {
    const sure = element("span", "sure", words.remove_sure);
    const yes = button("primary", words.remove, () => {
      yes.disabled = true;
      act("remove", { source: row.path });
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
