// Offers a due date for the words at the end of a new task's title. It never sets one unless the person takes it.
import { draftOf, element, keepDraft, locale, onKey, tags } from "./app.js";
import { dueIn } from "./due-words.js";
import { words } from "./later-words.js";
import { dateWords, dueOf } from "./task-data.js";

const takeKey = "Alt+Enter";

export class DueOffer {
  #field;
  #page;
  #keep;
  #chip;
  /** What the words at the end mean: `due`, and the `title` without them. Null if there are none. */
  #found = null;

  /**
   * @param field for the title
   * @param keep keeps what is in the field as the list's draft
   */
  constructor(field, page, keep) {
    this.#field = field;
    this.#page = page;
    this.#keep = keep;
    this.#chip = element("button", {
      type: "button",
      className: "due-offer",
      hidden: true,
      "aria-keyshortcuts": takeKey,
    });
    field.after(this.#chip);
    this.#chip.addEventListener("click", () => {
      this.#press();
      field.focus();
    });
    onKey(field, (key) => key === takeKey && this.#press());
  }

  /** The due date that the person has taken. */
  get #taken() {
    return draftOf(this.#page.session.id).due;
  }

  /** Called when the field has another text. */
  look() {
    const { value } = this.#field;
    const before = this.#found?.due;
    this.#found = this.#taken
      ? null
      : dueIn(value, new Date(), [locale, ...tags], words.due.before);
    const due = this.#taken ?? this.#found?.due;
    this.#chip.hidden = !due;
    if (!due) return;
    const text = words.due.offer(dateWords(dueOf(due), new Date(), locale));
    this.#chip.textContent = text;
    this.#chip.setAttribute("aria-pressed", String(Boolean(this.#taken)));
    if (this.#found && due !== before)
      this.#page.notify(words.due.offered(text), { isQuiet: true });
  }

  /** Takes the offer, or removes the due date that was taken. @returns whether there was one */
  #press() {
    const found = this.#found;
    if (!found && !this.#taken) return false;
    if (found) this.#field.value = found.title;
    this.#keep();
    keepDraft(this.#page.session.id, { due: found?.due ?? null });
    this.look();
    return true;
  }
}
