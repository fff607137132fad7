// The index of all lists.
import { access } from "./access.js";
import { Problem, Unauthorized, makeID } from "./client.js";
import { connection } from "./connection.js";
import { EdgeScroll } from "./edges.js";
import { ListDrag } from "./list-drag.js";
import { ListOrder, block, isIndex, places, without } from "./list-order.js";
import { ListRows } from "./list-rows.js";
import { fits } from "./rename.js";
import { quoted, reason } from "./words.js";

const storageKey = "reorderd lists";
/** Lists that the browser stores, so that they are shown without a network. */
const mostStored = 1000;

export class Lists {
  #nav;
  #rows;
  #notes;
  #current = null;
  #order = new ListOrder(() => this.#show());
  /** The rows during a drag, with the dragged one at its destination. */
  #preview = null;
  #isFirstSight = false;
  #made;
  /** The link under the pointer during a drag. */
  #aimed;
  #edges;
  /** The lists as the server returned them. */
  #lists = [];
  /** The title and the count of the open list. They are newer than those in a response. */
  #open = null;
  #stopWatching = null;

  /** @param made is called with the id of a list that was created here */
  constructor(nav, notes, made) {
    this.#made = made;
    this.#nav = nav;
    this.#rows = new ListRows(nav.querySelector("[data-part=items]"));
    this.#notes = notes;
    const { items } = this.#rows;
    this.#edges = new EdgeScroll(nav.parentElement);
    new ListDrag(this, items, this.#edges);
    items.addEventListener("keydown", (event) => this.#key(event));
    items.addEventListener("click", ({ target }) => {
      const row = this.rowOf(target);
      if (row?.folder !== undefined && !target.closest(".more")) this.#order.fold(row);
    });
    nav.querySelector("form").addEventListener("submit", (event) => this.#make(event));
    // In a narrow window, the sidebar is hidden while a list is open.
    new ResizeObserver(() => this.#follow()).observe(nav);
    access.addEventListener("changed", () => {
      this.#order.forget();
      this.#render([]);
    });
    this.#lists = stored();
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

  /** Shows the title and the number of tasks of the open list. */
  update(id, title, count) {
    if (id !== this.#current) return;
    this.#open = { id, title, count };
    this.#show();
  }

  /** The first 10,000 lists, in the order of the sidebar. */
  async fetch() {
    const lists = (await connection.lists()).filter(({ id }) => !isIndex(id));
    return this.#order.rows(lists).flatMap(({ list }) => list ?? []);
  }

  titleOf(id) {
    return this.#lists.find((list) => list.id === id)?.title || "Untitled";
  }

  /**
   * The list whose link is at a point in the window, unless it is the open list. The link is marked. At the edges, the lists
   * are scrolled.
   */
  at(x, y) {
    const { left, right } = this.#nav.parentElement.getBoundingClientRect();
    if (x >= left && x < right) this.#edges.follow(y);
    else this.#edges.stop();
    const link = document.elementFromPoint(x, y)?.closest("nav a");
    const id = link?.hash.slice(1);
    const list = id === this.#current ? undefined : this.#lists.find((one) => one.id === id);
    if (this.#aimed !== link) this.#aimed?.classList.remove("aimed");
    this.#aimed = link;
    if (list) link.classList.add("aimed");
    return list;
  }

  /** Shows what the server returned. */
  #render(lists) {
    this.#lists = lists;
    // The list was deleted, perhaps to be created again.
    if (!lists.some(({ id }) => id === this.#open?.id)) this.#open = null;
    store(lists);
    this.#follow();
    this.#show();
  }

  #received(lists) {
    if (lists === null) {
      this.#order.forget();
      this.#render([]);
      return;
    }
    this.#render(lists);
    const known = this.#known;
    if (this.#isFirstSight && known.length === 1) location.replace(`#${known[0].id}`);
    this.#isFirstSight = false;
  }

  get #isVisible() {
    return this.#nav.offsetParent !== null;
  }

  /** Listens for changes while the sidebar is visible. */
  #follow() {
    this.#order.follow(this.#isVisible && this.#lists.some(({ id }) => isIndex(id)));
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

  #show() {
    this.#rows.show(this.#preview ?? this.#order.rows(this.#known), this.#current);
  }

  // MARK: The order of the lists

  /** The row of an element inside it. */
  rowOf(target) {
    return this.#rows.of(target);
  }

  async createFolder(title) {
    try {
      await this.#order.createFolder(this.#known, title);
    } catch (error) {
      this.#complain(error);
    }
  }

  renameFolder(row, title) {
    if (title !== row.folder) this.#order.renameFolder(row, title);
  }

  /** Deletes a folder. Its lists stay. */
  deleteFolder(row) {
    if (this.#order.deleteFolder(row))
      this.#announce(`Deleted ${quoted(row.folder)}. Its lists stay.`, "Undo", "undo");
  }

  /** What a drag of a row needs: the rows that move, the others, and the places among them. */
  lift(key) {
    const rows = this.#order.rows(this.#known);
    const rest = without(rows, key);
    const start = { index: rows.findIndex((row) => row.key === key), depth: 0 };
    start.depth = rows[start.index].depth;
    return { key, block: block(rows, key), rest, start, places: places(rest) };
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
    const { list, folder } = lift.block[0];
    this.preview(lift, place);
    try {
      if (!(await this.#order.move(this.#known, lift, place))) return;
      const number = this.#rows.placeOf(lift.key);
      this.#announce(`Moved ${quoted(list?.title ?? folder)} to place ${number}`, "Undo", "undo");
    } catch (error) {
      this.#complain(error);
    } finally {
      this.#preview = null;
      this.#show();
    }
  }

  #announce(text, label, act) {
    const [again, next] = act === "undo" ? ["Redo", "redo"] : ["Undo", "undo"];
    const run = () =>
      this.#order[act]() && this.#announce(act === "undo" ? "Undone." : "Done again.", again, next);
    this.#notes.notify(text, { action: { label, run } });
  }

  /** Moves a list one place up (-1) or down (1), also while the sidebar is hidden. */
  async stepList(id, direction) {
    if (this.#isVisible) {
      this.#step(id, direction);
      return;
    }
    try {
      this.#render(await connection.lists());
      const index = this.#lists.find((list) => isIndex(list.id));
      if (index) await this.#order.load(index.version);
      if (this.#known.some((list) => list.id === id)) await this.#step(id, direction);
    } catch (error) {
      this.#complain(error);
    } finally {
      this.#follow();
    }
  }

  async #step(key, direction) {
    const lift = this.lift(key);
    const { index, depth } = lift.start;
    const isAfter = (place) => place.index - index || depth - place.depth;
    const further = lift.places.filter((place) => direction * isAfter(place) > 0);
    const place = further.at(direction > 0 ? 0 : -1);
    if (place) await this.drop(lift, place);
    else
      this.#notes.notify(`Can’t go further ${direction > 0 ? "down" : "up"}.`, { isQuiet: true });
  }

  #key(event) {
    const row = this.rowOf(event.target);
    const direction = { ArrowUp: -1, ArrowDown: 1 }[event.key];
    if (!row || !direction || !event.altKey) return;
    event.preventDefault();
    this.#step(row.key, direction);
  }

  /** Called after a list was deleted here. */
  deleted(id) {
    this.#order.remove(id);
  }

  #complain(error) {
    if (error instanceof Unauthorized) return;
    const isKnown = error instanceof Problem;
    this.#notes.notify(isKnown ? reason(error.code, error.detail) : "The server can’t be reached.");
  }

  async #make(event) {
    event.preventDefault();
    const field = event.target.elements.title;
    const title = field.value.trim();
    if (title === "" || !fits(title, (text) => this.#notes.notify(text))) return;
    const id = makeID();
    try {
      await connection.send("POST", "/lists", { body: { id, title }, key: id });
      field.value = "";
      this.#order.add({ id, title });
      this.#made(id);
    } catch (error) {
      this.#complain(error);
    }
  }
}

function stored() {
  try {
    return JSON.parse(localStorage.getItem(storageKey)) ?? [];
  } catch {
    return [];
  }
}

function store(lists) {
  const wanted = lists.slice(0, mostStored).map(({ id, title, count }) => ({ id, title, count }));
  try {
    if (wanted.length === 0) localStorage.removeItem(storageKey);
    else localStorage.setItem(storageKey, JSON.stringify(wanted));
  } catch {
    // Without storage, the lists are shown when the server responds.
  }
}
