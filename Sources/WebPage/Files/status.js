// The state of the list: whether it exists and is empty, and the connection to the server in a word.
import { connection } from "./connection.js";
import { rights } from "./rights.js";
import { allRefusals, describe, refusal } from "./words.js";

/** The most waiting changes that the question before discarding them has in words, and the most refusals that are shown at once. */
const mostDescribed = 5;

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
  offline: (kept) => `The server can’t be reached. ${kept}, and sent when it is back.`,
  locked: (kept) => `The server requires a valid token. ${kept}.`,
  live: () => "The server is back.",
};

/** Why steps wait that are perhaps never sent. The person can discard them. */
const stuck = {
  locked: (changes) => `You have no access to this list. ${changes} not sent.`,
  gone: (changes) => `${changes} not sent, because the list does not exist.`,
};

export class Status {
  #parts;
  #notes;
  #confirming;
  #session = null;
  #state = "loading";
  /** The refusals that are shown. */
  #refusals = [];

  /** @param confirming asks before steps are discarded */
  constructor(parts, notes, confirming) {
    this.#parts = parts;
    this.#notes = notes;
    this.#confirming = confirming;
    parts.discard.addEventListener("click", () => this.#discard());
    parts.seen.addEventListener("click", () => this.#session.acknowledge(this.#refusals));
  }

  /** @param acts knows whether something can be undone and redone */
  show(session, { canUndo, canRedo }) {
    const { state, waiting, isFailing, tree } = session;
    const { main, state: shown, undo, redo, empty, gone } = this.#parts;
    this.#session = session;
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
    this.#showWaiting();
    this.#showRefusals();
    const before = this.#state;
    this.#state = state;
    const isNews = before !== state && !(before === "loading" && state === "live");
    const kept = connection.isKept ? "Your changes are kept" : "Your changes are in this window";
    if (isNews && news[state]) this.#notes.notify(news[state](kept), { isQuiet: true });
    if (isNews && state === "live") rights.refresh(); // perhaps the server was started with other tokens
  }

  /** Shows what the person should know about steps that wait. */
  #showWaiting() {
    const { waiting, state } = this.#session;
    const { waits, waitsText, discard } = this.#parts;
    const changes = waiting === 1 ? "1 change is" : `${waiting} changes are`;
    const sentences = [];
    if (stuck[state]) sentences.push(stuck[state](changes));
    if (!connection.isKept)
      sentences.push("Changes are not kept on this device until they are sent.");
    waits.hidden = waiting === 0 || sentences.length === 0;
    discard.hidden = !stuck[state];
    const text = sentences.join(" ");
    if (waitsText.textContent !== text) waitsText.textContent = text;
  }

  /** Shows what the server refused, until the person has seen it. */
  #showRefusals() {
    const { refusals, tree } = this.#session;
    const { refusals: shown, refusalsText } = this.#parts;
    shown.hidden = refusals.length === 0;
    this.#refusals = refusals.slice(-mostDescribed);
    const sentences = this.#refusals.map((one) => refusal(tree, one));
    const text = allRefusals(refusals.length, sentences);
    if (refusalsText.textContent !== text) refusalsText.textContent = text;
  }

  async #discard() {
    const session = this.#session;
    const { waiting, waitingSteps, tree } = session;
    const described = tree ? waitingSteps.slice(0, mostDescribed) : [];
    const left = waiting - described.length;
    const changes = described.map((step) => describe(tree, step));
    if (left > 0 && changes.length > 0) changes.push(`${left} more`);
    const title = waiting === 1 ? "Discard 1 change?" : `Discard ${waiting} changes?`;
    const text = `You made ${waiting === 1 ? "it" : "them"} here, and the server does not have ${waiting === 1 ? "it" : "them"}. This can’t be undone.`;
    const question = changes.length > 0 ? `${changes.join("; ")}. ${text}` : text;
    if (await this.#confirming.ask(title, question, "Discard"))
      session.discardWaiting(waitingSteps);
  }

  /** Called when another list is shown. */
  reset() {
    this.#state = "loading";
  }
}
