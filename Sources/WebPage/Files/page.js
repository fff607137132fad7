// One list on the page: connects its session, the rows, dragging and editing.
import { Actions } from "./actions.js";
import { Acts } from "./acts.js";
import { Board } from "./board.js";
import { Clicks } from "./clicks.js";
import { Composer } from "./composer.js";
import { connection } from "./connection.js";
import { Cursor } from "./cursor.js";
import { Details } from "./details.js";
import { direct, directionOf } from "./direction.js";
import { Drag } from "./drag.js";
import { Folding } from "./folding.js";
import { Ghosts, visibleDrags } from "./ghosts.js";
import { Goal } from "./goal.js";
import { Keys } from "./keys.js";
import { words } from "./language.js";
import { Lifting } from "./lifting.js";
import { Later } from "./loading.js";
import { rights } from "./rights.js";
import { adderOf, makeRow, moveRow, updateRow } from "./row.js";
import { Rows } from "./rows.js";
import { Search } from "./search.js";
import { Selection } from "./selection.js";
import { Shortcuts } from "./shortcuts.js";
import { Status } from "./status.js";
import { ListTitle } from "./title.js";
import { Views } from "./views.js";
import { whyGone } from "./words.js";

/** The dialogs that are open for the list. */
const aboutList =
  "dialog[open]:is(.settings, .section, .confirm, .history, .share, .choose, .date, .shortcuts)";

export class ListPage {
  mode = "view";
  selected;
  search;
  acts;
  actions;
  /** The menu at the title (`PopupMenu`), after it was loaded. */
  listMenu = null;
  board;
  /** The menu of a row (`RowMenu`). */
  menu;
  cursor;
  goal = new Goal(this);
  details = new Details(this);
  folding = new Folding(this);
  /** The rows of the list, without the blank: all and those that add tasks, or those that a search finds. */
  plain = [];
  /** The open list (`SyncedList`). */
  session = null;
  #parts;
  #notes;
  /** They end the page's interest in the session's events. */
  #stops = [];
  #lifting = new Lifting(this);
  #drag;
  #keys;
  #composer;
  #status;
  #ghosts;
  #title;
  #index;
  /** Whether the rows of the open list are shown. */
  #isShown = false;
  /** Whether the open list does not exist. */
  #isGone = false;
  #views;
  /** A new list: when it is loaded, the person adds its first task. */
  #newList = null;

