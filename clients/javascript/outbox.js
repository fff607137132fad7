// The steps of one list that the server has not confirmed yet, and how they are sent: several in a batch, one request at a time. All windows
// of a browser share one queue (shared-queues.js).
import { hasResults, isVersion } from "./answers.js";
import { countAfter, mostSteps, nextRequest, partsIn, separate } from "./batches.js";
import { Pauses } from "./pauses.js";
import { Refusals } from "./refusals.js";
import { Problem, Unreachable } from "./server.js";
import { isDoneAnyway } from "./steps.js";

export class Outbox {
  /**
   * The steps that the displayed list has in addition to the server's, in order: `step`; `order`, its number in the journal; `back`, the
   * operations that take it back; `isMine`, whether it was made here; `version`, the list's version after it, once the server has
   * responded (0 if the response has none); `contained`, how many of its operations the server's list contains; `parts`, what is sent
   * (batches.js); `answered`, how many of them have a response; `problem`, the refusal of one of them; `hasEffect`, whether the server has
   * applied one of them.
   */
  entries = [];
  /** Whether the last attempt to send steps has failed, and why. */
  isFailing = false;
  failure = null;
  refusals;
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
  #pauses = new Pauses();
  /** The most steps in a batch. */
  #limit = mostSteps;
  /** The drop that is sent now. */
  #dropping = null;

  /**
   * @param listener is called: `adopted` when there are steps of other windows, `reorder` with a function that changes the order of the
   *   steps, `sent` with the refused steps after a response, `state` when the number of waiting steps changed, `failed` with the problem
   *   for which nothing can be sent, `reached` when the server has responded, `epoch` for the epoch of the list,
   *   `isShown` for whether the list is open and loaded, `isGone` for whether it is open and waits until it exists again
   */
  constructor(list, server, journal, queues, listener) {
    this.#list = list;
    this.#server = server;
    this.#journal = journal;
    this.#queues = queues;
    this.#listener = listener;
    this.refusals = new Refusals(list, journal, queues);
  }

  /** Takes over the steps that other windows did not send. */
  load() {
    if (this.#queues.isShared) return this.#read();
    return (this.#loading ??= this.#read());
  }

  async #read() {
    const others = this.unsent.filter(({ isMine }) => !isMine);
    const reading = this.#journal.read(this.#list);
    const [records] = await Promise.all([reading, this.#loadRefusals()]);
    if (!records) {
      this.#loading = null; // the next call tries again
      return;
    }
    const stored = new Set(records.map(({ step }) => step.id));
    // Another window has removed these steps, so it has their responses.
    const answered = others.filter(({ step }) => !stored.has(step.id));
    for (const entry of answered) entry.version ??= 0;
    if (answered.length > 0) this.#listener.sent([]);
    this.#adopt(records);
  }

  async #loadRefusals() {
    const before = this.refusals.all.length;
    await this.refusals.load();
    if (this.refusals.all.length > before) this.#listener.state();
  }

  #adopt(records) {
    const known = new Map(this.entries.map((entry) => [entry.step.id, entry]));
    let isNew = false;
    for (const { step, order, version } of records) {
      const entry = known.get(step.id);
      if (entry) {
        entry.order = order;
        if (step.areSeparate && !entry.step.areSeparate) separate(entry);
        if (entry.version === undefined && version !== undefined)
          this.#settle([{ id: step.id, version }], false);
      } else {
        const isAnswerStored = version !== undefined;
        this.entries.push({ ...makeEntry(step, []), order, version, isAnswerStored });
        isNew = true;
      }
    }
    this.#arrange();
    if (!isNew) return;
    this.#listener.adopted();
    this.#listener.state();
  }

  /** Puts the steps in the order of their numbers. Those that are not stored yet are the last ones. */
  #arrange() {
    const isLater = (entry, index) => index > 0 && rank(entry) < rank(this.entries[index - 1]);
    if (this.entries.some(isLater)) this.#listener.reorder(() => this.#sort());
  }

