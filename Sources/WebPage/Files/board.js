// The board of a list: its sections as columns. Each browser remembers which lists it shows so.
import { makeID, sectionKey } from "./client.js";
import { words } from "./language.js";
import { sharedTexts } from "./storage.js";
import { storeValue, storedValue } from "./stored-values.js";

const storageKey = "reorderd boards";
const mostStoredLists = 1000;

export class Board {
  #page;
  #parts;

  constructor(page, parts) {
    this.#page = page;
    this.#parts = parts;
    parts.board.addEventListener("click", () => this.toggle());
    parts.newColumn.addEventListener("click", () => this.#addSection());
  }

  /** Shows a list as it was shown last in this browser. */
  open(list) {
    this.#set(storedLists().includes(list));
  }

  toggle() {
    const { rows, session } = this.#page;
    const isBoard = !rows.isBoard;
    const lists = storedLists().filter((id) => id !== session.id);
    if (isBoard) lists.push(session.id);
    storeValue(sharedTexts, storageKey, lists.length > 0 ? lists.slice(-mostStoredLists) : null);
    this.#page.stopLifting();
    rows.still(() => {
      this.#set(isBoard);
      this.#page.changed();
    });
    this.#page.rows.scrollTo({ anchors: [], scrollTop: 0, scrollLeft: 0 });
    if (this.#page.cursor.key !== null) rows.reveal(this.#page.cursor.key);
  }

  #set(isBoard) {
    this.#parts.main.dataset.board = isBoard;
    this.#parts.board.setAttribute("aria-pressed", String(isBoard));
    this.#page.rows.isBoard = isBoard;
  }

  /** Adds a section at the end, and lets the person write its title. */
  #addSection() {
    const { list, actions } = this.#page;
    const section = makeID();
    const title = words.composer.newSection;
    const position = list.sections.length;
    if (this.#page.do({ kind: "section-create", section, title, position }))
      actions.rename(sectionKey(section));
  }
}

function storedLists() {
  return storedValue(sharedTexts, storageKey, []);
}
