// One list, synchronized with the server.
//
// The page shows the server's list with the pending steps applied. When a change arrives, the steps are undone, the change is applied,
// and the steps are applied again. Their anchors keep them at the intended place. A step is pending until the list has the version
// that the step created. So no row jumps back between the response and the change.
import { access, wantToken } from "./access.js";
import { Problem, Unauthorized, Unreachable, follow, makeID, send } from "./api.js";
import { DoesNotFit, List } from "./list.js";
import { Queue } from "./queue.js";
import { Refusal } from "./rules.js";
import { perform, request, takeBack, wasDone } from "./steps.js";

const undoLimit = 100;

/**
 * Events: `change` (the list changed), `state`, `refused` (detail: step, code, detail), `drag`
 * (detail: the server's drag event).
 */
export class Session extends EventTarget {
  list = null;
  version = 0;
  /** The epoch of the version. After a restore, the server has a new epoch. */
  epoch = undefined;
  /** `loading`, `live`, `offline`, `locked` (the server requires another token) or `gone`. */
  state = "loading";
  #pending;
  #queue;
  #done = [];
  #undone = [];
  #versions = new Map();
  #isSending = false;
  #retry;
  #stopped = new AbortController();
  #connection = null;
  #needsDocument = true;
  #wake = () => {};

  constructor(id) {
    super();
    this.id = id;
    this.#queue = new Queue(id);
    this.#pending = this.#queue.adopted;
  }

  /** The number of steps without a response. */
  get waiting() {
    return this.#pending.filter((step) => step.version === undefined).length;
  }
  get canUndo() {
    return this.#done.length > 0;
  }
  get canRedo() {
    return this.#undone.length > 0;
  }

  async start() {
    const { signal } = this.#stopped;
    const onVisible = () => (document.hidden ? this.#connection?.abort() : this.wake());
    document.addEventListener("visibilitychange", onVisible, { signal });
    window.addEventListener("online", () => this.wake(), { signal });
    access.addEventListener(
      "changed",
      () => {
        this.#connection?.abort();
        this.wake();
      },
      { signal },
    );
    let delay = 250;
    while (!signal.aborted) {
      // A browser has few connections to a server, so hidden windows release theirs.
      if (document.hidden) await this.#pause();
      if (signal.aborted) return;
      try {
        if (this.#needsDocument) await this.#fetchDocument();
        await this.#follow(() => {
          delay = 250;
        });
      } catch (error) {
        if (error instanceof Problem && error.code === "list_not_found") return this.#end();
        if (!(error instanceof Problem || error instanceof Unreachable)) throw error;
        const isLocked = error instanceof Unauthorized || error.status === 403;
        if (error.status === 403) wantToken(error.detail, error.shown);
        this.#setState(isLocked ? "locked" : "offline");
        await this.#pause(error.retryAfterSeconds * 1000 || delay);
        delay = Math.min(delay * 2, 5_000);
      }
    }
    return undefined;
  }

  /** Stops listening. Pending steps are still sent. */
  stop() {
    this.#stopped.abort();
    this.#connection?.abort();
    this.wake();
  }

  /** Sends the pending steps of a list that is not shown. */
  finish() {
    this.#flush();
  }

  /** Retries now instead of later. */
  wake() {
    this.#wake();
  }

