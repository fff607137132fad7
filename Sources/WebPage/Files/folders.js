// Folders in the sidebar: the menu of a folder, and the dialog for its title.
import { fits, quoted } from "./app.js";
import { words } from "./later-words.js";
import { PopupMenu } from "./popup.js";

const { common, folders } = words;

export class Folders {
  #lists;
  #dialog;
  #notes;
  #menu;

  /**
   * @param nav has the menu
   * @param dialog a `FieldDialog`: asks for a title
   * @param lists changes the folders
   */
  constructor(nav, dialog, lists, notes) {
    this.#lists = lists;
    this.#dialog = dialog;
    this.#notes = notes;
    this.#menu = new PopupMenu(nav.querySelector("[data-part=folderMenu]"));
  }

  /** Lets the person make a folder. */
  create() {
    this.#ask(folders.new, null, (title) => this.#lists.createFolder(title));
  }

  /** Opens the menu of a folder. @param button of its row */
  open(button) {
    const row = this.#lists.rowOf(button);
    const rename = (title) => this.#lists.renameFolder(row, title);
    const items = [
      [common.rename, () => this.#ask(folders.rename, row, rename)],
      [folders.delete, () => this.#lists.deleteFolder(row, folders.deleted), "danger"],
    ];
    const label = common.actions(quoted(row.folder));
    this.#menu.open(label, items, () => button.focus(), button.getBoundingClientRect());
  }

  /** @param row the row of the folder that gets the title; null for a new one */
  #ask(title, row, save) {
    const field = { title, label: folders.field, dir: "auto", value: row?.folder ?? "" };
    this.#dialog.ask("folder", { ...field, required: true }, ({ value }) => {
      const text = value.trim();
      const whyGone = row && this.#lists.whyGone(row);
      const complain = (why) => this.#notes.notify(why);
      if (whyGone) complain(whyGone);
      if (whyGone || text === "" || !fits(text, complain)) return false;
      save(text);
      return true;
    });
  }
}
