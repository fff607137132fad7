// The person's name, which others see during a drag and in the history. This browser stores it.
import { sharedTexts } from "./storage.js";

const key = "reorderd name";

export function storedName() {
  return sharedTexts.get(key) ?? "";
}

/** Stores the name. The name is a part of the connection, so the page begins again. Without storage, there is no name. */
export function storeName(text) {
  const name = text.trim();
  if (name !== storedName() && sharedTexts.set(key, name)) location.reload();
}
