// The search over all lists, in the sidebar: it finds lists and tasks by their titles.
import { connection } from "./connection.js";
import { contains } from "./fold-text.js";
import { element } from "./icons.js";
import { onKey } from "./key.js";
import { words } from "./language.js";
import { isIndex } from "./list-order.js";

const pauseMilliseconds = 250;
const mostResults = 50;

export class FindAll {
  #field;
  #results;
  #none;
  #notes;
  #lists;
  #choose;
  /** The found lists (`{ list, title }`), then the found tasks (`{ list, title, id }`). */
  #found = [];
  #active = -1;
  #timer;
  #request = new AbortController();

  /**
   * @param lists the index of all lists
   * @param choose is called with the chosen list or task
   */
  constructor(nav, notes, lists, choose) {
    this.#field = nav.querySelector("[data-part=findAll]");
    this.#results = nav.querySelector("[data-part=results]");
    this.#none = nav.querySelector("[data-part=noResult]");
    this.#notes = notes;
    this.#lists = lists;
    this.#choose = choose;
    this.#field.addEventListener("input", () => this.#changed());
    onKey(this.#field, (key) => this.#key(key));
    this.#results.addEventListener("click", ({ target }) => {
      const option = target.closest("[role=option]");
      if (option) this.#open([...this.#results.children].indexOf(option));
    });
  }

  #changed() {
    clearTimeout(this.#timer);
    this.#request.abort();
    this.#show([]);
    const text = this.#field.value.trim();
    if (text !== "") this.#timer = setTimeout(() => this.#search(text), pauseMilliseconds);
  }

  async #search(text) {
    const { signal } = (this.#request = new AbortController());
    const lists = this.#lists
      .find((title) => contains(title, text))
      .slice(0, mostResults)
      .map(({ id, title }) => ({ list: id, title }));
    this.#show(lists); // this browser knows their titles, also without a network
    try {
      const found = await connection.search(text, { limit: mostResults, signal });
      if (signal.aborted) return;
      const tasks = found.filter(({ list }) => !isIndex(list));
      this.#show([...lists, ...tasks]);
      this.#none.hidden = this.#found.length > 0;
      this.#announce(lists.length, tasks.length, found.length === mostResults);
    } catch (error) {
      if (!signal.aborted) this.#notes.complain(error);
    }
  }

  #announce(lists, tasks, isCut) {
    this.#notes.notify(words.findAll.found(lists, tasks, isCut), { isQuiet: true });
  }

  /** Shows what was found. The chosen result stays chosen. */
  #show(found) {
    const chosen = this.#found[this.#active];
    this.#found = found;
    this.#none.hidden = true;
    this.#results.hidden = found.length === 0;
    this.#field.setAttribute("aria-expanded", String(found.length > 0));
    this.#results.replaceChildren(
      ...found.map(({ list, title, id }, number) =>
        element(
          "li",
          { role: "option", id: `result-${number}`, "aria-selected": "false" },
          element("span", { className: "name", dir: "auto" }, title || words.common.untitled),
          id === undefined
            ? element("span", { className: "count" }, words.findAll.list)
            : element("span", { className: "count", dir: "auto" }, this.#lists.titleOf(list)),
        ),
      ),
    );
    const isChosen = ({ list, id }) => list === chosen?.list && id === chosen.id;
    this.#activate(found.findIndex(isChosen));
  }

  #activate(number) {
    this.#active = number;
    for (const [at, option] of [...this.#results.children].entries())
      option.setAttribute("aria-selected", String(at === number));
    const option = this.#results.children[number];
    option?.scrollIntoView({ block: "nearest" });
    if (option) this.#field.setAttribute("aria-activedescendant", option.id);
    else this.#field.removeAttribute("aria-activedescendant");
  }

  #key(key) {
    const last = this.#found.length - 1;
    if (key === "ArrowDown") this.#activate(Math.min(last, this.#active + 1));
    else if (key === "ArrowUp") this.#activate(Math.max(Math.min(0, last), this.#active - 1));
    else if (key === "Enter") this.#open(Math.max(0, this.#active));
    else if (key === "Escape") this.#clear();
    else return false;
    return true;
  }

  #clear() {
    this.#field.value = "";
    this.#changed();
  }

  #open(number) {
    const found = this.#found[number];
    if (!found) return;
    this.#clear();
    this.#choose(found);
  }
}
