// One list on the page: connects its session, the rows, dragging and editing.
import { Actions } from "./actions.js";
import { Clicks } from "./clicks.js";
import { Composer } from "./composer.js";
import { connection } from "./connection.js";
import { Cursor } from "./cursor.js";
import { Drag } from "./drag.js";
import { Ghosts, visibleDrags } from "./ghosts.js";
import { Goal } from "./goal.js";
import { Keys } from "./keys.js";
import { Lifting } from "./lifting.js";
import { RowMenu } from "./menu.js";
import { makeRow, updateRow, withAdders } from "./row.js";
import { Rows } from "./rows.js";
import { Search } from "./search.js";
import { Selection } from "./selection.js";
import { Status } from "./status.js";
import { describe, names, reason } from "./words.js";

const mostViews = 100;

export class ListPage {
  mode = "view";
  selected;
  search;
  actions;
  menu;
  cursor = new Cursor(this);
  goal = new Goal(this);
  /** The rows of the list, without the blank: all and those that add tasks, or those that a search finds. */
  plain = [];
  /** The open list (`SyncedList`). */
  session = null;
  #parts;
  #notes;
  #dialog;
  #drags = null;
  /** They end the page's interest in the session's events. */
  #stops = [];
  #lifting = new Lifting(this);
  #drag;
  #keys;
  #composer;
  #status;
  #ghosts;
  #moveDialog;
  #shortcuts = document.querySelector("dialog.shortcuts");
  #index;
  /** Whether the rows of the open list are shown. */
  #isShown = false;
  /** The last view of each list, so that Back shows it again. */
  #views = new Map();
  /** A new list: when it is loaded, the person adds its first task. */
  #newList = null;

