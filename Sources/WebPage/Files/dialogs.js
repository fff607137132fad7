// What the dialogs have in common.
import { element } from "./app.js";

/** Closes a dialog when the person clicks beside it, or on its button “Cancel”. */
export function closeBeside(dialog) {
  dialog.addEventListener("click", ({ target }) => {
    if (target === dialog || target.dataset.part === "cancel") dialog.close();
  });
}

/**
 * A row of a dialog's list.
 * @param detail the text below the name, or its element
 * @param [action] a button: `{ label, name, run }`. The name is for screen readers
 */
export function dialogRow(name, detail, action) {
  const below = typeof detail === "string" ? element("span", {}, detail) : detail;
  below.classList.add("count");
  const row = element("li", {}, element("span", { className: "name", dir: "auto" }, name), below);
  if (action) {
    const button = element("button", { type: "button", className: "second" }, action.label);
    button.ariaLabel = action.name;
    button.addEventListener("click", async () => {
      button.disabled = true; // the same act twice would be refused
      await action.run();
      button.disabled = false;
    });
    row.append(button);
  }
  return row;
}
