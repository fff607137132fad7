// Renaming in place.
import { element } from "./icons.js";

const maximumTitleBytes = 4096;

/** Whether a title is short enough. If not, shows a message. */
export function fits(text, complain) {
  if (new TextEncoder().encode(text).length <= maximumTitleBytes) return true;
  complain("The title is too long.");
  return false;
}

/**
 * Puts a field over a row's title.
 * @param onEnd is called once, with the new title, or with undefined after a cancellation. An empty title cancels, because a row
 *   without a title cannot be recognized.
 */
export function renameInPlace(row, title, onEnd, complain) {
  if (!row || row.querySelector("textarea")) return;
  const shown = row.querySelector(".title");
  const field = element("textarea", { className: "rename", dir: "auto", rows: 1, value: title });
  field.setAttribute("aria-label", "Title");
  let isOver = false;
  const end = (text, isFocused) => {
    if (isOver) return;
    isOver = true;
    field.remove();
    shown.hidden = false;
    if (isFocused) row.focus({ preventScroll: true });
    onEnd(text?.trim() === "" ? undefined : text);
  };
  field.addEventListener("keydown", (event) => {
    event.stopPropagation();
    if (event.isComposing) return;
    if (event.key === "Enter" && !event.shiftKey) {
      event.preventDefault();
      if (fits(field.value, complain)) end(field.value, true);
    } else if (event.key === "Escape") {
      end(undefined, true);
    }
  });
  field.addEventListener("blur", () => end(fits(field.value, complain) ? field.value : undefined));
  shown.hidden = true;
  shown.after(field);
  field.focus();
  field.select();
}
