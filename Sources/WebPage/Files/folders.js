// Folders in the sidebar: the menu of a folder, and the dialog for its title.
import { words } from "./language.js";
import { PopupMenu } from "./popup.js";
import { fits } from "./rename.js";
import { quoted } from "./words.js";

const { common, folders } = words;

export class Folders {
  #lists;
  #dialog;
  #menu;
  /** Called with the title that was entered in the dialog. */
  #save = () => {};
  /** The row of the folder that gets the title; null for a new one. */
  #row = null;

  /**
   * @param nav has the rows, the menu and the button for a new folder
   * @param dialog asks for a title
   * @param lists changes the folders
   */
  constructor(nav, dialog, lists, notes) {
    this.#lists = lists;
    this.#dialog = dialog;
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
    dialog.querySelector("[data-part=cancel]").addEventListener("click", () => dialog.close());
    dialog.querySelector("form").addEventListener("submit", (event) => {
      const title = this.#field.value.trim();
      const whyGone = this.#row && this.#lists.whyGone(this.#row);
      if (whyGone) notes.notify(whyGone);
      if (whyGone || title === "" || !fits(title, (text) => notes.notify(text)))
        event.preventDefault();
      else this.#save(title);
    });
  }

  get #field() {
    return this.#dialog.querySelector("input");
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

  #ask(heading, row, save) {
    this.#dialog.querySelector("h2").textContent = heading;
    this.#field.value = row?.folder ?? "";
    this.#row = row;
    this.#save = save;
    this.#dialog.showModal();
    this.#field.select();
  }
}
