// One list, synchronized with the server.
//
// The list shows the server's list with the pending steps applied. When a change arrives, the steps are taken back, the change is
// applied, and the steps are applied again. Their anchors keep them at the intended place. A step is pending until the list has the
// version that the step created. So no row jumps back between the response and the change.
import { Drags } from "./drags.js";
import { Emitter } from "./emitter.js";
import { makeID } from "./ids.js";
import { DoesNotFit, List } from "./list.js";
import { itemsBetween, merged, patchOfItems } from "./merge-patch.js";
import { Outbox } from "./outbox.js";
import { Pauses, Restarts } from "./pauses.js";
import { Refusal } from "./refusal.js";
import { rootsOf } from "./rules.js";
import { isDocumentOf } from "./answers.js";
import { Problem, Unauthorized, Unreachable } from "./server.js";
import { checkedStep, namesFormer, newIDs, perform, restOf, takeBack, withIDs } from "./steps.js";
import { StoredList } from "./stored-list.js";

/** With more steps, changes are integrated a moment later. */
const manySteps = 100;

/**
 * Events: `change` (the list changed), `state`, `refused` (detail: step, code, detail, tasks), `drags` (of others), `dropped` (detail:
 * the ids of steps that were not applied), `remade` (detail: the `id` of such a step, `made`, the result of `make` for the one in its
 * place, and `ids`, the new ids of tasks), `transferred` (to another list or back), `drag` and `hello` (the server's events).
 */
export class SyncedList extends Emitter {
  id;
  /** The list's sections and tasks (`List`), or null before it is loaded. Do not change it. */
  tree = null;
  version = 0;
  /** The epoch of the version. After a restore, the server has a new epoch. */
  epoch = undefined;
  /** `loading`, `live`, `offline`, `locked` (the server requires another token), `gone` (the list does not exist) or `closed`. */
  state = "closed";
  /** Why the list is `locked`; null otherwise. */
  problem = null;
  drags;
  /** The new ids of tasks that came back from a deletion while another list had theirs, by the former ones. */
  #newIDs = new Map();
  #server;
  #streams;
  #outbox;
  #stored;
  #closing = null;
  #connection = null;
  #needsDocument = true;
  #pauses = new Pauses();
  #restarts = new Restarts();
  #isRebasing = false;
  /** Those that have arrived, and are integrated next. */
  #changes = [];

