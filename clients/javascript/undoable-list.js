// A synchronized list whose steps can be undone.
import { History } from "./history.js";
import { makeID } from "./ids.js";
import { Refusal } from "./refusal.js";
import { Problem, Unreachable } from "./server.js";
import { SyncedList } from "./synced-list.js";
import { partsBack, sendTransfer } from "./transfer.js";

export class UndoableList extends SyncedList {
  #history;
  #server;
  #isLoaded = false;

  constructor(id, server, journal, streams, queues) {
    super(id, server, journal, streams, queues);
    this.#server = server;
    this.#history = new History(id, server.clientID, journal);
    this.on("dropped", (ids) => this.#history.forget(ids));
  }

  start() {
    if (!this.#isLoaded) this.#history.load().then(() => this.emit("state"));
    this.#isLoaded = true;
    return super.start();
  }

  storeAgain() {
    super.storeAgain();
    this.#history.storeAgain();
  }

  get canUndo() {
    return this.#history.has("done");
  }
  get canRedo() {
    return this.#history.has("undone");
  }

  /**
   * Applies a step at once, and sends it.
   * @returns whether the rules allow it; if not, the event `refused` has the reason
   */
  do(step) {
    if (step.tasks?.length === 0) return true;
    if (!this.#do(step, "done")) return false;
    this.#history.clear("undone");
    return true;
  }

  /** Undoes the last step that was made here. @returns whether that is possible */
  undo() {
    return this.#undoLast("done", "undone");
  }

  /** Redoes the last undone step, if no new step followed. @returns whether that is possible */
  redo() {
    return this.#undoLast("undone", "done");
  }

  #do(step, stack) {
    const made = this.make(step);
    if (!made) return false;
    this.#history.push(stack, made);
    this.emit("change");
    return true;
  }

  #undoLast(from, to) {
    if (this.state === "gone") return false;
    const last = this.#history.pop(from);
    if (!last) return false;
    if (last.transfer) {
      this.#transfer(last.transfer, to).then(
        (error) => error instanceof Unreachable && this.#history.push(from, last),
      );
      return true;
    }
    if (last.steps.length === 0) return this.#undoLast(from, to); // it changed nothing
    return this.#do({ kind: "group", steps: last.steps }, to);
  }

  /**
   * Moves tasks to another list. Needs the server.
   * @param to the destination there; empty: the end
   * @returns whether they were moved; if not, the event `refused` has the reason
   */
  async moveToList(tasks, list, to) {
    const transfer = { from: this.id, to: list, parts: [{ tasks, to }] };
    if (await this.#transfer(transfer, "done")) return false;
    this.#history.clear("undone");
    return true;
  }

  /** @returns the error, or null */
  async #transfer(transfer, stack) {
    const { from, to, parts } = transfer;
    const tasks = parts.flatMap((part) => part.tasks);
    const id = makeID();
    try {
      if (!(await this.allSent())) throw new Unreachable();
      const back = from === this.id ? partsBack(this.tree, tasks) : (transfer.there ?? [{ tasks }]);
      await sendTransfer(this.#server, transfer, id);
      this.#history.push(stack, {
        id,
        transfer: { from: to, to: from, parts: back, there: parts },
      });
      this.emit("transferred");
      return null;
    } catch (error) {
      const isKnown = [Problem, Refusal, Unreachable].some((kind) => error instanceof kind);
      if (!isKnown) throw error;
      this.refuse({ kind: "transfer", id, tasks }, error);
      return error;
    } finally {
      this.emit("state");
    }
  }
}
