// The steps of one list that the server has not confirmed yet, and how they are sent: in batches, one request at a time.
import { Problem, Unreachable } from "./server.js";
import { isDoneAnyway, operationsOf } from "./steps.js";

/** The server's limit for operations in a batch. */
const maximumOperations = 1_000;
/** Much less than the server's limit for a body. */
const maximumBatchCharacters = 1 << 20;
const firstDelayMilliseconds = 500;
const longestDelayMilliseconds = 5_000;

export class Outbox {
  /**
   * The steps that the displayed list has in addition to the server's: `step`; `back`, the operations that take it back; `version`,
   * the list's version after it, once the server has responded; `isContained`, whether the server's list already contains it;
   * `answered`, how many of its operations have a response.
   */
  entries = [];
  isFailing = false;
  #list;
  #server;
  #journal;
  #listener;
  #loading = null;
  #isSending = false;
  #waiters = [];
  #retry;
  #delay = firstDelayMilliseconds;
  #limit = maximumOperations;
  /** The entries of the current request. */
  #sending = [];

  /**
   * @param listener is called: `sent` with the refused steps after a response, `state` when the number of waiting steps changed,
   *   `deleted` if the list does not exist, `reached` when the server has responded
   */
  constructor(list, server, journal, listener) {
    this.#list = list;
    this.#server = server;
    this.#journal = journal;
    this.#listener = listener;
  }

