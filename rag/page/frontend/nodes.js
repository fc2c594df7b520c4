// What the components build their nodes with. Foreign text only ever becomes a text node.

const drawn = new WeakMap(); // a component's root → what it remembers between two drawings

function element(tag, className, ...children) {
  const node = document.createElement(tag);
  if (className) node.className = className;
  node.append(...children.filter((child) => child !== null && child !== ""));
  return node;
}

function button(className, label, onClick) {
  const node = element("button", className, label);
  node.type = "button";
  node.addEventListener("click", onClick);
  return node;
}

function icon(path) {
  const [svg, line] = ["svg", "path"].map((name) =>
    document.createElementNS("http://www.w3.org/2000/svg", name),
  );
  svg.setAttribute("viewBox", "0 0 20 20");
  svg.setAttribute("aria-hidden", "true");
  line.setAttribute("d", path);
  svg.append(line);
  return svg;
}

// The root of a component, made when it is drawn for the first time.
function rootOf(parent, className) {
  const found = [...parent.children].find((child) => child.classList.contains(className));
  if (found) return found;
  const root = element("div", className);
  parent.append(root);
  return root;
}

// Listens for a passage that is asked for elsewhere in the page; returns how to end that. Streamlit
// may end what a call began and call again for the same root: each call listens for itself.
function onPassage(state, heard) {
  document.removeEventListener("passage", state.heard);
  state.heard = heard;
  document.addEventListener("passage", heard);
  return () => document.removeEventListener("passage", heard);
}

const still = () => window.matchMedia("(prefers-reduced-motion: reduce)").matches;

// The nearest box around a component that scrolls; components live in a shadow tree.
function scrollerOf(node) {
  for (let at = node; at; at = at.parentNode ?? at.host) {
    if (!(at instanceof Element)) continue;
    const overflow = getComputedStyle(at).overflowY;
    if (overflow === "auto" || overflow === "scroll") return at;
  }
  return document.scrollingElement;
}
