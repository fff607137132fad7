// How it stands between the list and its server, in a word.
const texts = {
  loading: () => "Loading…",
  live: (waiting) => (waiting > 0 ? "Saving…" : "Live"),
  offline: (waiting) => (waiting > 0 ? `Offline, ${waiting} waiting` : "Offline"),
  locked: (waiting) => (waiting > 0 ? `No access, ${waiting} waiting` : "No access"),
  gone: () => "There is no such list",
};

/** What is worth an announcement: not each step that is saved. */
const news = {
  offline: "The server can’t be reached. What you do is kept, and sent when it is back.",
  locked: "The server lets nobody in without the right token. What you do is kept.",
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

  show({ state, waiting, canUndo, list }) {
    const { main, state: shown, undo } = this.#parts;
    main.dataset.state = state;
    main.dataset.waiting = waiting;
    main.dataset.loaded = Boolean(list);
    const text = texts[state](waiting);
    if (shown.textContent !== text) shown.textContent = text;
    undo.disabled = !canUndo;
    const before = this.#state;
    this.#state = state;
    const isNews = before !== state && !(before === "loading" && state === "live");
    if (isNews && news[state]) this.#notes.tell(news[state], { isQuiet: true });
  }

  /** Another list is shown now. */
  reset() { this.#state = "loading"; }
}
