// What a person does with the open list: steps, undo and redo, and what becomes of a step that is refused.
import { connection } from "./connection.js";
import { typedIn } from "./drafts.js";
import { isIndex } from "./list-order.js";
import { describe, names, quoted, reason } from "./words.js";

export class Acts {
  /** Whether a change that the person makes is being shown. */
  isActing = false;
  #page;
  #notes;
  #composer;

  /** @param composer keeps titles that were typed and could not be saved */
  constructor(page, notes, composer) {
    this.#page = page;
    this.#notes = notes;
    this.#composer = composer;
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
    const isDone = this.act(() => session.do(step));
    if (isDone) this.#notes.notify(text, { action: { label: "Undo", run: () => this.undo() } });
    return isDone;
  }

  /** Makes a step without a note. The note about an earlier step is hidden, because its “Undo” would take back this one. */
  doQuietly(step) {
    this.#notes.hide();
    this.act(() => this.#page.session.do(step));
  }

  undo() {
    const { session, mayEdit } = this.#page;
    if (!mayEdit || !session.canUndo || !this.act(() => session.undo())) return;
    this.#notes.notify("Undone.", { action: { label: "Redo", run: () => this.redo() } });
  }

  redo() {
    const { session, mayEdit } = this.#page;
    if (!mayEdit || !session.canRedo || !this.act(() => session.redo())) return;
    this.#notes.notify("Done again.", { action: { label: "Undo", run: () => this.undo() } });
  }

  /**
   * A list sends its pending steps even after the page shows another list. Its refusals are shown too. A title that a person typed
   * is kept in the field for new tasks.
   */
  #refused({ list: { id, tree }, step, tasks, code, detail }) {
    const what = tree?.tasks.has(tasks[0]) ? `${names(tree, tasks)}: ` : "";
    const typed = isIndex(id) ? undefined : typedIn(step);
    const kept = typed === undefined ? "" : ` ${this.keepText(typed, id, tree)}`;
    this.#notes.refused(`${what}${reason(code, detail)}${kept}`);
  }

  /** Keeps a typed title in the field for new tasks. @returns a sentence about it */
  keepText(text, id = this.#page.session.id, tree = this.#page.list) {
    this.#composer.keep(id, text);
    const where = id === this.#page.session?.id ? "" : ` of ${quoted(tree?.settings.title)}`;
    return `${quoted(text)} is kept in the field for new tasks${where}.`;
  }
}
