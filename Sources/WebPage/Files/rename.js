// Editing a title in place.
import { forgetDraft, keepDraft } from "./drafts.js";
import { element } from "./icons.js";
import { onKey } from "./key.js";
import { words } from "./language.js";

const maximumTitleBytes = 4096;

/** Whether a title is short enough. If not, shows a message. */
export function fits(text, complain) {
  if (new TextEncoder().encode(text).length <= maximumTitleBytes) return true;
  complain(words.refusals.titleTooLong);
  return false;
}

/**
 * Puts a field in the place of a shown title. What is typed survives a reload, as a draft.
 * @param shown the element that shows the title
 * @param title the title
 * @param draft the `list`, the `key` of the row (null: the list itself), and the `text`, if it was typed before a reload
 * @param owner gets the focus after Enter and Escape
 * @param onEnd is called once, with the new title, or with undefined after a cancellation. An empty title cancels, because what has
 *   no title cannot be recognized.
 * @param complain shows why the title can't be saved. The second argument is the text, if the field has gone
 */
export function renameInPlace(shown, title, draft, owner, onEnd, complain) {
  if (shown.hidden) return; // it is being edited
  const { list, key, text: typed = title } = draft;
  const field = element("textarea", { className: "rename", dir: "auto", rows: 1, value: typed });
  field.setAttribute("aria-label", words.common.title);
  let isOver = false;
  const end = (text, isFocused) => {
    if (isOver) return;
    isOver = true;
    field.remove();
    shown.hidden = false;
    if (text === undefined) keepDraft(list, { rename: null });
    else forgetDraft(list, { rename: null });
    if (isFocused) owner.focus({ preventScroll: true });
    onEnd(text?.trim() === "" ? undefined : text);
  };
  onKey(field, (pressed) => {
    if (pressed === "Escape") end(undefined, true);
    else if (pressed !== "Enter") return false;
    else if (fits(field.value, complain)) end(field.value, true);
    return true;
  });
  const keep = () => keepDraft(list, { rename: { key, text: field.value } });
  field.addEventListener("input", keep);
  field.addEventListener("blur", () => {
    const isShort = fits(field.value, (why) => complain(why, field.value));
    end(isShort ? field.value : undefined);
  });
  shown.hidden = true;
  shown.after(field);
  field.focus();
  if (typed === title) field.select();
  else keep();
}
