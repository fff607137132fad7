// The steps of one list that the server has not confirmed yet, and how they are sent: in batches, one request at a time. All windows
// of a browser share one queue (shared-queues.js).
import { longestTimerMilliseconds } from "./pauses.js";
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
   * The steps that the displayed list has in addition to the server's: `step`; `back`, the operations that take it back; `isMine`,
   * whether it was made here; `version`, the list's version after it, once the server has responded (0 if the response has none);
   * `isContained`, whether the server's list already contains it; `answered`, how many of its operations have a response.
   */
  entries = [];
  isFailing = false;
  #list;
  #server;
  #journal;
  #queues;
  #listener;
  #loading = null;
  #isSending = false;
  /** The current attempt to send everything, or the last one. */
  #attempt;
  #retry;
  #delay = firstDelayMilliseconds;
  #limit = maximumOperations;
  /** The entries of the current request. */
  #sending = [];

  /**
   * @param listener is called: `adopted` when there are steps of other windows, `sent` with the refused steps after a response, `state`
   *   when the number of waiting steps changed, `missing` if the list does not exist, `reached` when the server has responded
   */
  constructor(list, server, journal, queues, listener) {
    this.#list = list;
    this.#server = server;
    this.#journal = journal;
    this.#queues = queues;
    this.#listener = listener;
  }

  /** Takes over the steps that other windows did not send. */
  load() {
    if (this.#queues.isShared) return this.#read();
    return (this.#loading ??= this.#read());
  }

  async #read() {
    const others = this.#unsent.filter(({ isMine }) => !isMine);
    const steps = await this.#journal.read(this.#list);
    const stored = new Set(steps.map(({ id }) => id));
    // Another window has removed these steps, so it has their responses.
    const answered = others.filter(({ step }) => !stored.has(step.id));
    for (const entry of answered) entry.version ??= 0;
    if (answered.length > 0) this.#listener.sent([]);
    this.#adopt(steps);
  }

  #adopt(steps) {
    const known = new Set(this.entries.map(({ step }) => step.id));
    const adopted = steps.filter(({ id }) => !known.has(id));
    if (adopted.length === 0) return;
    for (const step of adopted) {
      const isEarlier = (other) => other.version !== undefined || other.step.id < step.id;
      this.entries.splice(this.entries.findLastIndex(isEarlier) + 1, 0, makeEntry(step, []));
    }
    this.#listener.adopted();
    this.#listener.state();
  }

  /** Receives a message of another window. */
  receive({ step, answers }) {
    if (step) {
      this.#adopt([step]);
      if (!this.isFailing) this.flush(); // if that window is closed before it sends the step
    } else {
      this.#reached();
      this.#settle(answers, false);
    }
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
    const entry = { ...makeEntry(step, back), isMine: true };
    this.entries.push(entry);
    this.#store(entry);
    this.#listener.state();
    if (!this.isFailing) this.flush(); // otherwise the next attempt sends it
  }

  async #store(entry) {
    const isStored = await this.#journal.add(this.#list, entry.step);
    if (isStored && entry.version === undefined)
      this.#queues.post(this.#list, { step: entry.step });
  }

  /**
   * Sends all steps, also those that earlier windows have stored, and waits for the responses.
   * @returns false if the server is unreachable
   */
  async allSent() {
    await this.load();
    while (this.waiting > 0) {
      await this.flush();
      if (this.isFailing) return false;
    }
    return true;
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

  /**
   * Called when a change of this client arrived. If it is not a change whose response is known, it is that of the current
   * request, because there is only one at a time.
   */
  arrived(version) {
    if (this.entries.some((entry) => entry.version === version)) return;
    for (const entry of this.#sending) entry.isContained = true;
  }

  /** Sends the steps, and waits until they have their responses or the attempt has failed. */
  flush() {
    if (!this.#isSending) {
      this.#isSending = true;
      clearTimeout(this.#retry);
      this.#attempt = this.#queues.exclusively(this.#list, () => this.#sendAll());
    }
    return this.#attempt;
  }

  async #sendAll() {
    try {
      for (;;) {
        await this.load(); // another window may have made steps meanwhile
        const batch = this.#next();
        if (!batch) break;
        this.#sending = batch.parts.map(({ entry }) => entry);
        await this.#send(batch);
        this.#delay = firstDelayMilliseconds;
      }
      this.isFailing = false; // perhaps another window has sent everything
    } catch (error) {
      if (!(error instanceof Unreachable)) throw error;
      this.isFailing = true;
      this.#listener.state();
      const delay = error.retryAfterSeconds * 1000 || this.#delay * (0.5 + Math.random() / 2);
      this.#delay = Math.min(2 * this.#delay, longestDelayMilliseconds);
      this.#retry = setTimeout(() => this.flush(), Math.min(delay, longestTimerMilliseconds));
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
      if (isDrop && error.code === "drag_not_found") {
        delete entry.step.drag; // the drag has ended: send an ordinary move
      } else if (isTooLarge(error) && parts.length > 1 && !isAtomic) {
        this.#limit = Math.ceil(parts.length / 2);
      } else {
        if (error.code === "list_not_found") this.#listener.missing();
        await this.#finish(this.#sending, error);
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
    await this.#finish(new Set(ended.map(({ entry: one }) => one)), null, answer.version);
  }

  /** The server has responded, to this window or to another one. */
  #reached() {
    this.isFailing = false;
    this.#listener.reached();
  }

  #sendDrop({ drag, id, to }) {
    const path = `/drags/${encodeURIComponent(drag)}/drop`;
    return this.#server.send("POST", path, { body: to, key: id, isMinimal: true });
  }

  #sendBatch(parts, isAtomic) {
    const operations = parts.map(({ text }) => text).join(",");
    const body = `{"atomic":${isAtomic},"ops":[${operations}]}`;
    const path = `/lists/${encodeURIComponent(this.#list)}/batch`;
    return this.#server.send("POST", path, { body, isMinimal: true });
  }

  /**
   * @param problem the refusal of all these steps; null if each has its own result
   * @param version the list's version after the others
   */
  async #finish(entries, problem, version) {
    const answers = [...entries].map((entry) => {
      const { id } = entry.step;
      const { code, detail } = problem ?? entry.problem ?? {};
      if (code === undefined) return { id, version };
      return isDoneAnyway(entry.step, code) ? { id } : { id, code, detail };
    });
    this.#sending = [];
    const removed = this.#announce(answers);
    this.#settle(answers, true);
    await removed; // the next window with the lock reads the journal
  }

  /** Removes steps from the journal, and announces their responses to the other windows. */
  #announce(answers) {
    this.#queues.post(this.#list, { answers });
    return this.#journal.remove(
      this.#list,
      answers.map(({ id }) => id),
    );
  }

  /**
   * @param answers the `id` of each step, and either the list's `version` after it, or the `code` and `detail` of its refusal
   * @param isSender whether this window has sent the steps; a refusal is reported there, and where the step was made
   */
  #settle(answers, isSender) {
    const known = new Map(answers.map((answer) => [answer.id, answer]));
    const refused = [];
    for (const entry of this.entries) {
      const answer = known.get(entry.step.id);
      if (!answer || entry.version > 0) continue;
      const { version, code, detail } = answer;
      entry.version = version ?? 0;
      if (version === undefined)
        refused.push(isSender || entry.isMine ? { entry, code, detail } : { entry });
    }
    this.#listener.sent(refused);
    this.#listener.state();
  }
}

function makeEntry(step, back) {
  return { step, back, isMine: false, version: undefined, isContained: false, answered: 0 };
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