  #pause(milliseconds) {
    return new Promise((resolve) => {
      this.#wake = resolve;
      if (milliseconds !== undefined) setTimeout(resolve, milliseconds);
    });
  }

  async #follow(onOpen) {
    const connection = new AbortController();
    this.#connection = connection;
    const opened = () => {
      onOpen();
      this.#setState("live");
      this.#flush();
    };
    try {
      await follow(this.id, this.#token, connection.signal, opened, (event, data) => {
        if (!connection.signal.aborted) this.#receive(event, data);
      });
    } catch (error) {
      if (!connection.signal.aborted) throw error;
      return;
    }
    // The server closed the stream, perhaps because it stops: reconnect after a pause.
    if (!connection.signal.aborted) throw new Unreachable();
  }

  get #token() {
    return this.epoch ? `${this.version}-${this.epoch}` : String(this.version);
  }

  #receive(event, data) {
    if (event === "deleted") this.#end();
    else if (this.#needsDocument) return;
    else if (event === "change") this.#integrate(data);
    else if (event === "refetch") this.#refetch();
    else this.dispatchEvent(new CustomEvent(event, { detail: data }));
  }

  /** The list does not exist any more, and its pending steps cannot be applied. */
  #end() {
    this.stop();
    this.#pending = [];
    this.#queue.save([]);
    this.#setState("gone");
  }

  /** Fetches the document again, after a pause: if the list was deleted, the event `deleted` arrives first. */
  #refetch() {
    this.#needsDocument = true;
    const connection = this.#connection;
    setTimeout(() => connection?.abort(), 20);
  }

  async #fetchDocument() {
    const answered = this.#pending.filter((step) => step.version !== undefined);
    const document = await send("GET", `/lists/${encodeURIComponent(this.id)}`);
    this.#needsDocument = false;
    // The document contains all steps that got their response before it was requested, unless a restore lost them.
    this.#pending = this.#pending.filter((step) => !answered.includes(step));
    if (this.list && document.epoch !== this.epoch) this.#forgetVersions();
    this.list = new List(document);
    this.version = document.version;
    this.epoch = document.epoch;
    this.#replay();
    this.#changed();
  }

  /** The server was restored: the versions to undo are now other changes, or do not exist. */
  #forgetVersions() {
    this.#done = [];
    this.#undone = [];
    this.#versions.clear();
  }

  #integrate(change) {
    if (change.version <= this.version) return;
    if (change.version !== this.version + 1) {
      this.#connection?.abort(); // a version is missing: listen again after our version
      return;
    }
    this.#rewind();
    try {
      for (const operation of change.ops) this.list.apply(operation);
    } catch (error) {
      if (!(error instanceof DoesNotFit)) throw error;
      this.#replay();
      this.#refetch();
      return;
    }
    this.version = change.version;
    this.#replay();
    this.#changed();
  }

  #rewind() {
    for (const step of [...this.#pending].reverse()) takeBack(this.list, step.back ?? []);
  }

  /** Removes the steps that the list already contains, and applies the others again. */
  #replay() {
    this.#pending = this.#pending.filter(
      (step) => step.version === undefined || step.version > this.version,
    );
    if (!this.list) return;
    for (const step of this.#pending) {
      try {
        step.back = perform(this.list, step);
      } catch (error) {
        if (!(error instanceof Refusal)) throw error;
        step.back = []; // the server will refuse it too
      }
    }
  }

  #changed() {
    this.dispatchEvent(new CustomEvent("change"));
  }

  #setState(state) {
    this.state = state;
    this.dispatchEvent(new CustomEvent("state"));
  }

  /**
   * Applies a step at once, and sends it.
   * @returns whether the rules allow it; if not, the event `refused` has the reason
   */
  do(step) {
    const isDone = this.#do(step, this.#done);
    if (isDone) this.#undone = [];
    return isDone;
  }

  #do(step, steps) {
    step.id = makeID();
    try {
      step.back = perform(this.list, step);
    } catch (error) {
      if (!(error instanceof Refusal)) throw error;
      this.#refuse(step, error.code);
      return false;
    }
    this.#pending.push(step);
    steps.push(step);
    if (steps.length > undoLimit) steps.shift();
    this.#save();
    this.#changed();
    this.#flush();
    return true;
  }

  /**
   * Undoes this window's last step. A step that was not sent yet is dropped.
   * @returns whether the step is undone already, without the server
   */
  undo() {
    const step = this.#done.pop();
    if (!step) return false;
    const isUnsent = this.#pending.includes(step) && step.version === undefined && !step.tries;
    if (isUnsent && !this.#queue.isShared) {
      this.#drop(step);
      this.#undone.push({ unsent: step });
      this.#changed();
      return true;
    }
    this.#do(this.#undoOf(step), this.#undone);
    return false;
  }

  /** Redoes the last undone step, if no new step followed. */
  redo() {
    const step = this.#undone.pop();
    if (!step) return;
    this.#do(step.unsent ? { ...step.unsent } : this.#undoOf(step), this.#done);
  }

  #undoOf({ id }) {
    return { kind: "undo", of: id, undoes: this.#versions.get(id) };
  }

  #drop(step) {
    this.#rewind();
    this.#pending = this.#pending.filter((other) => other !== step);
    this.#done = this.#done.filter((other) => other !== step);
    this.#undone = this.#undone.filter((other) => other !== step);
    this.#replay();
    this.#save();
  }

  #refuse(step, code, detail) {
    this.dispatchEvent(new CustomEvent("refused", { detail: { step, code, detail } }));
  }

  #save() {
    this.#queue.save(this.#pending.filter((step) => step.version === undefined));
    this.dispatchEvent(new CustomEvent("state"));
  }

  async #flush() {
    if (this.#isSending) return;
    this.#isSending = true;
    try {
      for (let step = this.#next(); step; step = this.#next()) await this.#send(step);
    } catch (error) {
      if (!(error instanceof Unreachable)) throw error;
      clearTimeout(this.#retry);
      this.#retry = setTimeout(() => this.#flush(), error.retryAfterSeconds * 1000 || 2_000);
    } finally {
      this.#isSending = false;
    }
  }

  #next() {
    if (this.state === "gone") return undefined;
    return this.#pending.find((step) => step.version === undefined);
  }

  async #send(step) {
    const what = this.#resolve(step);
    if (!what) {
      this.#drop(step);
      return;
    }
    step.tries = (step.tries ?? 0) + 1;
    this.#save();
    try {
      const { method, path, body } = request(this.id, what);
      const answer = await send(method, path, { body, key: step.id });
      // If the task is in another list by now, the step changed that list, and this list gets no version for it.
      step.version = answer.list === this.id ? answer.version : 0;
      this.#versions.set(step.id, answer.changed ? answer.version : undefined);
      if (this.state === "offline" || this.state === "locked") this.wake();
    } catch (error) {
      if (!(error instanceof Problem)) throw error;
      if (error.code === "request_in_progress") throw new Unreachable(1);
      if (error.code === "drag_not_found") {
        delete step.drag; // the drag has ended: send an ordinary move
        return;
      }
      this.#drop(step);
      if (!wasDone(step, error.code)) this.#refuse(step, error.code, error.detail);
      this.#changed();
    }
    this.#save();
    if (step.version <= this.version) {
      this.#rewind();
      this.#replay();
      this.#changed();
    }
  }

  /** Returns the step to send. For an undo, adds the version that the undone step created; null if it created none. */
  #resolve(step) {
    if (step.kind !== "undo") return step;
    const version = step.undoes ?? this.#versions.get(step.of);
    return version === undefined ? null : { kind: "undo", version };
  }
}
