// Folders in the sidebar: the menu of a folder, and the dialog for its title.
import { words } from "./language.js";
import { PopupMenu } from "./popup.js";
import { fits } from "./rename.js";
import { quoted } from "./words.js";

const { common, folders } = words;

export class Folders {
  #lists;
  #dialog;
  #notes;
  #menu;

  /**
   * @param nav has the rows, the menu and the button for a new folder
   * @param dialog a `FieldDialog`: asks for a title
   * @param lists changes the folders
   */
  constructor(nav, dialog, lists, notes) {
    this.#lists = lists;
    this.#dialog = dialog;
    this.#notes = notes;
    this.#menu = new PopupMenu(nav.querySelector("[data-part=folderMenu]"));
    nav
      .querySelector("[data-part=newFolder]")
      .addEventListener("click", () =>
        this.#ask(folders.new, null, (title) => lists.createFolder(title)),
      );
    const items = nav.querySelector("[data-part=items]");
    items.addEventListener("click", ({ target }) => {
      const button = target.closest(".more");
      if (button) this.#open(button);
    });
    items.addEventListener("contextmenu", (event) => {
      const button = event.target.closest("li")?.querySelector(".more");
      if (!button || event.defaultPrevented || !this.#lists.mayOrder) return;
      event.preventDefault();
      this.#open(button);
    });
  }

  #open(button) {
    const row = this.#lists.rowOf(button);
    const rename = (title) => this.#lists.renameFolder(row, title);
    const items = [
      [common.rename, () => this.#ask(folders.rename, row, rename)],
      [folders.delete, () => this.#lists.deleteFolder(row), "danger"],
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
