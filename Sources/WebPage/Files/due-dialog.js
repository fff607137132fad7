// The tasks of all lists that have a due date and are not done.
import { Problem, capital, connection, element, isIndex, locale } from "./app.js";
import { words } from "./later-words.js";
import { dateWords, dayText, dueGroup, dueOf, valueIn } from "./task-data.js";

const mostTasks = 500;
const nearDays = 8;

export class DueDialog {
  #dialog;
  #list = element("ul", { tabIndex: -1 });
  #hint = element("p", { className: "hint" });
  #notes;
  #lists;
  #choose;

  /**
   * @param lists the index of all lists
   * @param choose is called with the chosen task
   */
  constructor(notes, lists, choose) {
    this.#notes = notes;
    this.#lists = lists;
    this.#choose = choose;
    const close = element("button", { type: "submit", className: "second" }, words.common.close);
    this.#dialog = element(
      "dialog",
      { className: "due", "aria-labelledby": "due-title" },
      element(
        "form",
        { method: "dialog" },
        element("h2", { id: "due-title" }, words.detail.due),
        this.#list,
        this.#hint,
        element("p", { className: "buttons" }, close),
      ),
    );
    document.body.append(this.#dialog);
    this.#dialog.addEventListener("click", ({ target }) => {
      if (target === this.#dialog) this.#dialog.close();
    });
  }

  async open() {
    let found;
    try {
      found = await this.#find();
    } catch (error) {
      this.#notes.complain(error);
      return;
    }
    const now = new Date();
    const groups = words.due.groups.map(() => []);
    for (const task of found.filter(({ list }) => !isIndex(list))) {
      const due = dueOf(valueIn(task.data, "due"));
      if (due) groups[dueGroup(due, now)].push({ ...task, due });
    }
    const items = groups.flatMap((tasks, number) =>
      tasks.length === 0
        ? []
        : [
            element("li", {}, element("h3", {}, words.due.groups[number])),
            ...tasks
              .sort((one, other) => one.due.date - other.due.date)
              .map((task) => this.#item(task, now)),
          ],
    );
    this.#list.replaceChildren(...items);
    this.#hint.textContent = items.length === 0 ? words.due.none : words.due.isCut(mostTasks);
    this.#hint.hidden = items.length > 0 && found.length < mostTasks;
    if (!this.#dialog.open) this.#dialog.showModal();
  }

  /** The tasks in the order of their dates. The server orders no more than 10,000 tasks: of more, only those that are due soon. */
  async #find() {
    const options = { done: false, limit: mostTasks };
    try {
      return await connection.search(null, {
        ...options,
        filter: 'data.due>="0"',
        order: "data.due",
      });
    } catch (error) {
      if (!(error instanceof Problem && error.code === "order_limit")) throw error;
      const now = new Date();
      const end = new Date(now.getFullYear(), now.getMonth(), now.getDate() + nearDays);
      return connection.search(null, { ...options, filter: `data.due<"${dayText(end)}"` });
    }
  }

  #item(task, now) {
    const list = this.#lists.titleOf(task.list);
    const button = element(
      "button",
      { type: "button" },
      element("span", { className: "name", dir: "auto" }, task.title),
      element(
        "span",
        { className: "count" },
        `${capital(dateWords(task.due, now, locale))} · `,
        element("bdi", {}, list),
      ),
    );
    button.addEventListener("click", () => {
      this.#dialog.close();
      this.#choose(task);
    });
    return element("li", {}, button);
  }
}
