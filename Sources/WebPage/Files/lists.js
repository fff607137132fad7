// The index of all lists.
import { access } from "./access.js";
import { Problem, Unauthorized, makeID } from "./client.js";
import { connection } from "./connection.js";
import { element } from "./icons.js";
import { fits } from "./rename.js";

const refreshMilliseconds = 15_000;
const pageSize = 1000;
const storageKey = "reorderd lists";
/** Lists that the browser stores, so that they are shown without a network. */
const mostStored = 1000;

export class Lists {
  #nav;
  #items;
  #notes;
  #current = null;
  #shown = "";
  #isFirstSight = false;
  #made;
  /** The link under the pointer during a drag. */
  #aimed;
  /** The lists in the last used response. */
  #lists = [];
  /** The title and the count of the open list. They are newer than those in a response. */
  #open = null;
  /** The numbers of the last request and of the last used response. Responses can overtake each other. */
  #asked = 0;
  #answered = 0;

  /** @param made is called with the id of a list that was created here */
  constructor(nav, notes, made) {
    this.#made = made;
    this.#nav = nav;
    this.#items = nav.querySelector("[data-part=items]");
    this.#notes = notes;
    nav.querySelector("form").addEventListener("submit", (event) => this.#make(event));
    document.addEventListener("visibilitychange", () => this.refresh());
    access.addEventListener("changed", () => {
      store([]);
      this.refresh();
    });
    setInterval(() => this.refresh(), refreshMilliseconds);
    this.#lists = stored();
    this.#show();
  }

  /** Marks the open list. If the page starts without an open list, and the server has only one list, opens it. */
  show(current) {
    this.#isFirstSight = this.#current === null && current === "";
    if (this.#open?.id !== current) this.#open = null;
    this.#current = current;
    this.#mark();
    this.refresh();
  }

  /** Shows the title and the number of tasks of the open list. */
  update(id, title, count) {
    if (id !== this.#current) return;
    this.#open = { id, title, count };
    this.#show();
  }

  async refresh() {
    if (document.hidden || this.#nav.offsetParent === null) return;
    const number = (this.#asked += 1);
    try {
      const lists = await this.fetch();
      if (!this.#render(lists, number)) return;
      if (this.#isFirstSight && lists.length === 1) location.replace(`#${lists[0].id}`);
      this.#isFirstSight = false;
    } catch (error) {
      if (error instanceof Unauthorized) this.#render([], number);
      // Otherwise the index is requested again soon; the open list shows that the server is unreachable.
    }
  }

  /** The first 10,000 lists. */
  async fetch() {
    const lists = [];
    let cursor = null;
    do {
      const after = cursor === null ? "" : `&cursor=${encodeURIComponent(cursor)}`;
      const answer = await connection.send("GET", `/lists?limit=${pageSize}${after}`);
      lists.push(...answer.lists);
      cursor = answer.cursor;
    } while (cursor !== null && lists.length < 10 * pageSize);
    return lists;
  }

  titleOf(id) {
    return this.#lists.find((list) => list.id === id)?.title || "Untitled";
  }

  /** The list whose link is at a point in the window, unless it is the open list. The link is marked. */
  at(x, y) {
    const link = document.elementFromPoint(x, y)?.closest("nav a");
    const id = link?.hash.slice(1);
    const list = id === this.#current ? undefined : this.#lists.find((one) => one.id === id);
    if (this.#aimed !== link) this.#aimed?.classList.remove("aimed");
    this.#aimed = link;
    if (list) link.classList.add("aimed");
    return list;
  }

  /** @returns false if a later request already has its response, so that this response is too old */
  #render(lists, number) {
    if (number < this.#answered) return false;
    this.#answered = number;
    this.#lists = lists;
    store(lists);
    this.#show();
    return true;
  }

  #show() {
    const open = this.#open;
    const lists = this.#lists.map((list) => (list.id === open?.id ? { ...list, ...open } : list));
    const text = JSON.stringify(lists);
    if (text === this.#shown) return;
    this.#shown = text;
    this.#items.replaceChildren(
      ...lists.map(({ id, title, count }) =>
        element(
          "li",
          {},
          element(
            "a",
            { href: `#${id}` },
            element("span", { className: "name", dir: "auto" }, title || "Untitled"),
            element("span", { className: "count", "aria-label": `${count} tasks` }, String(count)),
          ),
        ),
      ),
    );
    this.#mark();
  }

  #mark() {
    for (const link of this.#items.querySelectorAll("a")) {
      if (link.hash.slice(1) === this.#current) link.setAttribute("aria-current", "page");
      else link.removeAttribute("aria-current");
    }
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
      this.#made(id);
    } catch (error) {
      if (error instanceof Unauthorized) return;
      this.#notes.notify(error instanceof Problem ? error.message : "The server can’t be reached.");
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