  constructor(id, server, journal, streams, queues) {
    super();
    this.id = id;
    this.#server = server;
    this.#streams = streams;
    this.#outbox = new Outbox(id, server, journal, queues, {
      adopted: () => this.#adopted(),
      reorder: (act) => this.#reorder(act),
      sent: (refused) => this.#sent(refused),
      state: () => this.emit("state"),
      failed: (error) => this.#failed(error),
      reached: () => this.#reached(),
      epoch: () => (this.isOpen ? this.epoch : undefined),
      isShown: () => this.isOpen && this.tree !== null,
      canRemake: (step, problem) => this.#canRemake(step, problem),
      isGone: () => this.isOpen && this.state === "gone",
    });
    this.#stored = new StoredList(id, journal);
    this.drags = new Drags(this, server);
  }

  /** The number of steps without a response. */
  get waiting() {
    return this.#outbox.waiting;
  }
  /** Whether the last attempt to send steps got no response. */
  get isFailing() {
    return this.#outbox.isFailing;
  }
  /** Waits for the responses to all steps. @returns false if they can't be sent now: `failure` is the reason */
  allSent() {
    return this.#outbox.allSent();
  }
  get failure() {
    return this.#outbox.failure;
  }
  /** The steps without a response. */
  get waitingSteps() {
    return this.#outbox.unsent.map(({ step }) => step);
  }
  /** Discards steps that wait. Nothing else does. @param steps elements of `waitingSteps`. Default: all */
  async discardWaiting(steps) {
    await this.#outbox.discard(steps?.map(({ id }) => id));
    if (this.state === "gone") this.#removeStored();
    if (this.state !== "locked") return;
    // Perhaps only the steps were not allowed: the list is read again, and deleted from the device if it can't be.
    setTimeout(() => this.state === "locked" && this.reconnect(), new Pauses().next());
  }
  /** What the server refused, and the person has not seen yet: as in the event `refused`, the oldest first. */
  get refusals() {
    return this.#outbox.refusals.all.map(refusalOf);
  }
  /** The person has seen refusals. @param seen elements of `refusals`. Default: all */
  acknowledge(seen = this.refusals) {
    this.#outbox.refusals.acknowledge(seen.map(({ step }) => step.id));
    this.emit("state");
  }

  // MARK: Listening

  /** Whether it listens for changes. If it is `gone`, it loads again when it is restored. */
  get isOpen() {
    return this.#closing !== null;
  }

  /** Starts to listen for changes. If the list was `gone`, looks for it now. */
  async start() {
    if (this.#closing && this.state === "gone") this.#look();
    if (this.#closing) return;
    const closing = new AbortController();
    this.#closing = closing;
    const { signal } = closing;
    this.#look();
    const page = globalThis.document;
    const onVisible = () => (page.hidden ? this.#connection?.abort() : this.#shown());
    page?.addEventListener("visibilitychange", onVisible, { signal });
    globalThis.addEventListener?.("online", () => this.#retryNow(), { signal });
    await this.#outbox.load();
    if (!this.tree) await this.#restore(signal);
    this.#pauses.reset();
    while (!signal.aborted) {
      await this.#pauses.whileHidden(signal);
      if (signal.aborted) return;
      const connection = new AbortController();
      this.#connection = connection;
      const either = AbortSignal.any([signal, connection.signal]);
      try {
        if (this.state === "gone") await this.#lookWhenItExists(either);
        else if (this.#needsDocument) await this.#fetchDocument(either);
        else await this.#follow(either);
      } catch (error) {
        if (signal.aborted) return;
        if (connection.signal.aborted) continue;
        if (!(error instanceof Problem || error instanceof Unreachable)) throw error;
        if (error.action === "wait" && this.state !== "gone") this.#setState("offline");
        this.#failed(error);
        if (!signal.aborted && error.action !== "gone") await this.#pauses.afterFailure(error);
      }
    }
  }

  /** Stops listening. Pending steps are still sent. `start` begins again. */
  close() {
    this.drags.stop();
    this.#closing?.abort();
    this.#closing = null;
    this.#connection?.abort();
    this.wake();
    if (this.state !== "gone") this.#setState("closed");
  }

  /** The server has accepted steps. If the list is locked because they were not allowed, its stream is perhaps open. */
  #reached() {
    if (this.state === "locked") this.#connection?.abort();
    if (this.state !== "live") this.wake();
  }

  /** A request failed for a reason that perhaps concerns the whole list. */
  #failed(error) {
    if (error.action === "gone") this.#missing();
    else if (error.action === "signIn") this.#lock(error);
    else if (error.action === "readAgain") this.#refetch();
  }

  /** The window is visible again. While it was hidden, it did not receive the steps of other windows. */
  #shown() {
    this.#retryNow();
    this.flush();
  }

  #retryNow() {
    this.#pauses.reset();
    this.wake();
  }

  /** Receives a message of another window about its steps. */
  receive(message) {
    const isShown = this.#closing && !globalThis.document?.hidden;
    if (isShown || !message.step) this.#outbox.receive(message);
  }

  /** Retries now instead of later. */
  wake() {
    this.#pauses.end();
    this.#restarts.end();
  }

  /** Connects again, with another token. */
  reconnect() {
    this.#connection?.abort();
    this.#retryNow();
    this.flush();
  }

  /** Deletes the stored state of the list. */
  forget() {
    this.#stored.remove();
  }

  /** Sends the pending steps. */
  flush() {
    return this.#outbox.flush();
  }

  async #follow(signal) {
    const opened = () => {
      this.#setState("live");
      this.#outbox.flush();
    };
    const version = () => {
      this.#integrate();
      return this.epoch ? `${this.version}-${this.epoch}` : String(this.version);
    };
    await this.#streams.follow(this.id, version, signal, opened, (event, data) => {
      if (!signal.aborted) this.#receive(event, data);
    });
    // The server closed the stream, perhaps because it stops: reconnect after a pause.
    if (!signal.aborted) throw new Unreachable();
  }

  #receive(event, data) {
    if (event !== "change") this.#integrate();
    if (event === "deleted") this.#missing();
    else if (this.#needsDocument) return;
    else if (event === "change") this.#arrived(data);
    else if (event === "refetch") this.#refetch();
    else {
      if (event === "hello") this.#server.author = data.author;
      this.emit(event, data);
    }
  }

  /** The list does not exist. Its pending steps are kept, because it can be restored. */
  #missing() {
    if (this.state === "gone") return;
    this.#needsDocument = true;
    this.#connection?.abort();
    this.#removeStored();
    this.#setState("gone");
  }

  /** Deletes the stored state, unless steps wait: the person needs it to see them. */
  #removeStored() {
    if (this.waiting === 0) this.#stored.remove();
  }

  /** The server requires another token for the list. Its pending steps are kept. */
  #lock(error) {
    this.#removeStored();
    this.problem = error;
    if (this.isOpen && this.state !== "gone") this.#setState("locked");
    // A request without a valid token is announced where it fails.
    const { token, detail } = error;
    if (!(error instanceof Unauthorized)) this.#server.emit("unauthorized", { token, detail });
  }

  /** The list perhaps exists, and is loaded next. */
  #look() {
    this.#setState("loading");
    this.#connection?.abort();
    this.wake();
  }

  async #lookWhenItExists(signal) {
    await this.#streams.untilExists(this.id, signal);
    if (!signal.aborted) await this.#restarts.afterFailure();
    if (!signal.aborted) this.#look();
  }

  /** Fetches the document again, after a pause: if the list was deleted, the event `deleted` arrives first. */
  #refetch() {
    this.#needsDocument = true;
    this.#restarts.restart(this.#connection);
  }

  async #fetchDocument(signal) {
    const answered = this.#outbox.answered;
    const path = `/lists/${encodeURIComponent(this.id)}`;
    const options = { kind: "read", isDocumented: isDocumentOf(this.id), signal };
    const document = await this.#server.send("GET", path, options);
    if (signal.aborted) return;
    this.#needsDocument = false;
    this.#changes = [];
    // The document contains all steps that got their response before it was requested, unless a restore lost them.
    if (this.tree && document.epoch !== this.epoch) this.#outbox.sendAgain(answered);
    else this.#outbox.removeAll(answered);
    if (document.epoch === this.epoch && document.version > this.version) this.#progressed();
    this.tree = new List(document);
    this.version = document.version;
    this.epoch = document.epoch;
    this.#stored.put(this);
    this.#showAgain();
  }

  /** Shows the stored state of the list. The events bring what has changed since. */
  async #restore(signal) {
    const stored = await this.#stored.read();
    if (!stored || signal.aborted || this.tree) return;
    this.#needsDocument = false;
    Object.assign(this, stored);
    this.#showAgain();
  }

  // MARK: Changes of others, and pending steps

  /** Changes that arrive together are integrated together: to take back the pending steps and apply them again takes O(steps). */
  #arrived(change) {
    this.#changes.push(change);
    if (this.#changes.length > 1) return;
    // Changes that another window passes on arrive one by one.
    const isSlow = this.#outbox.entries.length > manySteps;
    (isSlow ? setTimeout : queueMicrotask)(() => this.#integrate());
  }

  #integrate() {
    const changes = this.#changes;
    this.#changes = [];
    const answers = [];
    const lost = [];
    let isRewound = false;
    for (const change of changes) {
      if (change.version <= this.version) continue;
      if (change.version !== this.version + 1) {
        this.#restarts.restart(this.#connection); // a version is missing: listen again after our version
        break;
      }
      if (!isRewound) this.#rewind();
      isRewound = true;
      const wanted = this.#withItems(change);
      if (!this.#apply(change)) {
        this.#refetch();
        break;
      }
      answers.push(...this.#outbox.arrived(change));
      if (wanted) lost.push(...this.#lostItems(wanted));
    }
    if (!isRewound) return;
    this.#showAgain();
    for (const { task, items } of lost) this.#bringBack(task, items);
    this.#outbox.end(answers);
  }

  /** The data that a task should have after the change of an own step, if that adds or removes items of arrays; null for other changes. */
  #withItems({ opId }) {
    const { task, items } = this.#outbox.withItems(opId) ?? {};
    const { data } = this.tree.tasks.get(task) ?? {};
    return items ? { task, items, data: merged(data, patchOfItems(data, items)) } : null;
  }

  /** The items that were lost because the step replaced an array that others had changed meanwhile. */
  #lostItems({ task, items, data }) {
    const lost = itemsBetween(this.tree.tasks.get(task)?.data, data, Object.keys(items));
    return lost ? [{ task, items: lost }] : [];
  }

  #bringBack(task, items) {
    const { data } = this.tree.tasks.get(task) ?? {};
    this.make({ kind: "update", task, set: { data: patchOfItems(data, items) }, items });
    this.emit("change");
  }

  /** Applies a change to the list without its pending steps. @returns whether it fits */
  #apply(change) {
    try {
      for (const operation of change.ops) this.tree.applyAt(operation, change.at, change.by);
    } catch (error) {
      if (!(error instanceof DoesNotFit)) throw error;
      return false;
    }
    this.version = change.version;
    this.#progressed();
    this.#stored.add(this, change);
    return true;
  }

  /** The server's list goes on: the next pauses are short. */
  #progressed() {
    this.#pauses.reset();
    this.#restarts.reset();
  }

  /** Stores all steps again, because the journal has perhaps lost them. */
  storeSteps() {
    this.#outbox.storeAgain();
  }

  /** Stores the rest again, and loads what could not be read before. */
  storeAgain() {
    this.flush();
    this.#outbox.refusals.storeAgain();
    if (!this.tree || !this.#stored.isStored) return;
    this.#rewind();
    this.#stored.put(this);
    this.#replay();
  }

  #reorder(act) {
    if (this.tree) this.#rewind();
    act();
    if (this.tree) this.#showAgain();
  }

  #rewind() {
    for (const entry of [...this.#outbox.entries].reverse()) takeBack(this.tree, entry.back);
  }

  /** Removes the steps that the list already contains, and applies the others again. */
  #replay() {
    this.#outbox.removeUpTo(this.version);
    for (const entry of this.#outbox.entries) {
      entry.back = [];
      try {
        const rest = restOf(this.tree, entry.step, entry.contained);
        entry.back = perform(this.tree, rest).back;
      } catch (error) {
        if (!(error instanceof Refusal)) throw error; // the server will refuse it too
      }
    }
  }

  /** Shows the steps of other windows. Those that arrive together are shown together. */
  #adopted() {
    if (!this.tree || this.#isRebasing) return;
    this.#isRebasing = true;
    setTimeout(() => {
      this.#isRebasing = false;
      if (!this.tree) return;
      this.#rewind();
      this.#showAgain();
    });
  }

  #showAgain() {
    this.#replay();
    this.emit("change");
  }

  #setState(state) {
    this.state = state;
    if (state !== "locked") this.problem = null;
    this.emit("state");
  }

  // MARK: Steps

  /**
   * Applies a step at once, and sends it.
   * @returns its `id` and the steps that undo it; null if the rules refuse it: the event `refused` has the reason
   */
  make(wanted) {
    let step = { ...wanted, id: makeID() };
    let performed;
    try {
      if (this.state === "gone")
        throw new Refusal("list_not_found", `List "${this.id}" does not exist.`);
      step = checkedStep(this.tree, step);
      // The tasks inside others are deleted with them.
      if (step.kind === "delete") step.tasks = rootsOf(this.tree, step.tasks).map(({ id }) => id);
      performed = perform(this.tree, step, true);
    } catch (error) {
      if (!(error instanceof Refusal)) throw error;
      this.refuse(step, error);
      this.emit("state");
      return null;
    }
    this.#outbox.add(step, performed.back);
    return { id: step.id, steps: performed.undo };
  }

  /** Called when steps got their responses, and some of them were refused. */
  #sent(refused) {
    const isContained = ({ version }) => version <= this.version;
    const entries = refused.map(({ entry }) => entry);
    if (!this.tree) {
      this.#outbox.forget(entries);
    } else if (entries.length > 0 || this.#outbox.entries.some(isContained)) {
      this.#rewind();
      this.#outbox.forget(entries);
      this.#showAgain();
    }
    for (const { entry, isRemade } of refused) if (isRemade) this.#remake(entry.step);
    this.emit("dropped", new Set(refused.map(({ entry }) => entry.step.id)));
    for (const { entry, code, detail } of refused)
      if (code) this.refuse(entry.step, { code, detail });
  }

  /**
   * Whether a refused step is made again with new ids: an undo that brings back a task whose id another list has, and the steps after it that
   * name the task. (If this list itself has the id, the task is back. Then the problem has the list's version.)
   */
  #canRemake(step, { code, version }) {
    if (!this.tree) return false;
    const ids = code === "id_taken" && version === undefined ? newIDs(step) : null;
    if (ids === null) return goneCodes.includes(code) && namesFormer(step, this.#newIDs);
    for (const [former, id] of this.#newIDs) this.#newIDs.set(former, ids.get(id) ?? id);
    for (const [former, id] of ids) this.#newIDs.set(former, id);
    return true;
  }

  #remake(step) {
    const made = this.make(withIDs(step, this.#newIDs));
    if (made) this.emit("remade", { id: step.id, made, ids: this.#newIDs });
  }

  refuse(step, { code, detail }) {
    this.emit("refused", refusalOf({ step, code, detail }));
  }
}

/** The codes of steps that name a task which does not exist. */
const goneCodes = ["task_not_found", "anchor_gone"];

/** The detail of the event `refused`. */
function refusalOf({ step, code, detail }) {
  const tasks = [step.tasks ?? step.task?.id ?? step.task].flat().filter(Boolean);
  // A group is an undo. Its place is gone because of what others changed since.
  if (step.kind === "group" && code === "anchor_gone")
    ({ code, detail } = new Refusal("undo_conflict"));
  // The server begins some sentences with the place of a fault in the request, which people do not see.
  return { step, code, detail: detail?.replace(/^\/\S*: /, ""), tasks };
}
