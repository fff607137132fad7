// Editing a title in place.
import { element } from "./icons.js";
import { onKey } from "./key.js";

const maximumTitleBytes = 4096;

/** Whether a title is short enough. If not, shows a message. */
export function fits(text, complain) {
  if (new TextEncoder().encode(text).length <= maximumTitleBytes) return true;
  complain("The title is too long.");
  return false;
}

/**
 * Puts a field in the place of a shown title.
 * @param shown the element that shows the title
 * @param title the title
 * @param owner gets the focus after Enter and Escape
 * @param onEnd is called once, with the new title, or with undefined after a cancellation. An empty title cancels, because what has
 *   no title cannot be recognized.
 */
export function renameInPlace(shown, title, owner, onEnd, complain) {
  if (shown.hidden) return; // it is being edited
  const field = element("textarea", { className: "rename", dir: "auto", rows: 1, value: title });
  field.setAttribute("aria-label", "Title");
  let isOver = false;
  const end = (text, isFocused) => {
    if (isOver) return;
    isOver = true;
    field.remove();
    shown.hidden = false;
    if (isFocused) owner.focus({ preventScroll: true });
    onEnd(text?.trim() === "" ? undefined : text);
  };
  onKey(field, (key) => {
    if (key === "Escape") end(undefined, true);
    else if (key !== "Enter") return false;
    else if (fits(field.value, complain)) end(field.value, true);
    return true;
  });
  field.addEventListener("blur", () => end(fits(field.value, complain) ? field.value : undefined));
  shown.hidden = true;
  shown.after(field);
  field.focus();
  field.select();
}
