// The search over all lists, in the sidebar: it finds lists and tasks by their titles.
import { connection, contains, isIndex, onKey } from "./app.js";
import { words } from "./later-words.js";
import { Options } from "./options.js";

const pauseMilliseconds = 250;
const mostResults = 50;

export class FindAll {
  #field;
  #none;
  #notes;
  #lists;
  #options;
  #timer;
  #request = new AbortController();

  /**
   * @param lists the index of all lists
   * @param choose is called with the chosen list or task
   */
  constructor(nav, notes, lists, choose) {
    this.#field = nav.querySelector("[data-part=findAll]");
    this.#none = nav.querySelector("[data-part=noResult]");
    this.#notes = notes;
    this.#lists = lists;
    const results = nav.querySelector("[data-part=results]");
    this.#options = new Options(this.#field, results, ({ found }) => {
      this.#clear();
      choose(found);
    });
    this.#field.addEventListener("input", () => this.#changed());
    onKey(this.#field, (key) => {
      if (key === "Escape") this.#clear();
      return key === "Escape";
    });
    if (this.#field.value !== "") this.#changed(); // typed before this script was loaded
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
      this.#none.hidden = lists.length + tasks.length > 0;
      this.#announce(lists.length, tasks.length, found.length === mostResults);
    } catch (error) {
      if (!signal.aborted) this.#notes.complain(error);
    }
  }

  #announce(lists, tasks, isCut) {
    this.#notes.notify(words.findAll.found(lists, tasks, isCut), { isQuiet: true });
  }

  /** Shows what was found: lists (`{ list, title }`), then tasks (`{ list, title, id }`). */
  #show(found) {
    this.#none.hidden = true;
    this.#options.show(
      found.map(({ list, title, id }) => ({
        key: `${list} ${id ?? ""}`,
        name: title || words.common.untitled,
        detail: id === undefined ? words.findAll.list : this.#lists.titleOf(list),
        found: { list, title, id },
      })),
    );
  }

  #clear() {
    this.#field.value = "";
    this.#changed();
  }
}
