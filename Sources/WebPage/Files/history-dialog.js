// The dialog with the history of a list.
import { connection, element, locale, rights } from "./app.js";
import { closeBeside, dialogRow } from "./dialogs.js";
import { ago, sentenceOf } from "./history-words.js";
import { words } from "./later-words.js";
import { serverTime } from "./server-time.js";

const { changes, common } = words;

export class HistoryDialog {
  #dialog;
  #notes;
  #list = null;
  /** Where the next page begins; null if there is none. */
  #before = null;

  constructor(dialog, notes) {
    this.#dialog = dialog;
    this.#notes = notes;
    this.#part("more").addEventListener("click", () => this.#load());
    closeBeside(dialog);
  }

  #part(name) {
    return this.#dialog.querySelector(`[data-part=${name}]`);
  }

  async open(list) {
    this.#list = list;
    if (await this.#reload()) this.#dialog.showModal();
  }

  #reload() {
    this.#before = null;
    return this.#load();
  }

  /** Shows the first page, or appends the next one. @returns whether it was loaded */
  async #load() {
    const [list, before] = [this.#list, this.#before];
    let page, now;
    try {
      [page, now] = await Promise.all([connection.history(list, { before }), serverTime()]);
    } catch (error) {
      this.#notes.complain(error);
      return false;
    }
    if (this.#list !== list || this.#before !== before) return false;
    const items = page.changes.map((change) => this.#item(list, change, now));
    if (before === null) this.#part("changes").replaceChildren(...items);
    else this.#part("changes").append(...items);
    this.#before = page.before;
    this.#part("more").hidden = page.before === null;
    return true;
  }

  #item(list, change, now) {
    const text = sentenceOf(change, rights.nameOf(change));
    const date = new Date(change.at);
    const time = element(
      "time",
      { dateTime: change.at, title: date.toLocaleString(locale) },
      ago(date.getTime(), now),
    );
    const mayUndo = change.mayUndo && rights.mayWrite(list);
    const undo = {
      label: common.undo,
      name: changes.undo(text),
      run: () => this.#undo(list, change),
    };
    return dialogRow(text, time, mayUndo ? undo : null);
  }

  async #undo(list, change) {
    try {
      await connection.undoChange(list, change);
    } catch (error) {
      this.#notes.complain(error);
      return;
    }
    if (this.#list !== list || !(await this.#reload())) return;
    this.#notes.notify(changes.undone, { isQuiet: true });
    this.#part("changes").focus(); // not a button: a second press would undo another change
  }
}