  /**
   * @param parts the elements of the page by their names
   * @param dialogs `confirming`, `move` (asks for another list), `field`, and the element of `shortcuts`
   * @param index the index of all lists
   */
  constructor(parts, notes, dialogs, index) {
    this.#parts = parts;
    this.#index = index;
    this.#notes = notes;
    const { scroller, canvas, mover } = parts;
    this.cursor = new Cursor(this, canvas);
    this.rows = new Rows(scroller, canvas, {
      make: makeRow,
      update: (made, row, index) => updateRow(made, row, index, this),
      moved: (made, row, index) => moveRow(made, row, index, this),
      placed: () => {
        this.#ghosts.place();
        this.#composer?.scrolled();
      },
    });
    this.#views = new Views(this.rows);
    this.board = new Board(this, parts);
    this.#ghosts = new Ghosts(this.rows, parts.ghosts);
    this.selected = new Selection(parts, this);
    this.search = new Search(parts, this);
    const choice = this.#later("PlaceChoice", words.list.unmovable, dialogs.move);
    this.actions = new Actions(this, choice, dialogs.field);
    this.#drag = new Drag(this, this.#lifting, scroller);
    this.#keys = new Keys(this, this.#lifting, canvas, mover);
    this.#composer = new Composer(parts, this);
    parts.newColumn.addEventListener("click", () => this.#composer.beginSection());
    this.#status = new Status(parts, notes, dialogs.confirming);
    this.#title = new ListTitle(parts, this);
    this.acts = new Acts(this, notes, this.#composer, index);
    index.page = this;
    new Clicks(this, this.#keys, this.#composer, canvas);
    this.menu = this.#later("RowMenu", words.detail.notLoaded, this.#composer, parts.menu);
    parts.undo.addEventListener("click", () => this.acts.undo());
    parts.redo.addEventListener("click", () => this.acts.redo());
    parts.edit.addEventListener("click", () =>
      this.#setMode(this.mode === "edit" ? "view" : "edit"),
    );
    new Shortcuts(this, this.#composer, parts, dialogs);
    rights.addEventListener("changed", () => this.#rightsChanged());
    for (const event of ["storage", "undo"]) connection.on(event, () => this.showState());
  }

  get list() {
    return this.session?.tree ?? null;
  }

  // MARK: Changing the list

  show(id) {
    this.hide();
    this.#parts.main.hidden = false;
    this.#title.show(this.#index.titleOf(id));
    const session = connection.list(id);
    this.session = session;
    this.board.open(id);
    this.search.reset(id);
    this.#composer.show(id);
    this.#stops = [
      session.on("change", () => {
        this.search.forgetRows();
        this.changed();
      }),
      session.on("state", () => this.showState()),
      session.on("drags", () => this.arrange({ anchors: this.rows.anchors })),
    ];
    this.showState();
    this.#showRights();
    if (this.list) this.changed();
  }

  hide() {
    this.#notes.hide();
    this.#endEditing(); // a note can say that something was not saved
    if (this.list) this.#views.keep(this.session.id);
    this.#notes.hideAction(); // it would act on the next list
    for (const stop of this.#stops) stop();
    this.session?.close();
    this.session = null;
    this.cursor.key = null;
    this.plain = [];
    this.#isShown = false;
    this.folding.reset();
    this.#status.reset();
    this.rows.show([]);
    this.#ghosts.show([]);
    this.#parts.scroller.scrollTo(0, 0);
    this.#parts.main.hidden = true;
  }

  /** Ends what the person has begun on this list. */
  #endEditing() {
    document.querySelector(".rename")?.blur(); // saves a title that is being edited, if the list exists
    for (const dialog of document.querySelectorAll(aboutList)) dialog.close();
    this.menu?.made?.close();
    this.details.end();
    this.listMenu?.close();
    this.#drag.cancel();
    this.#lifting.cancel();
    this.#setMode("view");
  }

  /** The index of a row; -1 if it is not shown. The row of a task is nearly always the same object, so it is found fast. */
  indexOf(key, rows = this.plain) {
    const index = rows.indexOf(this.list?.tasks.get(key)?.row);
    return index >= 0 ? index : rows.findIndex((one) => one.key === key);
  }

  /** The row with this key; undefined if it is not shown. */
  row(key) {
    return this.plain[this.indexOf(key)];
  }

  /**
   * Called when the list, or what is shown of it, has changed.
   * @param isRevealing whether the active row is scrolled into view
   */
  changed({ isRevealing = false } = {}) {
    if (this.#isGone) return;
    const { list } = this;
    // Later, the browser would have to lay out the page for them.
    const { anchors } = this.rows;
    const title = list.settings.title || words.common.untitled;
    this.#title.show(title);
    this.#parts.canvas.setAttribute("aria-label", title);
    this.#index.update(list);
    const before = this.plain;
    const isFirst = !this.#isShown;
    this.#isShown = true;
    // A list without sections has the field below.
    const hasAdders = list.sections.length > 0 && this.mayEdit;
    this.plain = this.search.rows(list, hasAdders ? adderOf : undefined);
    direct(this.#parts.main, directionOf(list));
    const { key, doing } = this.cursor;
    const hasLeft = this.cursor.keepAmong(this.plain, before);
    this.selected.keepThoseIn(list);
    this.#lifting.relift();
    this.arrange({ anchors, revealed: isRevealing ? this.cursor.key : null });
    this.#lifting.rearranged();
    const active = hasLeft ? before[this.indexOf(key, before)] : undefined;
    if (hasLeft && !this.acts.isActing) this.cursor.replaced(doing, whyGone(list, active));
    else if (doing && document.activeElement === document.body) this.cursor.focus(this.cursor.key);
    this.menu.made?.keepThoseIn(list);
    this.actions.keepThoseIn(list);
    this.#composer.update();
    if (isFirst) this.#opened();
    this.actions.renameAgain(this.#title);
    this.details.keepThoseIn(list);
    this.goal.reach();
  }

  /** Called when other rows of the list are to be shown. */
  filterChanged() {
    if (!this.list) return;
    this.#lifting.cancel();
    this.selected.clear();
    this.#parts.scroller.scrollTop = 0;
    this.acts.act(() => this.changed({ isRevealing: !this.search.isOn }));
  }

  /** Called when a list is loaded and shown for the first time after it was opened. */
  #opened() {
    const { id } = this.session;
    this.#views.show(id);
    if (this.#newList !== id) return;
    this.#newList = null;
    this.#composer.addTo(null);
  }

  /** Opens a new list, and lets the person add tasks to it. */
  begin(id) {
    this.#newList = id;
    location.hash = id;
  }

  /** Called when something has changed that the header shows. */
  showState() {
    if (!this.session) return;
    this.#status.show(this.session, this.acts);
    const isGone = this.session.state === "gone";
    if (isGone === this.#isGone) return;
    this.#isGone = isGone;
    this.#showRights();
    if (!isGone) return;
    this.plain = [];
    this.#endEditing();
    if (!this.list) this.#title.show(words.list.unknown);
  }

  // MARK: What the token allows

  get mayEdit() {
    const isEnded = document.body.dataset.view === "ended";
    return this.session !== null && !isEnded && !this.#isGone && rights.mayWrite(this.session.id);
  }

  #rightsChanged() {
    if (!this.session) return;
    if (!this.mayEdit) {
      this.#lifting.cancel(null);
      this.#setMode("view");
    }
    this.folding.reset();
    this.search.forgetRows();
    this.#showRights();
    if (this.list) this.changed();
  }

  #showRights() {
    this.#parts.main.dataset.readonly = !this.mayEdit;
    this.#parts.empty.lastElementChild.hidden = !this.mayEdit;
    this.#title.update(this.mayEdit);
  }

  // MARK: Steps

  do(step) {
    this.search.stay(step);
    return this.acts.do(step);
  }

  notify(text, options) {
    this.#notes.notify(text, options);
  }

  /** Shows why a title can't be saved. @param typed the title, if its field has gone: it is kept */
  complain = (why, typed) => {
    this.notify(typed === undefined ? why : `${why} ${this.acts.keepText(typed)}`);
  };

  /** Lets the person type the title of a task. */
  beginTask() {
    this.#composer.addTo(null);
  }

  /** Lets the person type the title of a section. */
  beginSection() {
    this.#composer.beginSection();
  }

  /** @param why it can't be loaded */
  #later(name, why, ...parameters) {
    return new Later(() => this.notify(why), name, this, ...parameters);
  }

  // MARK: Showing

  /**
   * Shows the current rows, with a gap for the lifted rows, or with marks for other clients' drags.
   * @param options as for `Rows.show`
   */
  arrange(options) {
    if (!this.list) return;
    const { lift } = this.#lifting;
    this.rows.pinned = new Set([this.cursor.key, lift?.head].filter(Boolean));
    this.rows.held = lift?.head ?? null;
    if (lift) this.rows.show(lift.rest, { ...options, gap: this.#lifting.gap });
    else this.rows.show(this.plain, options);
    // While rows are lifted, ghosts are not shown, because their places are between other rows.
    this.#ghosts.show(lift ? [] : visibleDrags(this.session.drags.others, this));
    this.selected.show();
    this.showState();
  }

  /** Whether the list is written from right to left. */
  get isRightToLeft() {
    return this.#parts.main.dir === "rtl";
  }
  stopLifting() {
    this.#lifting.cancel();
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
    return this.session.drags.of(key);
  }
  /** Whether a drop would make the lifted rows subtasks of this row. */
  isOnto(key) {
    return this.#drag.isOnto(key);
  }

  // MARK: Lifting

  liftStarted(lift) {
    this.#notes.hide();
    this.cursor.activate(lift.head);
    this.#parts.main.dataset.dragging = "";
  }

  liftEnded() {
    delete this.#parts.main.dataset.dragging;
  }

  #setMode(mode) {
    this.mode = mode;
    const { main, edit } = this.#parts;
    main.dataset.mode = mode;
    edit.textContent = mode === "edit" ? words.list.done : words.list.edit;
    edit.setAttribute("aria-pressed", String(mode === "edit"));
    this.selected.turn(false);
  }
}
