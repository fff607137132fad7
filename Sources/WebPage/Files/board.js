// The board of a list: its sections as columns. Each browser remembers which lists it shows so.
import { words } from "./language.js";
import { Layout } from "./layout.js";
import { later } from "./loading.js";
import { sharedTexts } from "./storage.js";
import { storeValue, storedValue } from "./stored-values.js";

const storageKey = "reorderd boards";
const mostStoredLists = 1000;

export class Board {
  #page;
  #parts;
  /** The class `BoardLayout`, after it was loaded. */
  #layout;

  constructor(page, parts) {
    this.#page = page;
    this.#parts = parts;
    parts.board.addEventListener("click", () => this.toggle());
    if (storedLists().length > 0) this.#load();
  }

  async #load() {
    this.#layout ??= (await later()).BoardLayout;
  }

  /** Shows a list as it was shown last in this browser. */
  async open(list) {
    const isBoard = storedLists().includes(list);
    if (!isBoard || this.#layout) {
      this.#set(isBoard);
      return;
    }
    this.#set(false);
    await this.#show(list, true).catch(() => {}); // it stays a list
  }

  /** Shows the list as a board, or as a list again. */
  async toggle() {
    const { rows, session } = this.#page;
    const isBoard = !rows.isBoard;
    try {
      await this.#show(session.id, isBoard);
    } catch {
      this.#page.notify(words.reasons.unreachable);
      return;
    }
    const lists = storedLists().filter((id) => id !== session.id);
    if (isBoard) lists.push(session.id);
    storeValue(sharedTexts, storageKey, lists.length > 0 ? lists.slice(-mostStoredLists) : null);
  }

  async #show(list, isBoard) {
    await this.#load();
    const page = this.#page;
    if (page.session?.id !== list) return;
    page.stopLifting();
    page.rows.still(() => {
      this.#set(isBoard);
      if (page.list) page.changed();
    });
    page.rows.scrollTo({ anchors: [], scrollTop: 0, scrollLeft: 0 });
    if (page.cursor.key !== null) page.rows.reveal(page.cursor.key);
  }

  #set(isBoard) {
    const { rows } = this.#page;
    this.#parts.main.dataset.board = isBoard;
    this.#parts.board.setAttribute("aria-pressed", String(isBoard));
    const { board, mover } = words;
    const [before, after] = isBoard ? [board.before, board.after] : [mover.out, mover.into];
    this.#parts.mover.querySelector("[value=ArrowLeft]").ariaLabel = before;
    this.#parts.mover.querySelector("[value=ArrowRight]").ariaLabel = after;
    if (isBoard !== rows.isBoard) rows.layout = isBoard ? new this.#layout() : new Layout();
  }
}

function storedLists() {
  return storedValue(sharedTexts, storageKey, []);
}
