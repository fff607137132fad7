// What a person does with the open list: steps, undo and redo, and what becomes of a step that is refused.
import { subtree } from "./client.js";
import { connection } from "./connection.js";
import { typedIn } from "./drafts.js";
import { words } from "./language.js";
import { isIndex } from "./list-order.js";
import { itemsBetween } from "./merge-patch.js";
import { describe, quoted, refusal } from "./words.js";

const { common, composer, steps } = words;

/** The lists that this window has deleted. */
const deletions = {
  canRedo: false,
  get undoNumber() {
    return connection.undoNumber;
  },
  async undo() {
    const list = await connection.undo();
    if (list) location.hash = list;
    return Boolean(list);
  },
};

export class Acts {
  /** Whether a change that the person makes is being shown. */
  isActing = false;
  #page;
  #notes;
  #composer;
  #lists;
  /** What was undone last; null if something was done since. */
  #undone = null;

  /**
   * @param composer keeps titles that were typed and could not be saved
   * @param lists the index of all lists
   */
  constructor(page, notes, composer, lists) {
    this.#page = page;
    this.#notes = notes;
    this.#composer = composer;
    this.#lists = lists;
    connection.on("refused", (refused) => this.#refused(refused));
  }

  /** Makes a change at once. If the active row leaves, the focus goes to the row at its place. */
  act(change) {
    this.isActing = true;
    try {
      return change();
    } finally {
      this.isActing = false;
    }
  }

  /** @returns whether the rules and the token allow the step; if not, a note shows the reason */
  do(step) {
    const { list, session, mayEdit } = this.#page;
    if (!mayEdit) {
      const code = session.state === "gone" ? "list_not_found" : "forbidden";
      if (typedIn(step) !== undefined) this.#refused({ list: session, step, tasks: [], code });
      return false;
    }
    const text = describe(list, step);
    const isDone = this.act(() => session.do(withItems(list, step)));
    if (isDone) this.#undone = null;
    const action = { label: common.undo, run: () => this.undo() };
    if (isDone) this.#notes.notify(text, { action, also: this.#offerSubtasks(step) });
    return isDone;
  }

  /** A button that also completes the subtasks of tasks that a step has completed; undefined if none is open. */
  #offerSubtasks(step) {
    const { tasks } = this.#page.list;
    const completed = (step.steps ?? [step]).filter(({ set }) => set?.done);
    const below = completed.flatMap(({ task }) => [...subtree(tasks.get(task))]);
    const open = [...new Set(below)].filter(({ done }) => !done).map(({ id }) => id);
    if (open.length === 0) return undefined;
    const complete = () => {
      const there = open.filter((id) => this.#page.list?.tasks.has(id));
      if (there.length > 0) this.#page.actions.complete(there, true);
    };
    return { label: words.detail.alsoSubtasks(open.length), run: complete };
  }

  /** Makes a step without a note. The note about an earlier step is hidden, because its “Undo” would take back this one. */
  doQuietly(step) {
    this.#notes.hide();
    this.#undone = null;
    this.act(() => this.#page.session.do(step));
  }

  // MARK: Undo

  /** What this window has changed and can take back: the open list, the order of the lists, and deleted lists; the newest first. */
  get #undoable() {
    const { session, mayEdit } = this.#page;
    const { order, mayOrder } = this.#lists;
    return [mayEdit && session, mayOrder && order, deletions]
      .filter((one) => one?.undoNumber > 0)
      .sort((one, other) => other.undoNumber - one.undoNumber);
  }

  /** What Redo applies to: what was undone last, or (after a reload) the open list. */
  get #redoable() {
    const { session, mayEdit } = this.#page;
    return [this.#undone, mayEdit && session].find((one) => one?.canRedo) ?? null;
  }

  get canUndo() {
    return this.#undoable.length > 0;
  }
  get canRedo() {
    return this.#redoable !== null;
  }

  /** Takes back what this window did last. */
  async undo() {
    const [last] = this.#undoable;
    if (!last) return;
    this.#undone = last;
    try {
      if (!(await this.act(() => last.undo()))) return;
    } catch (error) {
      this.#notes.complain(error);
      return;
    }
    const redo = { label: common.redo, run: () => this.redo() };
    this.#notes.notify(steps.undone, last.canRedo ? { action: redo } : {});
  }

  redo() {
    const last = this.#redoable;
    if (!last || !this.act(() => last.redo())) return;
    this.#notes.notify(steps.doneAgain, { action: { label: common.undo, run: () => this.undo() } });
  }

  // MARK: Refusals

  /**
   * A list sends its pending steps even after the page shows another list. Its refusals are shown too. A title that a person typed
   * is kept in the field for new tasks.
   */
  #refused({ list, ...refused }) {
    const { id, tree } = list;
    const typed = isIndex(id) ? undefined : typedIn(refused.step);
    const kept = typed === undefined ? "" : ` ${this.keepText(typed, id, tree)}`;
    this.#notes.refused(`${refusal(tree, refused)}${kept}`);
    if (isIndex(id)) list.acknowledge(); // its refusals are not shown anywhere else
  }

  /** Keeps a typed title in the field for new tasks. @returns a sentence about it */
  keepText(text, id = this.#page.session.id, tree = this.#page.list) {
    this.#composer.keep(id, text);
    return id === this.#page.session?.id
      ? composer.kept(quoted(text))
      : composer.keptIn(quoted(text), quoted(tree?.settings.title));
  }

  /** Keeps what is typed in a title after its row has left. A note says so, unless it already says that of the text until then. */
  keepMore(text) {
    if (this.#composer.keepMore(this.#page.session.id, text))
      this.#notes.notify(composer.typedIsKept);
  }
}

/** A step that changes labels says which ones the person added and removed: those of others stay. */
function withItems(list, step) {
  if (step.set?.data?.labels === undefined) return step;
  const items = itemsBetween(list.tasks.get(step.task)?.data, step.set.data, ["labels"]);
  return items ? { ...step, items } : step;
}
