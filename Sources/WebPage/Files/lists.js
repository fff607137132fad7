// The index of all lists.
import { access } from "./access.js";
import { connection } from "./connection.js";
import { direct, directionOfMost } from "./direction.js";
import { EdgeScroll } from "./edges.js";
import { onKey } from "./key.js";
import { words } from "./language.js";
import { ListDrag } from "./list-drag.js";
import { liftOf, nextPlace } from "./list-moves.js";
import { ListOrder, indexID, isIndex } from "./list-order.js";
import { ListRows } from "./list-rows.js";
import { later } from "./loading.js";
import { fits } from "./rename.js";
import { rights } from "./rights.js";
import { Sidebar } from "./sidebar.js";
import { sharedTexts } from "./storage.js";
import { storeValue, storedValue } from "./stored-values.js";
import { quoted } from "./words.js";

const { common, lifting, lists, refusals } = words;

const storageKey = "reorderd lists";
/** Lists that the browser stores, so that the sidebar shows them without a network. */
const mostStored = 1000;

export class Lists {
  #nav;
  #sidebar;
  #rows;
  #notes;
  #current = null;
  order = new ListOrder(() => this.#show());
  /** The open list (`ListPage`). */
  page = null;
  /** The rows during a drag, with the dragged one at its destination. */
  #preview = null;
  #isFirstSight = false;
  /** The link under the pointer during a drag. */
  #aimed;
  #edges;
  #drag;
  /** The lists as the server returned them. */
  #lists = [];
  /** Whether the server has returned them. */
  #isLoaded = false;
  /** The title and the count of the open list. They are newer than those in a response. */
  #open = null;
  #stopWatching = null;
  /** A new list that the server has not confirmed. */
  #new = null;

  constructor(nav, notes) {
    this.#nav = nav;
    this.#sidebar = new Sidebar(nav);
    this.#rows = new ListRows(nav.querySelector("[data-part=items]"));
    this.#notes = notes;
    const { items } = this.#rows;
    this.#edges = new EdgeScroll(nav.parentElement);
    this.#drag = new ListDrag(this, items, this.#edges);
    onKey(items, (key, { target }) => this.#key(key, target));
    items.addEventListener("click", ({ target }) => {
      const row = this.rowOf(target);
      if (row?.folder === undefined || target.closest(".more")) return;
      notes.hide(); // its “Undo” would take back the fold
      this.order.fold(row);
    });
    nav.querySelector("form").addEventListener("submit", (event) => this.#make(event));
    nav.querySelector("[data-part=sample]").addEventListener("click", () => this.#makeSample());
    rights.addEventListener("changed", () => this.#show());
    // In a narrow window, the sidebar is hidden while a list is open.
    new ResizeObserver(() => this.#follow()).observe(nav);
    access.addEventListener("changed", () => this.#forget());
    this.#lists = storedValue(sharedTexts, storageKey, []);
    this.#show();
  }

  /** Marks the open list. If the page starts without an open list, and the server has only one list, opens it. */
  show(current) {
    this.#isFirstSight = this.#current === null && current === "";
    if (this.#open?.id !== current) this.#open = null;
    this.#current = current;
    this.#follow();
    this.#show();
  }

  /** Shows the title and the number of open tasks of the open list. */
  update({ id, settings, containers }) {
    if (id !== this.#current) return;
    const { title } = settings;
    let open = 0;
    for (const { children } of containers) for (const { done } of children) if (!done) open += 1;
    if (this.#open?.title === title && this.#open.open === open) return;
    this.#open = { id, title, open };
    this.#show();
  }

  /** The first 10,000 lists, in the order of the sidebar. */
  async fetch() {
    const lists = (await connection.lists()).filter(({ id }) => !isIndex(id));
    return this.order.rows(lists).flatMap(({ list }) => list ?? []);
  }

  titleOf(id) {
    return this.#lists.find((list) => list.id === id)?.title || common.untitled;
  }

  /**
   * The list whose link is at a point in the window, unless it is the open list. The link is marked. At the edges, the lists
   * are scrolled.
   */
  at(x, y) {
    const { left, right } = this.#nav.parentElement.getBoundingClientRect();
    const isInside = x >= left && x < right;
    if (isInside) this.#edges.follow(y);
    else this.#edges.stop();
    const link = isInside ? document.elementFromPoint(x, y)?.closest("nav a") : undefined;
    const id = link?.hash.slice(1);
    const list = id === this.#current ? undefined : this.#lists.find((one) => one.id === id);
    if (this.#aimed !== link) this.#aimed?.classList.remove("aimed");
    this.#aimed = link;
    const isAimed = Boolean(list) && rights.mayWrite(id);
    this.#nav.parentElement.classList.toggle("aiming", isAimed);
    if (!isAimed) return undefined;
    link.classList.add("aimed");
    return list;
  }

  /** Shows what the server returned. */
  #render(lists) {
    this.#lists = lists;
    // The list was deleted, perhaps to be created again.
    if (!lists.some(({ id }) => id === this.#open?.id)) this.#open = null;
    const kept = lists.slice(0, mostStored).map(({ id, title, open }) => ({ id, title, open }));
    storeValue(sharedTexts, storageKey, kept.length === 0 ? null : kept);
    this.#follow();
    this.#show();
  }

  #received(lists) {
    if (lists === null) {
      this.#forget();
      return;
    }
    this.#isLoaded = true;
    this.#render(lists);
    const known = this.#known;
    if (this.#isFirstSight && known.length === 1) location.replace(`#${known[0].id}`);
    this.#isFirstSight = false;
  }

  /** Forgets the lists, because another token may cover others. */
  #forget() {
    this.#isLoaded = false;
    this.#new = null;
    this.order.forget();
    this.#render([]);
  }

  get #isVisible() {
    return this.#nav.offsetParent !== null;
  }

  /** Listens for changes while the sidebar is visible. */
  #follow() {
    const hasIndex = this.order.exists || this.#lists.some(({ id }) => isIndex(id));
    this.order.follow(this.#isVisible && hasIndex);
    if (this.#isVisible)
      this.#stopWatching ??= connection.watchLists((lists) => this.#received(lists));
    else {
      this.#stopWatching?.();
      this.#stopWatching = null;
    }
  }

  /** The lists without the index. */
  get #known() {
    const open = this.#open;
    return this.#lists
      .filter(({ id }) => !isIndex(id))
      .map((list) => (list.id === open?.id ? { ...list, ...open } : list));
  }

  /** The lists whose titles contain a text. */
  find(contains) {
    return this.order
      .rows(this.#known)
      .flatMap(({ list }) => (list && contains(list.title) ? list : []));
  }

  #show() {
    const known = this.#known;
    direct(this.#nav, directionOfMost(known.map(({ title }) => title)));
    const rows = this.order.rows(known);
    const dragged = this.#drag.keepAmong(rows);
    if (dragged) this.#notes.notify(this.whyGone(dragged));
    const focused = this.#rows.show(this.#preview ?? rows, this.#current);
    if (focused) this.#notes.notify(this.whyGone(focused), { isQuiet: true });
    this.#sidebar.show(known.length > 0 || !this.#isLoaded);
    this.page?.showState();
  }

  // MARK: The order of the lists

  /** Whether lists may be moved, and folders changed. */
  get mayOrder() {
    return rights.mayWrite(indexID);
  }

  /** The row of an element inside it. */
  rowOf(target) {
    return this.#rows.of(target);
  }

  /** Why a row is not shown any more; null if it is shown. */
  whyGone({ key, list, folder, section }) {
    const known = this.#known;
    if (this.order.rows(known).some((row) => row.key === key)) return null;
    const name = quoted((list?.title ?? folder ?? section) || common.untitled);
    const isHidden = list && known.some(({ id }) => id === list.id);
    return (isHidden ? refusals.hidden : lists.gone)(name);
  }

  createFolder(title) {
    const complain = (error) => this.#notes.complain(error);
    return this.order.createFolder(this.#known, title).catch(complain);
  }

  renameFolder(row, title) {
    if (title !== row.folder) this.order.renameFolder(row, title);
  }

  /** Deletes a folder. Its lists stay. @param said the words afterwards, with the folder's name */
  deleteFolder(row, said) {
    if (this.order.deleteFolder(row)) this.#announce(said(quoted(row.folder)));
  }

  /** The rows of the sidebar. */
  get rows() {
    return this.order.rows(this.#known);
  }

  /** Shows lifted rows at a place; null: at their own place. */
  preview(lift, place) {
    this.#preview = null;
    if (place) {
      const shift = place.depth - lift.start.depth;
      const moving = lift.block.map((row) => ({ ...row, depth: row.depth + shift }));
      this.#preview = lift.rest.toSpliced(place.index, 0, ...moving);
    }
    this.#show();
  }

  /** Moves lifted rows to a place. */
  async drop(lift, place) {
    const [{ list, folder }] = lift.block;
    this.preview(lift, place);
    try {
      if (!(await this.order.move(this.#known, lift, place))) return;
      const number = this.#rows.placeOf(lift.key);
      this.#announce(lists.moved(quoted(list?.title ?? folder), number));
    } catch (error) {
      this.#notes.complain(error);
    } finally {
      this.#preview = null;
      this.#show();
    }
  }

  #announce(text) {
    const undo = { label: common.undo, run: () => this.page.acts.undo() };
    this.#notes.notify(text, { action: undo });
  }

  /** Moves a list up (-1) or down (1), also while the sidebar is hidden. */
  async moveList(id, direction) {
    try {
      await this.#load();
      if (this.#known.some((list) => list.id === id)) await this.#step(id, direction);
    } catch (error) {
      this.#notes.complain(error);
    } finally {
      this.#follow();
    }
  }

  /** While the sidebar is hidden, the lists and their order are not up to date. */
  async #load() {
    if (this.#isVisible) return;
    this.#render(await connection.lists());
    const index = this.#lists.find((list) => isIndex(list.id));
    if (index) await this.order.load(index.version);
  }

  async #step(key, direction) {
    const lift = liftOf(this.rows, key);
    const place = nextPlace(lift, direction);
    if (place) await this.drop(lift, place);
    else this.#notes.notify(direction > 0 ? lifting.down : lifting.up, { isQuiet: true });
  }

  #key(key, target) {
    const row = this.rowOf(target);
    const direction = { "Alt+ArrowUp": -1, "Alt+ArrowDown": 1 }[key];
    if (!row || !direction || !this.mayOrder) return false;
    this.#step(row.key, direction);
    return true;
  }

  /** Called after a list was deleted here. */
  deleted(id) {
    this.order.remove(id);
  }

  async #make(event) {
    event.preventDefault();
    const field = event.target.elements.title;
    const title = field.value.trim();
    if (title === "" || !fits(title, (text) => this.#notes.notify(text))) return;
    if (await this.createAndOpen({ title })) field.value = "";
  }

  async #makeSample() {
    const { sampleList } = (await later().catch(() => null)) ?? {};
    if (sampleList) this.createAndOpen(sampleList());
    else this.#notes.notify(words.detail.notLoaded);
  }

  /** Creates a list and opens it. @returns it; null if it was not created */
  async createAndOpen(document) {
    const list = await this.create(document);
    if (list) this.page.begin(list.id);
    return list;
  }

  /** Creates a list. @returns it; null if it was not created */
  async create(document) {
    // If the response was lost, the next attempt creates no second list.
    if (this.#new?.title !== document.title) this.#new = { id: rights.newListID(), ...document };
    const list = this.#new;
    try {
      await connection.createList(list);
    } catch (error) {
      this.#notes.complain(error);
      return null;
    }
    this.#new = null;
    this.order.add(list);
    return list;
  }
}