  /**
   * @param parts the elements of the page by their names
   * @param index the index of all lists
   * @param moveDialog asks for another list
   */
  constructor(parts, notes, dialog, index, moveDialog) {
    this.#parts = parts;
    this.#index = index;
    this.#notes = notes;
    this.#dialog = dialog;
    this.#moveDialog = moveDialog;
    const { scroller, canvas, mover } = parts;
    this.rows = new Rows(scroller, canvas, {
      make: makeRow,
      update: (made, row, index) => updateRow(made, row, index, this),
      placed: () => this.#ghosts.place(),
    });
    this.#ghosts = new Ghosts(this.rows, parts.ghosts);
    this.selected = new Selection(parts, () => this.arrange());
    this.search = new Search(parts, this);
    this.actions = new Actions(this, moveDialog);
    this.#drag = new Drag(this, this.#lifting, scroller);
    this.#keys = new Keys(this, this.#lifting, canvas, mover);
    this.#composer = new Composer(parts, this);
    this.#status = new Status(parts, notes);
    connection.on("refused", (refused) => this.#refused(refused));
    new Clicks(this, this.#keys, this.#composer, canvas);
    this.menu = new RowMenu(this, this.#composer, parts.menu, parts.main);
    parts.undo.addEventListener("click", () => this.undo());
    parts.edit.addEventListener("click", () =>
      this.#setMode(this.mode === "edit" ? "view" : "edit"),
    );
    parts.deleteSelected.addEventListener("click", () => this.actions.delete());
    parts.settings.addEventListener("click", () => this.list && dialog.open(this));
    document.addEventListener("keydown", (event) => this.#keyAnywhere(event));
    document.addEventListener("keydown", (event) => {
      const key = event.ctrlKey || event.metaKey ? event.key.toLowerCase() : "";
      if (!["z", "y"].includes(key) || event.target.matches("input, textarea") || parts.main.hidden)
        return;
      event.preventDefault();
      if (key === "y" || event.shiftKey) this.redo();
      else this.undo();
    });
  }

  /** The keys that work wherever the focus is, except in fields and dialogs. */
  #keyAnywhere(event) {
    const isCommand = event.ctrlKey || event.metaKey;
    const { searchText } = this.#parts;
    // The browser's own search finds only the rows in the window. With a second Ctrl+F it opens nevertheless.
    if (isCommand && event.key === "f" && this.list && event.target !== searchText) {
      if (document.querySelector("dialog:modal")) return;
      event.preventDefault();
      this.search.open();
      return;
    }
    const isPlain = !isCommand && !event.altKey && !event.defaultPrevented;
    if (!isPlain || !this.list || event.target.matches("input, textarea, dialog, dialog *")) return;
    if (event.key === "?") this.#shortcuts.showModal();
    else if (event.key === "/") this.search.open();
    else if (event.key === "n" || event.key === "N") this.#composer.addTo(null);
    else return;
    event.preventDefault();
  }

  get list() {
    return this.session?.tree ?? null;
  }

  // MARK: Changing the list

  show(id) {
    this.hide();
    this.#parts.main.hidden = false;
    this.#showTitle(this.#index.titleOf(id));
    const session = connection.list(id);
    this.session = session;
    this.search.reset(id);
    this.#drags = session.drags;
    this.#stops = [
      session.on("change", () => this.#changed()),
      session.on("state", () => this.#showState()),
      session.on("drags", () => this.arrange({ isKept: true })),
    ];
    this.#showState();
    if (this.list) this.#changed();
  }

  hide() {
    const { canvas } = this.#parts;
    if (canvas.contains(document.activeElement)) document.activeElement.blur(); // ends the editing of a title
    if (this.list) this.#keepView();
    // Otherwise the dialog and the note's button would act on the next list.
    this.#dialog.close();
    this.#shortcuts.close();
    this.#moveDialog.close();
    this.menu?.close();
    this.#notes.hide();
    this.#drag.cancel();
    this.#lifting.cancel();
    for (const stop of this.#stops) stop();
    this.session?.close();
    this.session = null;
    this.cursor.key = null;
    this.plain = [];
    this.#isShown = false;
    this.#composer.reset();
    this.#setMode("view");
    this.#status.reset();
    this.rows.show([]);
    this.#ghosts.show([]);
    this.#parts.scroller.scrollTop = 0;
    this.#parts.main.hidden = true;
  }

  #changed() {
    const { list } = this;
    const title = list.settings.title || "Untitled";
    this.#showTitle(title);
    this.#parts.canvas.setAttribute("aria-label", title);
    this.#index.update(list.id, list.settings.title, list.tasks.size);
    const before = this.plain;
    const isFirst = !this.#isShown;
    this.#isShown = true;
    const rows = this.search.rows(list);
    this.plain = this.search.isOn ? rows : withAdders(rows);
    const hadFocus = this.rows.element(this.cursor.key)?.contains(document.activeElement);
    this.cursor.keepAmong(this.plain, before);
    this.selected.keepThoseIn(list);
    this.#lifting.relift();
    this.arrange({ isKept: true });
    this.#lifting.rearranged();
    if (hadFocus && document.activeElement === document.body) this.cursor.focus(this.cursor.key);
    this.#composer.update();
    if (isFirst) this.#opened();
    this.goal.reach();
  }

  #showTitle(title) {
    this.#parts.title.textContent = title;
    document.title = title;
  }

  /** Called when other rows of the list are to be shown. */
  filterChanged() {
    if (!this.list) return;
    this.#lifting.cancel();
    this.selected.clear();
    this.#parts.scroller.scrollTop = 0;
    this.#changed();
    if (!this.search.isOn && this.cursor.key) this.rows.reveal(this.cursor.key);
  }

  /** Called when a list is loaded and shown for the first time after it was opened. */
  #opened() {
    const { id } = this.session;
    const view = this.#views.get(id);
    if (view) this.rows.scrollTo(view);
    if (this.#newList !== id) return;
    this.#newList = null;
    this.#composer.addTo(null);
  }

  #keepView() {
    const { id } = this.session;
    this.#views.delete(id);
    this.#views.set(id, this.rows.view);
    if (this.#views.size > mostViews) this.#views.delete(this.#views.keys().next().value);
  }

  /** Opens a new list, and lets the person add tasks to it. */
  begin(id) {
    this.#newList = id;
    location.hash = id;
  }

  #showState() {
    const session = this.session;
    if (!session) return;
    this.#status.show(session);
    const isGone = session.state === "gone";
    if (isGone && this.plain.length > 0) {
      this.#lifting.cancel();
      this.plain = [];
      this.#setMode("view");
    }
    const { tree } = session;
    if (isGone && !tree) this.#showTitle("Unknown list");
    this.#parts.empty.hidden = isGone || !tree || tree.tasks.size + tree.sections.length > 0;
    this.#parts.gone.hidden = !isGone;
  }

  // MARK: Steps

  do(step) {
    const text = describe(this.list, step);
    const isDone = this.session.do(step);
    if (isDone) this.notify(text, { action: { label: "Undo", run: () => this.undo() } });
    return isDone;
  }

  undo() {
    if (!this.session?.canUndo) return;
    if (!this.session.undo()) return;
    this.notify("Undone.", { action: { label: "Redo", run: () => this.redo() } });
  }

  redo() {
    if (!this.session?.canRedo) return;
    if (!this.session.redo()) return;
    this.notify("Done again.", { action: { label: "Undo", run: () => this.undo() } });
  }

  notify(text, options) {
    this.#notes.notify(text, options);
  }

  /** A list sends its pending steps even after the page shows another list. Its refusals are shown too. */
  #refused({ list: { tree }, tasks, code, detail }) {
    const what = tree?.tasks.has(tasks[0]) ? `${names(tree, tasks)}: ` : "";
    this.notify(`${what}${reason(code, detail)}`);
  }

  // MARK: Showing

  /** Shows the current rows, with a gap for the lifted rows, or with marks for other clients' drags. */
  arrange(options) {
    if (!this.list) return;
    const { lift } = this.#lifting;
    this.rows.pinned = new Set([this.cursor.key, lift?.head].filter(Boolean));
    this.rows.held = lift?.head ?? null;
    if (lift) this.rows.show(lift.rest, { ...options, gap: this.#lifting.gap });
    else this.rows.show(this.plain, options);
    // While rows are lifted, ghosts are not shown, because their places are between other rows.
    this.#ghosts.show(lift ? [] : visibleDrags(this.#drags.others, this.plain, this.list));
    this.selected.show();
    this.#showState();
  }

  get isLifting() {
    return this.#lifting.lift !== null;
  }
  /** The other list under the pointer: a drop moves tasks to it. */
  listAt(x, y) {
    return this.#index.at(x, y);
  }
  isLifted(key) {
    return this.#drag.isHiding(key);
  }
  isHeld(key) {
    return this.#keys.isHolding(key);
  }
  /** Another person's drag of this row. */
  dragElsewhere(key) {
    return this.#drags.of(key);
  }
  /** Whether a drop would make the lifted rows subtasks of this row. */
  isOnto(key) {
    return this.#drag.isOnto(key);
  }

  // MARK: Lifting

  liftStarted(lift, place) {
    this.#notes.hide();
    this.#drags.started(lift.tasks);
    this.#drags.hovered(place);
    this.cursor.activate(lift.head);
    this.#parts.main.dataset.dragging = "";
  }

  hovered(place) {
    this.#drags.hovered(place);
  }

  /** Applies the step of a drop. */
  dropped(step) {
    this.do({ ...step, drag: this.#drags.dropped() });
  }

  liftEnded() {
    this.#drags.ended();
    delete this.#parts.main.dataset.dragging;
  }

  #setMode(mode) {
    this.mode = mode;
    const { main, edit } = this.#parts;
    main.dataset.mode = mode;
    edit.textContent = mode === "edit" ? "Done" : "Edit";
    edit.setAttribute("aria-pressed", String(mode === "edit"));
    this.selected.turn(false);
  }
}
