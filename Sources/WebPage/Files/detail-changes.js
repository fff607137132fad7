// What the fields of a task’s details change.
import { fits } from "./app.js";
import { words } from "./later-words.js";
import { dueFrom, isLink, isTooLarge, valueIn } from "./task-data.js";

const mostLabels = 20;

/**
 * The change of a task by a field.
 * @param name of the field
 * @param fields the elements by their names
 * @param shown what the fields show of the task
 * @param complain shows why the change can’t be made
 * @returns the members to set; null if the change can’t be made
 */
export function changeOf(name, fields, shown, { data, title }, complain) {
  const { value: typed, validity } = fields[name];
  const text = typed.trim();
  const patch = (member, value) => {
    const change = { [member]: value };
    if (!isTooLarge(data, change)) return { data: change };
    complain(words.pane.tooLarge);
    return null;
  };
  switch (name) {
    case "title":
      if (text === title || text === "") return {};
      return fits(text, complain) ? { title: text } : null;
    case "notes":
      return patch(name, text === "" ? null : typed);
    case "priority":
      return patch(name, Number(text) || null);
    case "url":
      if (text === "" || isLink(text)) return patch(name, text || null);
      if (/^[\w-]+(\.[\w-]+)+([/?#]|$)/.test(text)) return patch(name, `https://${text}`);
      complain(words.pane.notLink);
      return null;
    case "label": {
      const label = text.replace(/[,،]$/, "").trim();
      const labels = [...new Set(valueIn(data, "labels"))];
      if (label === "" || labels.includes(label)) return {};
      if (labels.length < mostLabels) return patch("labels", [...labels, label]);
      complain(words.pane.manyLabels(mostLabels));
      return null;
    }
    default: {
      const { date, time } = fields;
      if (!date.validity.valid || !validity.valid) {
        complain(words.pane.incomplete);
        return null;
      }
      const at = time.validity.valid ? time.value : shown.time;
      return patch("due", dueFrom(date.value, at, valueIn(data, "due"), new Date()));
    }
  }
}
