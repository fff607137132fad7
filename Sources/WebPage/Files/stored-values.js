// Values that the browser stores as JSON, for this window (`windowTexts`) or for all windows (`sharedTexts`). Without storage, they
// last until the page is closed.

/** @returns the value; `otherwise` if there is none */
export function storedValue(texts, key, otherwise) {
  try {
    return JSON.parse(texts.get(key)) ?? otherwise;
  } catch {
    return otherwise; // it is not JSON
  }
}

/** @param value null removes the stored value. @returns whether the browser keeps it */
export function storeValue(texts, key, value) {
  if (value !== null) return texts.set(key, JSON.stringify(value));
  texts.remove(key);
  return true;
}
