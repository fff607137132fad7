// Notes for people: they float above the end of the list, and are announced by screen readers.
import { Problem, Unauthorized, Unreachable } from "./client.js";
import { element } from "./icons.js";
import { words } from "./language.js";
import { lastRefusal, reason } from "./words.js";

const noteMilliseconds = 8_000;

export class Notes {
  #note;
  #live;
  #main;
  #timer;
  /** The number of refused changes that the shown note is about. */
  #refusals = 0;

  /** @param main the page of a list */
  constructor(note, live, main) {
    this.#note = note;
    this.#live = live;
    this.#main = main;
    // A dialog can close right after its last note.
    document.addEventListener("close", () => this.#place(), true);
    // A note stays while the pointer is on it or its button has the focus.
    const hold = () => clearTimeout(this.#timer);
    // A field that loses the focus saves its text. Then the button would be about that, and another one before the click.
    note.addEventListener("mousedown", (event) => {
      if (event.target.closest("button")) event.preventDefault();
    });
    note.addEventListener("pointerenter", hold);
    note.addEventListener("focusin", hold);
    note.addEventListener("pointerleave", () => this.#hideLater());
    note.addEventListener("focusout", () => this.#hideLater());
  }

  /**
   * @param isQuiet whether to announce it to screen readers only
   * @param action a button: `{ label, run }`
   * @param also another one, before it
   */
  notify(text, { isQuiet = false, action, also } = {}) {
    if (!isQuiet) this.#refusals = 0;
    // The same sentence twice in a row must also be announced twice.
    this.#live.textContent = this.#live.textContent === text ? `${text}\u00a0` : text;
    if (isQuiet) return;
    this.#note.replaceChildren(element("span", { className: "text" }, text));
    for (const { label, run } of [also, action].filter(Boolean)) {
      const button = element("button", { type: "button" }, label);
      button.addEventListener("click", () => {
        this.hide();
        run();
      });
      this.#note.append(button);
    }
    this.#note.hidden = false;
    this.#place();
    this.#hideLater();
  }

  /** Shows why a change was refused, and how many were refused while the note is shown. */
  refused(text) {
    const count = this.#refusals + 1;
    this.notify(lastRefusal(count, text));
    this.#refusals = count;
  }

  #place() {
    const isListOpen = this.#main.checkVisibility();
    const place =
      document.querySelector("dialog:modal") ?? (isListOpen ? this.#main : document.body);
    if (this.#note.parentElement !== place) place.append(this.#note);
    this.#note.classList.remove("high");
    const row = document.activeElement?.closest(".row")?.getBoundingClientRect();
    const { top, bottom } = this.#note.getBoundingClientRect();
    this.#note.classList.toggle("high", row?.bottom > top && row.top < bottom);
  }

  /** Shows why a request failed. If the server requires another token, the page asks for one instead. */
  complain(error) {
    if (error instanceof Unauthorized) return;
    if (error instanceof Problem) this.notify(reason(error.code, error.detail));
    else if (error instanceof Unreachable) this.notify(words.common.unreachable);
    else throw error;
  }

  /** Hides a note that has a button. */
  hideAction() {
    if (this.#note.querySelector("button")) this.hide();
  }

  hide() {
    clearTimeout(this.#timer);
    this.#note.hidden = true;
    this.#refusals = 0;
  }

  #hideLater() {
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => this.hide(), noteMilliseconds);
  }
}