  /** Takes over the steps that earlier windows did not send. */
  load() {
    this.#loading ??= this.#journal.read(this.#list).then((steps) => {
      const known = new Set(this.entries.map(({ step }) => step.id));
      const adopted = steps.filter(({ id }) => !known.has(id));
      this.entries.unshift(...adopted.map((step) => makeEntry(step, [])));
    });
    return this.#loading;
  }

  get #unsent() {
    return this.entries.filter((entry) => entry.version === undefined);
  }
  /** The number of steps without a response. */
  get waiting() {
    let count = 0;
    for (const { version } of this.entries) if (version === undefined) count += 1;
    return count;
  }
  /** The steps with a response. */
  get answered() {
    return this.entries.filter((entry) => entry.version !== undefined);
  }

  add(step, back) {
    this.entries.push(makeEntry(step, back));
    this.#journal.add(this.#list, step);
    this.#stateChanged();
    if (!this.isFailing) this.flush(); // otherwise the next attempt sends it
  }

  /** Waits for the responses to all steps. @returns false if the server is unreachable */
  async allSent() {
    while (this.waiting > 0) {
      if (this.isFailing) return false;
      await new Promise((resolve) => this.#waiters.push(resolve));
    }
    return true;
  }

  #stateChanged() {
    this.#listener.state();
    for (const resolve of this.#waiters.splice(0)) resolve();
  }

  /** Removes entries. */
  forget(entries) {
    const gone = new Set(entries);
    if (gone.size > 0) this.entries = this.entries.filter((entry) => !gone.has(entry));
  }

  /** Removes the steps that the list at this version contains. */
  removeUpTo(version) {
    this.entries = this.entries.filter((entry) => !(entry.version <= version));
  }

  /** Drops all steps. */
  clear() {
    this.#journal.remove(
      this.#list,
      this.entries.map(({ step }) => step.id),
    );
    this.entries = [];
  }

  /**
   * Called when a change with our Client-Id arrived. If it is not a change whose response is known, it is that of the current
   * request, because there is only one at a time.
   */
  arrived(version) {
    if (this.entries.some((entry) => entry.version === version)) return;
    for (const entry of this.#sending) entry.isContained = true;
  }

  async flush() {
    if (this.#isSending) return;
    this.#isSending = true;
    clearTimeout(this.#retry);
    try {
      for (let batch = this.#next(); batch; batch = this.#next()) {
        this.#sending = batch.parts.map(({ entry }) => entry);
        await this.#send(batch);
        this.#delay = firstDelayMilliseconds;
      }
    } catch (error) {
      if (!(error instanceof Unreachable)) throw error;
      this.isFailing = true;
      this.#stateChanged();
      const delay = this.#delay * (0.5 + Math.random() / 2);
      this.#delay = Math.min(2 * this.#delay, longestDelayMilliseconds);
      this.#retry = setTimeout(() => this.flush(), error.retryAfterSeconds * 1000 || delay);
    } finally {
      this.#isSending = false;
    }
  }

  /**
   * The next request: the drop of a drag, an undo (all of its operations or none), or as many operations as fit into a batch.
   * `parts` has an element for each operation.
   */
  #next() {
    const parts = [];
    let characters = 0;
    for (const entry of this.#unsent) {
      if (entry.step.drag)
        return parts.length > 0 ? { parts } : { parts: [{ entry }], isDrop: true };
      entry.operations ??= textsOf(entry.step);
      const left = entry.operations.slice(entry.answered);
      const isAtomic = entry.step.kind === "group" && left.length <= this.#limit;
      if (isAtomic && parts.length > 0) return { parts };
      for (const text of left) {
        const isFull =
          parts.length >= this.#limit || characters + text.length > maximumBatchCharacters;
        if (isFull && parts.length > 0) return { parts };
        characters += text.length;
        parts.push({ entry, text });
      }
      if (isAtomic) return { parts, isAtomic };
    }
    return parts.length > 0 ? { parts } : null;
  }

  async #send({ parts, isDrop = false, isAtomic = false }) {
    const [{ entry }] = parts;
    let answer;
    try {
      answer = isDrop ? await this.#sendDrop(entry.step) : await this.#sendBatch(parts, isAtomic);
    } catch (error) {
      if (!(error instanceof Problem)) throw error;
      this.#reached();
      if (error.code === "request_in_progress") throw new Unreachable(1);
      if (isDrop && error.code === "drag_not_found") {
        delete entry.step.drag; // the drag has ended: send an ordinary move
      } else if (error.code === "list_not_found") {
        this.#listener.deleted();
      } else if (isTooLarge(error) && parts.length > 1 && !isAtomic) {
        this.#limit = Math.ceil(parts.length / 2);
      } else {
        this.#finish(this.#sending, error);
      }
      return;
    }
    this.#reached();
    this.#limit = maximumOperations;
    for (const [index, { entry: one }] of parts.entries()) {
      one.answered += 1;
      one.problem ??= answer.results?.[index].problem;
    }
    const ended = parts.filter(({ entry: one }) => one.answered >= (one.operations?.length ?? 1));
    this.#finish(new Set(ended.map(({ entry: one }) => one)), null, answer.version);
  }

  /** The server has responded. */
  #reached() {
    this.isFailing = false;
    this.#listener.reached();
  }

  #sendDrop({ drag, id, to }) {
    const path = `/drags/${encodeURIComponent(drag)}/drop`;
    return this.#server.send("POST", path, { body: to, key: id });
  }

  #sendBatch(parts, isAtomic) {
    const operations = parts.map(({ text }) => text).join(",");
    const body = `{"atomic":${isAtomic},"ops":[${operations}]}`;
    const path = `/lists/${encodeURIComponent(this.#list)}/batch`;
    return this.#server.send("POST", path, { body });
  }

  /**
   * @param problem the refusal of all these steps; null if each has its own result
   * @param version the list's version after the others
   */
  #finish(entries, problem, version) {
    const refused = [];
    const ids = [];
    for (const entry of entries) {
      ids.push(entry.step.id);
      const { code, detail } = problem ?? entry.problem ?? {};
      if (code === undefined) entry.version = version;
      else if (isDoneAnyway(entry.step, code)) refused.push({ entry });
      else refused.push({ entry, code, detail });
    }
    this.#journal.remove(this.#list, ids);
    this.#sending = [];
    this.#listener.sent(refused);
    this.#stateChanged();
  }
}

function makeEntry(step, back) {
  return { step, back, version: undefined, isContained: false, answered: 0 };
}

/** The operations of a step as JSON. Each has an id, so that it is applied once, however often it is sent. */
function textsOf(step) {
  const operations = operationsOf(step);
  const opID = (index) => (operations.length === 1 ? step.id : `${step.id}.${index}`);
  return operations.map((operation, index) => JSON.stringify({ ...operation, opId: opID(index) }));
}

/** Whether a part of the batch may succeed. */
function isTooLarge({ status }) {
  return status === 400 || status === 413 || status === 422;
}
