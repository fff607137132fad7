// Icons as SVG elements. They are built by code, not parsed from text.
const namespace = "http://www.w3.org/2000/svg";

const paths = {
  handle: "M4 8h16M4 12h16M4 16h16",
  lock: "M7 11V8a5 5 0 0 1 10 0v3M6 11h12v9H6z",
  fold: "M9 6l6 6-6 6",
  tick: "M6.5 12.5l3.8 3.8 7.4-8.4",
  remove: "M7 12h10",
  add: "M12 5v14M5 12h14",
  up: "M6 15l6-6 6 6",
  down: "M6 9l6 6 6-6",
  undo: "M9 5L5 9l4 4M5 9h9a5 5 0 0 1 0 10h-3",
  redo: "M15 5l4 4-4 4M19 9h-9a5 5 0 0 0 0 10h3",
  back: "M14 6l-6 6 6 6",
  search: "M10.5 5a5.5 5.5 0 1 0 0 11 5.5 5.5 0 0 0 0-11M14.5 14.5L19 19",
  more: "M5 12h.01M12 12h.01M19 12h.01",
  board: "M4 5h4v14H4zM10 5h4v9h-4zM16 5h4v6h-4z",
  close: "M7 7l10 10M17 7L7 17",
  info: "M12 4a8 8 0 1 0 0 16 8 8 0 0 0 0-16M12 11v5M12 8h.01",
  due: "M5 6h14v14H5zM5 10h14M9 4v4M15 4v4",
  flag: "M6 20V5h11l-2 4 2 4H6",
  notes: "M5 7h14M5 12h14M5 17h8",
  url: "M10 14a4 4 0 0 0 6 0l3-3a4 4 0 0 0-6-6l-1 1M14 10a4 4 0 0 0-6 0l-3 3a4 4 0 0 0 6 6l1-1",
};

export function icon(name) {
  const svg = document.createElementNS(namespace, "svg");
  svg.setAttribute("viewBox", "0 0 24 24");
  svg.setAttribute("aria-hidden", "true");
  svg.classList.add("icon", `icon-${name}`);
  const path = document.createElementNS(namespace, "path");
  path.setAttribute("d", paths[name]);
  svg.append(path);
  return svg;
}

/** An element with properties and children; strings become text. */
export function element(name, properties = {}, ...children) {
  const made = document.createElement(name);
  for (const [key, value] of Object.entries(properties)) {
    if (key.includes("-") || key === "role" || key === "for") made.setAttribute(key, value);
    else made[key] = value;
  }
  made.append(...children);
  return made;
}

export function iconButton(className, name, properties = {}) {
  return element("button", { type: "button", className, ...properties }, icon(name));
}
