// What people are told: a note at the bottom of the page, and the same for screen readers.
import { element } from "./icons.js";

const noteMilliseconds = 8_000;

export class Notes {
  #note;
  #live;
  #timer;

  constructor(note, live) {
    this.#note = note;
    this.#live = live;
    // Who reads it, or is about to press its button, has the time that it takes.
    const hold = () => clearTimeout(this.#timer);
    note.addEventListener("pointerenter", hold);
    note.addEventListener("focusin", hold);
    note.addEventListener("pointerleave", () => this.#hideLater());
    note.addEventListener("focusout", () => this.#hideLater());
  }

  /**
   * @param isQuiet tells it to screen readers only
   * @param action a button: `{ label, run }`
   */
  tell(text, { isQuiet = false, action } = {}) {
    // The same sentence twice in a row is news, too.
    this.#live.textContent = this.#live.textContent === text ? `${text}\u00a0` : text;
    if (isQuiet) return;
    this.#note.replaceChildren(element("span", { className: "text" }, text));
    if (action) {
      const button = element("button", { type: "button" }, action.label);
      button.addEventListener("click", () => {
        this.hide();
        action.run();
      });
      this.#note.append(button);
    }
    this.#note.hidden = false;
    this.#hideLater();
  }

  hide() {
    clearTimeout(this.#timer);
    this.#note.hidden = true;
  }

  #hideLater() {
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => this.hide(), noteMilliseconds);
  }
}