  #sort() {
    this.entries.sort((one, other) => (rank(one) === rank(other) ? 0 : rank(one) - rank(other)));
  }

  /** Receives a message of another window. */
  receive({ step, order, answers, seen }) {
    if (seen) {
      this.refusals.forget(seen);
      this.#listener.state();
    } else if (step) {
      this.#adopt([{ step, order }]);
      if (!this.isFailing) this.flush(); // if that window is closed before it sends the step
    } else {
      this.#reached();
      this.#settle(answers, false);
    }
  }

  /** The entries of the steps without a response. */
  get unsent() {
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
    entry.order = await this.#journal.add(this.#list, entry.step);
    if (entry.order === undefined) return;
    if (entry.isAnswerStored) this.#journal.replace(this.#list, [entry]);
    if (entry.version !== undefined) return;
    this.#arrange();
    this.#queues.post(this.#list, { step: entry.step, order: entry.order });
  }

  /** Stores all steps again, because the journal has perhaps lost them. */
  storeAgain() {
    for (const entry of this.unsent) this.#store(entry);
  }

  /**
   * Sends all steps, also those that earlier windows have stored, and waits for the responses.
   * @returns false if they can't be sent now
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
    this.removeAll(this.entries.filter((entry) => entry.version <= version));
  }

  /** Removes entries, which have responses, and what the journal has of them. */
  removeAll(ended) {
    this.forget(ended);
    const stored = ended.filter(({ isAnswerStored }) => isAnswerStored);
    for (const entry of stored) entry.isAnswerStored = false;
    this.#remove(stored.map(({ step }) => step.id));
  }

  /** Makes steps wait again whose responses are from another epoch: the server has perhaps lost them. The list is loaded again. */
  sendAgain(entries) {
    const unsent = { version: undefined, isAnswerStored: false, ...unanswered };
    for (const entry of entries) Object.assign(entry, unsent);
    this.#sort();
    this.#journal.replace(this.#list, entries);
    this.#listener.state();
  }

  /**
   * Called when the list gets a change, which is perhaps that of a step: then the server's list contains this step.
   * @returns the answers for `end`: the change of a whole step is as good as its response
   */
  arrived({ opId, version, client, by, ops }) {
    if (opId === undefined) {
      const { step } = this.#dropping ?? {};
      const isMove = ({ op, task }) => op === "move" && step?.tasks.includes(task);
      const isDrop = step && this.#server.isOwn({ client, by }) && ops.some(isMove);
      if (isDrop) this.#dropping.contained = step.tasks.length;
      return [];
    }
    const answers = [];
    for (const { entry, end, isLast } of this.#partsWith(opId)) {
      entry.contained = end;
      if (!isLast) continue;
      if (entry.version === undefined) answers.push({ id: entry.step.id, version });
      entry.version = version;
    }
    return answers;
  }

  /** The step with this id, if the person has added or removed items of arrays with it. */
  withItems(id) {
    return this.entries.find(({ step }) => step.id === id && step.items)?.step;
  }

  /**
   * The steps that have a part whose first operation has this id: `entry`; `end`, the number of the step's operations up to the end of the part;
   * `isLast`, whether it is the last part.
   */
  #partsWith(opId) {
    const found = [];
    for (const entry of this.entries) {
      if (!opId.startsWith(entry.step.id)) continue;
      const parts = partsIn(entry);
      const index = parts.findIndex(({ id }) => id === opId);
      const end = parts.slice(0, index + 1).reduce((sum, { count }) => sum + count, 0);
      // Of separate deletions, some can be refused.
      const isLast = index === parts.length - 1 && (index === 0 || !entry.step.areSeparate);
      if (index >= 0) found.push({ entry, end, isLast });
    }
    return found;
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
        if (this.#listener.isGone()) break; // they are sent when the list is back
        const request = nextRequest(this.unsent, this.#limit);
        if (!request) break;
        await this.#send(request);
      }
      this.isFailing = this.waiting > 0 && this.#listener.isGone(); // perhaps another window has sent everything
    } catch (error) {
      if (!(error instanceof Problem || error instanceof Unreachable)) throw error;
      this.isFailing = true;
      this.failure = error;
      this.#retry = setTimeout(() => this.flush(), this.#pauses.next(error));
      this.#listener.state();
      if (error.action !== "wait") this.#listener.failed(error);
    } finally {
      this.#isSending = false;
      this.#dropping = null;
    }
  }

  async #send({ drop, parts }) {
    try {
      await (drop ? this.#sendDrop(drop) : this.#sendBatch(parts));
    } catch (error) {
      if (!(error instanceof Problem)) throw error;
      if (drop) {
        delete drop.step.drag; // the drag has ended, or its drop is refused: send an ordinary move
      } else if (error.action !== "split") {
        throw error;
      } else {
        const count = countAfter(parts.length, error);
        if (count === null) throw new Unreachable(); // the step is too large for a proxy
        this.#limit = count || mostSteps;
        if (count === 0) await this.#finish([parts[0].entry], error);
      }
    }
  }

  async #sendDrop(entry) {
    this.#dropping = entry;
    const { drag, id, to } = entry.step;
    const path = `/drags/${encodeURIComponent(drag)}/drop`;
    const options = { isDocumented: isVersion, body: to, key: id, isMinimal: true };
    const { document, epoch } = await this.#server.request("POST", path, options);
    this.#accepted(epoch);
    entry.hasEffect = true;
    await this.#finish([entry], null, document.version);
    this.#dropping = null;
  }

  async #sendBatch(parts) {
    const body = `{"steps":[${parts.map(({ part }) => part.text).join(",")}]}`;
    const path = `/lists/${encodeURIComponent(this.#list)}/batch`;
    const isDocumented = hasResults(parts.reduce((sum, { part }) => sum + part.count, 0));
    const options = { kind: "step", isDocumented, body, isMinimal: true };
    const { document, epoch } = await this.#server.request("POST", path, options);
    this.#accepted(epoch);
    this.#limit = mostSteps;
    let next = 0;
    const ended = new Set();
    for (const { entry, part } of parts) {
      const results = document.results.slice(next, next + part.count);
      next += part.count;
      entry.answered += 1;
      const { problem } = results.find((one) => one.problem) ?? {};
      const isRemade = problem ? this.#listener.canRemake(entry.step, problem) : false;
      if (problem && !isRemade && (await this.#isSentApart(entry, problem))) continue;
      if (!problem) entry.hasEffect = true;
      else if (isRemade || !isDoneAnyway(entry.step, problem.code)) entry.problem ??= problem;
      entry.isRemade ||= isRemade;
      const isRefused = entry.problem && !entry.step.areSeparate;
      if (isRefused || entry.answered >= entry.parts.length) ended.add(entry);
    }
    await this.#finish(ended, null, document.version);
  }

  /**
   * If one of several tasks to delete does not exist any more, each of the others is deleted by a step of its own.
   * @returns whether the step is sent again in this form
   */
  async #isSentApart(entry, { code }) {
    const { step } = entry;
    const isPossible = step.kind === "delete" && step.tasks.length > 1 && !step.areSeparate;
    if (!isPossible || code !== "task_not_found") return false;
    separate(entry);
    await this.#journal.replace(this.#list, [entry]);
    return true;
  }

  /**
   * The server has responded, to this window or to another one.
   * @throws {Unreachable} if the response is from another epoch than the list: the server has another store, or a restored one
   */
  #accepted(epoch) {
    this.#reached();
    const own = this.#listener.epoch();
    if (epoch !== undefined && own !== undefined && epoch !== own) {
      this.#listener.failed({ action: "readAgain" });
      throw new Unreachable(); // the same batch is sent again, to the same store as the next document
    }
    this.#pauses.reset();
  }

  #reached() {
    this.isFailing = false;
    this.#listener.reached();
  }

  /**
   * @param problem the refusal of all these steps; null if each has its own result
   * @param version the list's version after the others
   */
  async #finish(entries, problem, version) {
    const answers = [...entries].map((entry) => {
      const { id } = entry.step;
      // A step of which a part was applied can't be made again.
      if (!problem && entry.isRemade && !entry.hasEffect) return { id, isRemade: true };
      const { code, detail } = problem ?? entry.problem ?? {};
      if (code !== undefined) return { id, code, detail };
      return entry.hasEffect ? { id, version } : { id }; // the list was already as the step wanted it
    });
    await this.end(answers, true);
  }

  /**
   * Announces the responses of steps to the other windows, and notes them in the journal: first they are reported, so that none is lost if
   * the program ends. Promises that the next window with the lock reads them.
   */
  async end(answers, isSender = false) {
    if (answers.length === 0) return;
    this.#queues.post(this.#list, { answers });
    const refusals = this.#settle(answers, isSender);
    const ids = new Set(answers.map(({ id }) => id));
    // They are shown until the list contains them, also after a restart.
    const { isKept } = this.#journal;
    const shown = this.entries.filter(
      ({ step, version, order }) =>
        ids.has(step.id) && version > 0 && (isKept || order !== undefined),
    );
    if (!this.#listener.isShown()) shown.length = 0;
    for (const entry of shown) {
      entry.isAnswerStored = true;
      ids.delete(entry.step.id);
    }
    const writing = [shown.length > 0 && this.#journal.replace(this.#list, shown)];
    await Promise.all([...writing, this.#remove([...ids], refusals)]);
  }

  #remove(ids, refusals) {
    return ids.length > 0 && this.#journal.remove(this.#list, ids, refusals);
  }

  /** Discards steps without a response. Nothing else does. @param ids the ids of the steps. Default: all */
  async discard(ids) {
    await this.load();
    const chosen = this.unsent.filter(({ step }) => !ids || ids.includes(step.id));
    if (chosen.length === this.waiting) {
      clearTimeout(this.#retry);
      this.isFailing = false;
    }
    await this.end(chosen.map(({ step }) => ({ id: step.id, isDiscarded: true })));
  }

  /**
   * @param answers the `id` of each step, and either the list's `version` after it, the `code` and `detail` of its refusal,
   *   `isDiscarded`, or `isRemade`: the window that has sent it makes it again, with new ids
   * @param isSender whether this window has sent the steps; a refusal is reported there, and where the step was made
   * @returns the refusals to store: `step`, `code` and `detail`
   */
  #settle(answers, isSender) {
    const known = new Map(answers.map((answer) => [answer.id, answer]));
    const [refused, refusals] = [[], []];
    for (const entry of this.entries) {
      const answer = known.get(entry.step.id);
      if (!answer || entry.version > 0) continue;
      const { version, code, detail, isRemade } = answer;
      entry.version = version ?? 0;
      if (version === undefined)
        refused.push(
          isSender || entry.isMine
            ? { entry, code, detail, isRemade: isRemade && isSender }
            : { entry },
        );
      if (code !== undefined) refusals.push({ step: entry.step, code, detail });
    }
    const kept = this.refusals.add(refusals);
    this.#listener.sent(refused);
    this.#listener.state();
    return kept;
  }
}

/** Of an entry without a response. */
const unanswered = {
  contained: 0,
  answered: 0,
  hasEffect: false,
  problem: undefined,
  isRemade: false,
};

function makeEntry(step, back) {
  return { step, back, isMine: false, version: undefined, ...unanswered };
}

/** Steps with a response come first, and those that are not stored yet last. */
function rank({ version, order }) {
  return version === undefined ? (order ?? Infinity) : -1;
}
