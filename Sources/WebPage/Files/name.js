// The person's name, which others see during a drag and in the history. This browser stores it.
import { words } from "./language.js";
import { sharedTexts } from "./storage.js";

const said = words.name;
const key = "reorderd name";
const mostCharacters = 60;

export function storedName() {
  return sharedTexts.get(key) ?? "";
}

/** Stores the name. The name is a part of the connection, so the page begins again. Without storage, there is no name. */
export function storeName(text) {
  const name = text.trim();
  if (name !== storedName() && sharedTexts.set(key, name)) location.reload();
}

/** @param dialog a `FieldDialog` */
export function askForName(dialog) {
  const field = {
    title: said.title,
    label: said.field,
    hint: said.hint,
    dir: "auto",
    autocomplete: "nickname",
    maxLength: mostCharacters,
    value: storedName(),
  };
  dialog.ask("name", field, ({ value }) => storeName(value));
}
