// The state of the list: whether it exists and is empty, and the connection to the server in a word.
import { connection } from "./connection.js";
import { words } from "./language.js";
import { rights } from "./rights.js";
import { allRefusals, describe, refusal } from "./words.js";

const { news, state: texts, waiting: waits } = words;

/** The most waiting changes that the question before discarding them has in words, and the most refusals that are shown at once. */
const mostDescribed = 5;

/** The connection in a word. */
function textOf({ state, waiting, isFailing }) {
  const text = texts[state];
  if (typeof text === "function") return text(waiting);
  if (state !== "live" || waiting === 0) return text;
  return isFailing ? texts.unsaved(waiting) : texts.saving;
}

/** Announcements for important states; a saved step is not announced. */
const newsOf = { offline: news.offline, locked: news.locked, live: () => news.live };

/** Why steps wait that are perhaps never sent. The person can discard them. */
const stuck = { locked: waits.locked, gone: waits.gone };

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
    const text = textOf(session);
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
    const kept = connection.isKept ? news.kept : news.inWindow;
    if (isNews && newsOf[state]) this.#notes.notify(newsOf[state](kept), { isQuiet: true });
    if (isNews && state === "live") rights.refresh(); // perhaps the server was started with other tokens
  }

  /** Shows what the person should know about steps that wait. */
  #showWaiting() {
    const { waiting, state } = this.#session;
    const { waits: shown, waitsText, discard } = this.#parts;
    const sentences = [];
    if (stuck[state]) sentences.push(stuck[state](waiting));
    if (!connection.isKept) sentences.push(waits.notKept);
    shown.hidden = waiting === 0 || sentences.length === 0;
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
    if (left > 0 && changes.length > 0) changes.push(waits.more(left));
    const text = waits.text(waiting);
    const question = changes.length > 0 ? `${changes.join("; ")}. ${text}` : text;
    if (await this.#confirming.ask(waits.question(waiting), question, waits.discard))
      session.discardWaiting(waitingSteps);
  }

  /** Called when another list is shown. */
  reset() {
    this.#state = "loading";
  }
}
