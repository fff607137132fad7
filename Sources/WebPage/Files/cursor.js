// The active row: keys act on it. It has the focus, or Tab moves the focus to it.
import { sectionKey } from "./client.js";

export class Cursor {
  key = null;
  #page;
  #canvas;
  /** Whether the row `key` replaces an active row that has left, until the person moves to a row. */
  #isReplacement = false;
  /** Whether the row `key` is above the place of the row that has left. */
  #isAbove = false;
  /** What the keys did before the row left: `moving` from row to row, `renaming`, or `choosing` (lifting, and in a menu). */
  #lost = null;

  constructor(page, canvas) {
    this.#page = page;
    this.#canvas = canvas;
    canvas.addEventListener("pointerdown", () => this.#found());
    canvas.addEventListener("focusout", ({ target }) => {
      const isWindow = document.activeElement === canvas; // the window has lost the focus
      if (target === canvas && !isWindow) this.#found();
    });
  }

  /**
   * Called when the rows have changed. If the active row has left, the row at its place becomes active: the next row that is still
   * there, else the one before.
   * @returns whether it has left. O(rows)
   */
  keepAmong(rows, before) {
    if (this.#page.indexOf(this.key, rows) >= 0) return false;
    const at = this.#page.indexOf(this.key, before);
    const there = new Set(rows.map((row) => row.key));
    const isThere = ({ key }) => there.has(key);
    const below = before.slice(at + 1).find(isThere);
    const above = before.slice(0, Math.max(0, at)).findLast(isThere);
    this.key = (below ?? above ?? rows[0])?.key ?? null;
    this.#isAbove = !below && above !== undefined;
    return at >= 0;
  }

  /** Moves to a row without focusing it. */
  activate(key) {
    this.#isReplacement = false;
    this.#page.details.follow(key);
    if (this.key === key) return;
    this.key = key;
    this.#page.rows.pinned.add(key);
    this.#page.rows.refresh();
  }

  focus(key) {
    const { rows } = this.#page;
    this.activate(key);
    rows.reveal(key);
    rows.element(key)?.focus({ preventScroll: true });
  }

  // MARK: After somebody else has removed the active row

  /** What keys do in the active row: `renaming`, `choosing` (a place for the lifted row), or `moving` to others. Null without the focus. */
  get doing() {
    const { rows } = this.#page;
    const { activeElement } = document;
    if (!rows.element(this.key)?.contains(activeElement)) return null;
    if (activeElement.matches(".rename")) return "renaming";
    return this.#page.isHeld(this.key) ? "choosing" : "moving";
  }

  /**
   * Somebody else has removed the active row. If it had the focus, the tree gets it: keys that are on their way must not act on
   * another row.
   * @param doing as before the removal
   * @param why a sentence
   */
  replaced(doing, why) {
    this.#isReplacement = true;
    if (doing === null || document.activeElement !== document.body) return;
    this.lose(doing);
    if (doing === "moving") this.#page.notify(why, { isQuiet: true });
  }

  /** Gives the focus to the tree, where keys do nothing until the person moves. @param doing what the keys did before */
  lose(doing) {
    this.#lost = doing;
    this.#canvas.tabIndex = -1;
    this.#canvas.focus({ preventScroll: true });
  }

  /** Gives the focus back to the active row. If that has left meanwhile, the tree gets it. */
  focusAgain() {
    if (this.#isReplacement) this.lose("moving");
    else if (this.key !== null) this.focus(this.key);
  }

  /** Whether the active row has left, and the person has not moved since. */
  get isLost() {
    return this.#lost !== null;
  }

  /** Whether a key was perhaps meant for the row that has left. A command such as Control+Z was not, unless it was typed in a title. */
  ignores(key) {
    return this.isLost && !(this.#lost === "moving" && key.startsWith("Control+"));
  }

  /** @returns whether the arrow keys were meant for a row: after Escape they are */
  mayMoveWhenLost(isEscape) {
    if (isEscape) this.#lost = "moving";
    return this.#lost === "moving";
  }

  /** @returns whether a key was perhaps meant for the title of the row. Enter and Escape end the title */
  mayTypeWhenLost(key) {
    if (this.#lost !== "renaming") return false;
    if (key === "Enter" || key === "Escape") this.#lost = "choosing";
    return true;
  }

  #found() {
    this.#lost = null;
    this.#canvas.removeAttribute("tabindex");
  }

  // MARK: Keys

  /** Moves by a number of rows. From the place of a row that has left, the first step leads to the row beside it. */
  go(by, isExtending = false) {
    const { plain, selected, rows } = this.#page;
    if (plain.length === 0) return true;
    let from = this.#page.indexOf(this.key);
    if (this.isLost && this.#isAbove && by < 0) from += 1;
    if (this.isLost && !this.#isAbove && by > 0) from -= 1;
    // On a board, up and down stay in the column.
    const [first, end] = rows.isBoard && from >= 0 ? rows.layout.column(from) : [0, plain.length];
    const to = plain[Math.max(first, Math.min(end - 1, from + by))];
    if (isExtending) selected.extend(plain, this.key, to.key);
    else selected.startAt(to);
    this.focus(to.key);
    return true;
  }

  /** Moves to the column beside, on a board. */
  goBeside(direction) {
    const { rows } = this.#page;
    const to = rows.layout.beside(rows.indexOf(this.key), direction);
    if (!to) return true;
    this.#page.selected.startAt(to);
    this.focus(to.key);
    return true;
  }

  #isFolded(task) {
    return task.children.length > 0 && this.#page.folding.isFolded(task);
  }

  /** Shows the subtasks, or moves to the first one. */
  open() {
    const task = this.#page.list.tasks.get(this.key);
    if (!task) return false;
    if (this.#isFolded(task)) this.#page.actions.fold(task);
    else {
      const { plain } = this.#page;
      const index = this.#page.indexOf(this.key);
      if (plain[index + 1]?.depth > plain[index].depth) this.focus(plain[index + 1].key);
    }
    return true;
  }

  /** Hides the subtasks, or moves to the parent. */
  close() {
    const task = this.#page.list.tasks.get(this.key);
    if (!task) return false;
    if (task.children.length > 0 && !this.#isFolded(task) && !this.#page.search.isOn)
      this.#page.actions.fold(task);
    else if (!task.parent.isSection) this.focus(task.parent.id);
    else if (task.parent.id !== null) this.focus(sectionKey(task.parent.id));
    return true;
  }
}
