// One list on the page: ties together the list and its server, the rows, dragging and editing.
import { Composer } from "./composer.js";
import { Drag } from "./drag.js";
import { Drags } from "./drags.js";
import { Keys } from "./keys.js";
import { sectionKey } from "./list.js";
import { Lift } from "./places.js";
import { renameInPlace } from "./rename.js";
import { makeRow, updateRow } from "./row.js";
import { Rows } from "./rows.js";
import { Session } from "./session.js";
import { describe, names, quoted, reason } from "./steps.js";

const tellsNothing = new Set(["collapse"]);

export class ListPage {
  mode = "view";
  isSelecting = false;
  selected = new Set();
  activeKey = null;
  #parts;
  #notes;
  #session = null;
  #drags = null;
  #drag;
  #keys;
  #composer;
  #dialog;
  #plain = [];
  #selectionStart = null;

  /** @param parts the elements of the page by their names */
  constructor(parts, notes, dialog) {
    this.#parts = parts;
    this.#notes = notes;
    this.#dialog = dialog;
    const { scroller, canvas } = parts;
    this.rows = new Rows(scroller, canvas, {
      make: makeRow, update: (made, row, index) => updateRow(made, row, index, this),
    });
    this.#drag = new Drag(this, scroller);
    this.#keys = new Keys(this, canvas);
    this.#composer = new Composer(parts, this);
    parts.undo.addEventListener("click", () => this.undo());
    parts.edit.addEventListener("click", () => this.#setMode(this.mode === "edit" ? "view" : "edit"));
    parts.select.addEventListener("click", () => this.#setSelecting(!this.isSelecting));
    parts.deleteSelected.addEventListener("click", () => this.delete());
    parts.settings.addEventListener("click", () => dialog.open(this.#session));
    canvas.addEventListener("click", (event) => this.#click(event));
    canvas.addEventListener("dblclick", (event) => {
      const row = event.target.closest("[data-key]");
      if (row && event.target.matches(".title")) this.rename(row.dataset.key);
    });
    canvas.addEventListener("focusin", (event) => {
      const row = event.target.closest("[data-key]");
      if (row) this.activate(row.dataset.key);
    });
    document.addEventListener("keydown", (event) => {
      const key = event.ctrlKey || event.metaKey ? event.key.toLowerCase() : "";
      if (!["z", "y"].includes(key) || event.target.matches("input, textarea") || parts.main.hidden) return;
      event.preventDefault();
      if (key === "y" || event.shiftKey) this.redo();
      else this.undo();
    });
  }

  get list() { return this.#session.list; }
  /** How far a subtask is set in, in pixels. */
  get indent() {
    return parseFloat(getComputedStyle(this.#parts.canvas).getPropertyValue("--indent")) || 28;
  }

  // MARK: Which list

  show(id) {
    this.hide();
    this.#parts.main.hidden = false;
    this.#parts.title.textContent = "";
    const session = new Session(id);
    this.#session = session;
    this.#drags = new Drags(session);
    session.addEventListener("change", () => this.#changed());
    session.addEventListener("state", () => this.#showState());
    session.addEventListener("refused", ({ detail }) => this.#refused(detail));
    this.#drags.addEventListener("change", () => this.arrange());
    this.#showState();
    session.start();
  }

  hide() {
    this.#drag.cancel();
    this.#session?.stop();
    this.#session = null;
    this.#drags?.stop();
    this.selected.clear();
    this.activeKey = null;
    this.#plain = [];
    this.#setMode("view");
    this.rows.show([]);
    this.#parts.scroller.scrollTop = 0;
    this.#parts.main.hidden = true;
  }

  #changed() {
    const { list } = this.#session;
    this.#parts.title.textContent = list.settings.title;
    document.title = list.settings.title || "Untitled";
    this.#parts.canvas.setAttribute("aria-label", list.settings.title || "Untitled");
    const before = this.#plain;
    this.#plain = list.rows();
    const hadFocus = this.rows.element(this.activeKey)?.contains(document.activeElement);
    this.#keepActive(before);
    for (const key of this.selected) if (!list.tasks.has(key)) this.selected.delete(key);
    const relift = (lift) => (
      lift.tasks.every((id) => list.tasks.has(id)) && this.#plain.some((row) => row.key === lift.head)
        ? new Lift(list, this.#plain, lift.ids, lift.head) : null);
    this.#drag.relift(relift);
    this.#keys.relift(relift);
    this.arrange({ isKept: true });
    if (hadFocus && document.activeElement === document.body) this.focus(this.activeKey);
    this.#composer.update();
  }

  /** One row can always be reached with Tab; where it is gone, the one that came into its place. */
  #keepActive(before) {
    if (this.#plain.some((row) => row.key === this.activeKey)) return;
    const index = Math.max(0, before.findIndex((row) => row.key === this.activeKey));
    this.activeKey = this.#plain[Math.min(index, this.#plain.length - 1)]?.key ?? null;
  }

  #showState() {
    const session = this.#session;
    if (!session) return;
    const { state, waiting } = session;
    const texts = {
      loading: "Loading…", live: waiting > 0 ? "Saving…" : "Live", gone: "There is no such list",
      offline: waiting > 0 ? `Offline, ${waiting} waiting` : "Offline",
    };
    const { main, state: shown, undo } = this.#parts;
    main.dataset.state = state;
    main.dataset.waiting = waiting;
    if (shown.textContent !== texts[state]) shown.textContent = texts[state];
    undo.disabled = !session.canUndo;
    if (state === "gone" && this.#plain.length > 0) {
      this.#drag.cancel();
      this.#keys.cancel();
      this.#plain = [];
      this.#setMode("view");
    }
    this.#parts.empty.hidden = state === "gone" || !session.list || this.#plain.length > 0;
    this.#parts.gone.hidden = state !== "gone";
  }

  // MARK: Steps

  do(step) {
    const text = tellsNothing.has(step.kind) ? null : describe(this.list, step);
    const isDone = this.#session.do(step);
    if (isDone && text) this.tell(text, { action: { label: "Undo", run: () => this.undo() } });
    return isDone;
  }

  undo() {
    if (!this.#session?.canUndo) return;
    this.#session.undo();
    this.tell(this.#session.state === "offline" ? "Undone as soon as the server is back." : "Undone.",
      { action: { label: "Redo", run: () => this.redo() } });
  }

  redo() {
    if (!this.#session?.canRedo) return;
    this.#session.redo();
    this.tell("Done again.", { action: { label: "Undo", run: () => this.undo() } });
  }

  tell(text, options) { this.#notes.tell(text, options); }

  #refused({ step, code, detail }) {
    const what = step.tasks && this.list.tasks.has(step.tasks[0]) ? `${names(this.list, step.tasks)}: ` : "";
    this.tell(`${what}${reason(code, detail)}`);
  }

  delete(key) {
    const tasks = key === undefined || this.selected.has(key) ? [...this.selected] : [key];
    if (tasks.length === 0) return;
    const row = this.#plain.find((one) => one.key === tasks[0]);
    if (row?.kind === "section") {
      this.do({ kind: "section-delete", section: row.section.id });
    } else if (this.do({ kind: "delete", tasks })) {
      this.selected.clear();
    }
    this.arrange();
  }

  // MARK: Showing

  /** Shows the rows as they are now: with a blank where something is dragged, and others' ghosts. */
  arrange(options) {
    if (!this.#session?.list) return;
    const source = [this.#drag, this.#keys].find((one) => one.lift);
    const rows = source ? source.arrange() : this.#plain;
    this.rows.pinned = new Set([this.activeKey, source?.lift.head].filter(Boolean));
    this.rows.held = source?.lift.head ?? null;
    this.#parts.canvas.setAttribute("aria-rowcount", rows.length);
    // What is held is placed by the rows as they are without ghosts.
    this.rows.show(source ? rows : this.#drags.withGhosts(rows, this.list), options);
    this.#showSelection();
    this.#showState();
  }

  isLifted(key) { return this.#drag.isHiding(key); }
  isHeld(key) { return Boolean(this.#keys.lift?.keys.has(key)); }
  isDraggedElsewhere(key) { return this.#drags.has(key); }

  // MARK: Lifting

  /** Lifts a row, and those that are selected with it. Null for what is no task. */
  makeLift(key) {
    if (!this.list?.tasks.has(key)) return null;
    this.#keys.cancel();
    const ids = this.selected.has(key) ? [...this.selected] : [key];
    const lift = new Lift(this.list, this.#plain, ids, key);
    return lift;
  }

  liftStarted(lift) {
    this.#notes.hide();
    this.#drags.started(lift.tasks);
    this.#drags.hovered(lift.place(lift.start.index, lift.start.depth));
    this.activate(lift.head);
    this.#parts.main.dataset.dragging = "";
  }

  hovered(place) { this.#drags.hovered(place); }

  liftEnded() {
    this.#drags.ended();
    delete this.#parts.main.dataset.dragging;
  }

  dropped(lift, place) {
    delete this.#parts.main.dataset.dragging;
    if (lift.isStart(place)) this.tell("Put back where it was.", { isQuiet: true });
    else this.do({ kind: "move", tasks: lift.tasks, to: place.to, drag: this.#drags.dropped() });
    this.#drags.ended();
  }

  // MARK: Going about

  activate(key) {
    if (this.activeKey === key) return;
    this.activeKey = key;
    this.rows.pinned.add(key);
    this.rows.refresh();
  }

  focus(key) {
    this.activate(key);
    this.rows.reveal(key);
    this.rows.element(key)?.focus({ preventScroll: true });
  }

  go(key, by, isExtending = false) {
    const from = this.#plain.findIndex((row) => row.key === key);
    const to = this.#plain[Math.max(0, Math.min(this.#plain.length - 1, from + by))];
    if (isExtending) {
      this.#selectionStart ??= key;
      this.#selectBetween(this.#selectionStart, to.key);
    } else {
      this.#selectionStart = null;
    }
    this.focus(to.key);
    return true;
  }

  open(key) {
    const task = this.list.tasks.get(key);
    if (!task) return false;
    if (task.collapsed && task.children.length > 0) this.fold(task);
    else if (task.children.length > 0) this.focus(task.children[0].id);
    return true;
  }

  close(key) {
    const task = this.list.tasks.get(key);
    if (!task) return false;
    if (!task.collapsed && task.children.length > 0) this.fold(task);
    else if (!task.parent.isSection) this.focus(task.parent.id);
    else if (task.parent.id !== null) this.focus(sectionKey(task.parent.id));
    return true;
  }

  fold(task) {
    const { collapsed } = task;
    this.do({ kind: "collapse", task: task.id, collapsed: !collapsed });
    this.tell(collapsed ? `${quoted(task.title)} unfolded` : `${quoted(task.title)} folded`, { isQuiet: true });
  }

  rename(key) {
    const row = this.#plain.find((one) => one.key === key);
    if (!row || this.#drag.lift) return;
    this.rows.reveal(key);
    const { title } = row.task ?? row.section;
    renameInPlace(this.rows.element(key), title, (text) => {
      if (text !== undefined && text !== title) {
        this.do(row.task
          ? { kind: "update", task: row.task.id, set: { title: text } }
          : { kind: "section-rename", section: row.section.id, title: text });
      }
      this.arrange();
    }, (text) => this.tell(text));
  }

  // MARK: Selecting

  toggleSelected(key) {
    if (!this.list.tasks.has(key)) return;
    if (!this.selected.delete(key)) this.selected.add(key);
    this.#selectionStart = key;
    this.arrange();
  }

  clearSelection() {
    if (this.selected.size === 0) return false;
    this.selected.clear();
    this.arrange();
    return true;
  }

  #selectBetween(one, other) {
    const indices = [one, other].map((key) => this.#plain.findIndex((row) => row.key === key));
    const [from, to] = indices.sort((left, right) => left - right);
    const between = this.#plain.slice(from, to + 1).filter((row) => row.task).map((row) => row.key);
    this.selected = new Set(between);
    this.arrange();
  }

  #showSelection() {
    const { size } = this.selected;
    const { selection, deleteSelected, bar } = this.#parts;
    selection.textContent = size > 0 ? `${size} selected` : "";
    deleteSelected.hidden = size === 0;
    bar.classList.toggle("selecting", this.isSelecting || size > 0);
  }

  #setMode(mode) {
    this.mode = mode;
    const { main, edit } = this.#parts;
    main.dataset.mode = mode;
    edit.textContent = mode === "edit" ? "Done" : "Edit";
    edit.setAttribute("aria-pressed", String(mode === "edit"));
    this.#setSelecting(false);
  }

  #setSelecting(isSelecting) {
    this.isSelecting = isSelecting;
    if (!isSelecting) this.selected.clear();
    this.#parts.main.dataset.selecting = isSelecting;
    this.#parts.select.setAttribute("aria-pressed", String(isSelecting));
    this.arrange();
  }

  // MARK: Clicks

  #click(event) {
    const made = event.target.closest("[data-key]");
    if (!made || event.target.closest("textarea")) return;
    const { key } = made.dataset;
    const row = this.#plain.find((one) => one.key === key);
    if (!row) return;
    const button = event.target.closest("button");
    if (button) {
      if (row.task) this.#pressOnTask(button, row.task);
      else this.#pressOnSection(button, row.section);
      return;
    }
    if (row.task && event.shiftKey) {
      this.#selectionStart ??= this.activeKey ?? key;
      this.#selectBetween(this.#selectionStart, key);
    } else if (row.task && (event.ctrlKey || event.metaKey || this.isSelecting)) {
      this.toggleSelected(key);
    } else if (this.mode === "edit" && event.target.matches(".title")) {
      this.rename(key);
      return;
    } else {
      this.clearSelection();
      this.#selectionStart = key;
    }
    this.focus(key);
  }

  #pressOnTask(button, task) {
    const { classList } = button;
    if (classList.contains("fold")) this.fold(task);
    else if (classList.contains("tick")) {
      if (this.isSelecting) this.toggleSelected(task.id);
      else this.do({ kind: "update", task: task.id, set: { done: !task.done } });
    } else if (classList.contains("delete")) this.delete(task.id);
    else if (classList.contains("add")) this.#composer.addTo({ task });
  }

  #pressOnSection({ classList }, section) {
    const position = this.list.sections.indexOf(section);
    const move = (by) => this.do({ kind: "section-move", section: section.id, position: position + by });
    if (classList.contains("delete")) this.delete(sectionKey(section.id));
    else if (classList.contains("up")) move(-1);
    else if (classList.contains("down")) move(1);
    else if (classList.contains("add")) this.#composer.addTo({ section });
  }
}
