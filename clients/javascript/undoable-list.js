// A synchronized list whose steps can be undone.
import { History } from "./history.js";
import { makeID } from "./ids.js";
import { undoChange } from "./list-history.js";
import { undoIn } from "./limits.js";
import { Refusal } from "./refusal.js";
import { Problem, Unreachable } from "./server.js";
import { SyncedList } from "./synced-list.js";
import { partsBack, sendTransfer } from "./transfer.js";
import { moveSectionToList } from "./whole-lists.js";

export class UndoableList extends SyncedList {
  #history;
  #server;

  constructor(id, server, journal, streams, queues) {
    super(id, server, journal, streams, queues);
    this.#server = server;
    this.#history = new History(id, server.clientID, journal);
    this.on("remade", ({ id, made, ids }) => {
      this.#history.rename(ids);
      this.#history.replace(id, made);
    });
    this.on("dropped", (ids) => this.#history.forget(({ id: one }) => ids.has(one)));
  }

  start() {
    this.#loadHistory();
    return super.start();
  }

  storeAgain() {
    super.storeAgain();
    this.#history.storeAgain();
    this.#loadHistory();
  }

  async #loadHistory() {
    await this.#history.load();
    this.emit("state");
  }

  get canUndo() {
    return this.#history.has("done");
  }
  get canRedo() {
    return this.#history.has("undone");
  }
  /** The number of what `undo` takes back next. It is larger than that of all that was done before. */
  get undoNumber() {
    return this.#history.newest("done");
  }

  /**
   * Applies a step at once, and sends it.
   * @returns whether the rules allow it; if not, the event `refused` has the reason
   */
  do(step) {
    if (step.tasks?.length === 0 || step.steps?.length === 0) return true;
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
    const { steps } = last.entry;
    if (!steps) {
      this.#undoAtServer(last, from, to);
      return true;
    }
    if (steps.length === 0) return this.#undoLast(from, to); // it changed nothing
    return this.#do({ kind: "group", steps, ...undoIn(this.tree) }, to);
  }

  /**
   * Moves tasks to another list. Needs the server.
   * @param to the destination there; empty: the end
   * @returns whether they were moved; if not, the event `refused` has the reason
   */
  async moveToList(tasks, list, to) {
    const entry = { id: makeID(), transfer: { from: this.id, to: list, parts: [{ tasks, to }] } };
    try {
      this.didAtServer(await this.#act(entry));
      return true;
    } catch (error) {
      this.#explain(entry, error);
      return false;
    } finally {
      this.emit("state");
    }
  }

  /** Called when the server has done what the person wanted. `undo` takes it back next. @param back an entry without an id */
  didAtServer(back) {
    if (!back) return;
    this.#history.push("done", { id: makeID(), ...back });
    this.#history.clear("undone");
    this.emit("state");
  }

  async #undoAtServer(last, from, to) {
    try {
      const back = await this.#act(last.entry);
      if (back) this.#history.push(to, { id: makeID(), ...back });
    } catch (error) {
      if (error instanceof Unreachable) this.#history.putBack(from, last);
      this.#explain(last.entry, error);
    } finally {
      this.emit("state");
    }
  }

  /** Lets the server do what an entry says. @returns what takes it back; null if nothing does */
  async #act({ id, transfer, section, change }) {
    if (!(await this.allSent())) throw this.failure ?? new Unreachable();
    if (change) return changeToUndo(await undoChange(this.#server, this.id, change, id));
    if (section) {
      const { from, to, position } = section;
      const back = { ...section, from: to, to: from, position: section.there };
      const place = { position, ...(to === this.id && this.tree && undoIn(this.tree)) };
      await moveSectionToList(this.#server, from, section.id, to, place);
      return { section: { ...back, there: position } };
    }
    const { from, to, parts } = transfer;
    const tasks = parts.flatMap((part) => part.tasks);
    const back = from === this.id ? partsBack(this.tree, tasks) : (transfer.there ?? [{ tasks }]);
    await sendTransfer(this.#server, transfer, id);
    this.emit("transferred");
    return { transfer: { from: to, to: from, parts: back, there: parts } };
  }

  /** Reports why the server did not do something. */
  #explain({ id, transfer, section, change }, error) {
    const isKnown = [Problem, Refusal, Unreachable].some((kind) => error instanceof kind);
    if (!isKnown) throw error;
    const tasks = transfer?.parts.flatMap((part) => part.tasks) ?? [];
    const kind = change ? "undo" : section ? "section-transfer" : "transfer";
    this.refuse({ kind, id, tasks }, error);
  }
}

/** The entry that undoes a change, from the response of the server; null if nothing has changed. */
export function changeToUndo({ version, epoch, changed }) {
  return changed ? { change: { version, epoch } } : null;
}
