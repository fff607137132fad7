// What a person does with the whole list: the items of the menu at its title.
import { Problem, connection, isGuest, quoted, rights, setToken } from "./app.js";
import { restore } from "./bin.js";
import { words } from "./later-words.js";
import { PopupMenu } from "./popup.js";

const { commands: said, common, lists, listMenu, steps } = words;

/** What the server does with all tasks of a list, so that it is one change for everybody; and what it is called afterwards. */
const inBulk = [
  [
    said.sort,
    (id) => connection.sort(id, { by: "title", locale: navigator.language, recursive: true }),
    said.sorted,
  ],
  [
    said.sortByDue,
    (id) => connection.sort(id, { by: "data.due", recursive: true }),
    said.sortedByDue,
  ],
  [said.doneLast, (id) => connection.sort(id, { by: "done", recursive: true }), said.completedLast],
  [said.reverse, (id) => connection.reverse(id, { recursive: true }), said.reversed],
  [said.deleteDone, (id) => connection.removeDone(id), said.completedDeleted],
];

export class ListCommands {
  #page;
  #lists;
  #notes;
  #dialogs;
  #button;

  /**
   * @param lists the index of all lists
   * @param dialogs `settings`, `past` (the history), `sharing`, `exporting`, `confirming`, and `name`
   * @param parts the button `listMenu`, and the element of the menu, `listItems`
   */
  constructor(page, lists, notes, dialogs, { listMenu: button, listItems }) {
    this.#page = page;
    this.#lists = lists;
    this.#notes = notes;
    this.#dialogs = dialogs;
    this.#button = button;
    page.listMenu = new PopupMenu(listItems);
  }

  /** Opens the menu. */
  open() {
    const items = this.items();
    const button = this.#button;
    const box = button.getBoundingClientRect();
    const back = () => button.focus();
    if (items.length > 0) this.#page.listMenu.open(button.ariaLabel, items, back, box, box.left);
  }

  /** The items that the rights allow. */
  items() {
    const { list, mayEdit } = this.#page;
    if (!list) return [];
    const { settings, past, sharing, exporting, name } = this.#dialogs;
    const { id } = list;
    const items = [];
    if (mayEdit) {
      const bulk = inBulk.map(([label, ...rest]) => [label, () => this.#doInBulk(...rest)]);
      items.push([common.addSection, () => this.#page.beginSection()], ...bulk);
    }
    if (this.#lists.mayOrder) {
      items.push([said.up, () => this.#lists.moveList(id, -1)]);
      items.push([said.down, () => this.#lists.moveList(id, 1)]);
    }
    const { board, rows } = this.#page;
    items.push([rows.isBoard ? said.asList : said.asBoard, () => board.toggle()]);
    items.push([said.history, () => past.open(id)]);
    if (rights.mayShare(id)) items.push([said.share, () => sharing.open(id)]);
    items.push([said.export, () => exporting.open(this.#page)]);
    if (mayEdit) items.push([said.settings, () => settings.open(this.#page)]);
    if (isGuest && mayEdit) items.push([lists.name, () => name.open()]);
    if (isGuest) items.push([listMenu.leave, () => setToken(null)]);
    if (rights.mayOwn(id)) items.push([said.delete, () => this.#delete(), "danger"]);
    return items;
  }

  async #doInBulk(run, text) {
    const { id } = this.#page.list;
    try {
      const { changed } = await run(id);
      const undo = { label: common.undo, run: () => this.#page.acts.undo() };
      const isShown = this.#page.session?.id === id;
      if (changed) this.#notes.notify(text, isShown ? { action: undo } : {});
      else this.#notes.notify(said.nothing);
    } catch (error) {
      this.#notes.complain(error);
    }
  }

  /** Deletes the list, after a question, because it disappears for everybody. */
  async #delete() {
    const { id, settings, tasks } = this.#page.list;
    const title = quoted(settings.title || common.untitled);
    const text = said.deleteText(tasks.size);
    if (!(await this.#dialogs.confirming.ask(said.deleteQuestion(title), text, said.confirmDelete)))
      return;
    try {
      await connection.deleteList(id);
    } catch (error) {
      if (!(error instanceof Problem) || error.status !== 404) {
        this.#notes.complain(error);
        return;
      }
    }
    this.#lists.deleted(id);
    if (location.hash.slice(1) !== id) return; // another list is shown
    location.hash = "";
    // The page shows the index now, which hides earlier notes.
    const undo = { label: common.undo, run: () => restore(id, this.#notes) };
    const announce = () => this.#notes.notify(steps.deleted(title), { action: undo });
    addEventListener("hashchange", announce, { once: true });
  }
}
