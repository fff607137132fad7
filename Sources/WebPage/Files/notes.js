// Notes for people: shown at the bottom of the page, and announced by screen readers.
import { element } from "./icons.js";

const noteMilliseconds = 8_000;

export class Notes {
  #note;
  #live;
  #timer;

  constructor(note, live) {
    this.#note = note;
    this.#live = live;
    // A note stays while the pointer is on it or its button has the focus.
    const hold = () => clearTimeout(this.#timer);
    note.addEventListener("pointerenter", hold);
    note.addEventListener("focusin", hold);
    note.addEventListener("pointerleave", () => this.#hideLater());
    note.addEventListener("focusout", () => this.#hideLater());
  }

  /**
   * @param isQuiet whether to announce it to screen readers only
   * @param action a button: `{ label, run }`
   */
  notify(text, { isQuiet = false, action } = {}) {
    // The same sentence twice in a row must also be announced twice.
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
