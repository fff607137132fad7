// The elements of the pane with a task’s details.
import { element, iconButton } from "./app.js";
import { words } from "./later-words.js";
import { firstDay, lastDay } from "./task-data.js";

const mostLabelCharacters = 60;

/** @returns the `dialog`, the `fields` by their names, and other elements with what they show */
export function paneElements() {
  const text = words.pane;
  const fields = {};
  const field = (name, title, made) => {
    fields[name] = made;
    made.name = name;
    return element("label", {}, title, made);
  };
  const input = (type, properties) =>
    element("input", { type, autocomplete: "off", ...properties });
  const area = (rows) => element("textarea", { rows, dir: "auto" });
  const options = words.data.priorities.map((name, value) =>
    element("option", { value: value || "" }, name),
  );
  const close = iconButton("plain", "close", { ariaLabel: words.common.close });
  const chips = element("ul", { className: "labels" });
  const known = element("datalist", { id: "known-labels" });
  const foreign = element("p", { className: "hint" }, text.foreign);
  const visit = element("a", { target: "_blank", rel: "noopener noreferrer" }, text.visit);
  const label = input("text", {
    maxLength: mostLabelCharacters,
    dir: "auto",
    enterKeyHint: "done",
  });
  label.placeholder = label.ariaLabel = text.newLabel;
  label.setAttribute("list", known.id);
  fields.label = label;
  label.name = "label";
  const dialog = element(
    "dialog",
    { className: "detail", "aria-labelledby": "detail-title" },
    element(
      "form",
      { method: "dialog" },
      element(
        "header",
        {},
        element("h2", { id: "detail-title", tabIndex: -1, autofocus: true }, text.title),
        close,
      ),
      field("title", words.common.title, area(1)),
      foreign,
      field("notes", text.notes, area(3)),
      element(
        "div",
        { className: "due-fields" },
        field("date", text.date, input("date", { min: firstDay, max: lastDay })),
        field("time", text.time, input("time")),
      ),
      field("priority", text.priority, element("select", {}, ...options)),
      element(
        "div",
        { className: "label-field" },
        element("span", {}, text.labels),
        chips,
        label,
        known,
      ),
      field("url", text.url, input("url", { dir: "ltr" })),
      visit,
    ),
  );
  return { dialog, fields, chips, known, foreign, visit, close };
}
