// The state of the list: whether it exists and is empty, and the connection to the server in a word.
import { rights } from "./rights.js";

const texts = {
  loading: () => "Loading…",
  live: (waiting, isFailing) => {
    if (waiting === 0) return "Live";
    return isFailing ? `Can’t save, ${waiting} waiting` : "Saving…";
  },
  offline: (waiting) => (waiting > 0 ? `Offline, ${waiting} waiting` : "Offline"),
  locked: (waiting) => (waiting > 0 ? `No access, ${waiting} waiting` : "No access"),
  gone: () => "This list does not exist",
};

/** Announcements for important states; a saved step is not announced. */
const news = {
  offline: "The server can’t be reached. Your changes are kept, and sent when it is back.",
  locked: "The server requires a valid token. Your changes are kept.",
  live: "The server is back.",
};

export class Status {
  #parts;
  #notes;
  #state = "loading";

  constructor(parts, notes) {
    this.#parts = parts;
    this.#notes = notes;
  }

  show({ state, waiting, isFailing, canUndo, canRedo, tree }) {
    const { main, state: shown, undo, redo, empty, gone } = this.#parts;
    main.dataset.state = state;
    main.dataset.waiting = waiting;
    main.dataset.failing = isFailing && waiting > 0;
    main.dataset.loaded = Boolean(tree);
    const text = texts[state](waiting, isFailing);
    if (shown.textContent !== text) shown.textContent = text;
    empty.hidden = state === "gone" || !tree || tree.tasks.size + tree.sections.length > 0;
    gone.hidden = state !== "gone";
    undo.disabled = !canUndo;
    redo.disabled = !canRedo;
    const before = this.#state;
    this.#state = state;
    const isNews = before !== state && !(before === "loading" && state === "live");
    if (isNews && news[state]) this.#notes.notify(news[state], { isQuiet: true });
    if (isNews && state === "live") rights.refresh(); // perhaps the server was started with other tokens
  }

  /** Called when another list is shown. */
  reset() {
    this.#state = "loading";
  }
}
