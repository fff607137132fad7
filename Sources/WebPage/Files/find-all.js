// The search over all lists, in the sidebar.
import { Problem, Unauthorized } from "./client.js";
import { connection } from "./connection.js";
import { element } from "./icons.js";
import { isIndex } from "./list-order.js";
import { reason } from "./words.js";

const pauseMilliseconds = 250;
const mostResults = 50;
const unreachable = "The server can’t be reached.";

export class FindAll {
  #field;
  #results;
  #none;
  #notes;
  #titleOf;
  #choose;
  #found = [];
  #active = -1;
  #timer;
  #request = new AbortController();

  /**
   * @param titleOf returns the title of a list
   * @param choose is called with the chosen task
   */
  constructor(nav, notes, titleOf, choose) {
    this.#field = nav.querySelector("[data-part=findAll]");
    this.#results = nav.querySelector("[data-part=results]");
    this.#none = nav.querySelector("[data-part=noResult]");
    this.#notes = notes;
    this.#titleOf = titleOf;
    this.#choose = choose;
    this.#field.addEventListener("input", () => this.#changed());
    this.#field.addEventListener("keydown", (event) => this.#key(event));
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
    try {
      const found = await connection.search(text, { limit: mostResults, signal });
      if (signal.aborted) return;
      const tasks = found.filter(({ list }) => !isIndex(list));
      this.#show(tasks);
      this.#none.hidden = tasks.length > 0;
      const count = (found.length === mostResults ? "The first " : "") + tasks.length;
      const noun = tasks.length === 1 ? "task" : "tasks";
      this.#notes.notify(`${count} ${noun} found`, { isQuiet: true });
    } catch (error) {
      if (signal.aborted || error instanceof Unauthorized) return;
      const why = error instanceof Problem ? reason(error.code, error.detail) : unreachable;
      this.#notes.notify(why);
    }
  }

  #show(found) {
    this.#found = found;
    this.#none.hidden = true;
    this.#results.hidden = found.length === 0;
    this.#field.setAttribute("aria-expanded", String(found.length > 0));
    this.#results.replaceChildren(
      ...found.map(({ list, title }, number) =>
        element(
          "li",
          { role: "option", id: `result-${number}`, "aria-selected": "false" },
          element("span", { className: "name", dir: "auto" }, title),
          element("span", { className: "count", dir: "auto" }, this.#titleOf(list)),
        ),
      ),
    );
    this.#activate(-1);
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

  #key(event) {
    if (event.isComposing) return;
    const last = this.#found.length - 1;
    if (event.key === "ArrowDown") this.#activate(Math.min(last, this.#active + 1));
    else if (event.key === "ArrowUp") this.#activate(Math.max(Math.min(0, last), this.#active - 1));
    else if (event.key === "Enter") this.#open(Math.max(0, this.#active));
    else if (event.key === "Escape") this.#clear();
    else return;
    event.preventDefault();
  }

  #clear() {
    this.#field.value = "";
    this.#changed();
  }

  #open(number) {
    const task = this.#found[number];
    if (!task) return;
    this.#clear();
    this.#choose(task);
  }
}
