// The bin: deleted lists, which can be restored.
import { connection } from "./connection.js";
import { closeBeside, dialogRow } from "./dialogs.js";
import { quoted } from "./words.js";

/** Restores a deleted list, and opens it. @returns whether it was restored; if not, a note shows the reason */
export async function restore(id, notes) {
  try {
    await connection.restoreList(id);
  } catch (error) {
    notes.complain(error);
    return false;
  }
  location.hash = id;
  return true;
}

export class BinDialog {
  #dialog;
  #notes;

  /** @param button opens the dialog */
  constructor(dialog, button, notes) {
    this.#dialog = dialog;
    this.#notes = notes;
    button.addEventListener("click", () => this.#open());
    closeBeside(dialog);
  }

  async #open() {
    let lists;
    try {
      lists = await connection.deletedLists();
    } catch (error) {
      this.#notes.complain(error);
      return;
    }
    const part = (name) => this.#dialog.querySelector(`[data-part=${name}]`);
    part("none").hidden = lists.length > 0;
    // The list that was deleted last is the first one.
    lists.sort((one, other) => other.deletedAt.localeCompare(one.deletedAt));
    part("deleted").replaceChildren(...lists.map((list) => this.#item(list)));
    this.#dialog.showModal();
  }

  #item({ id, title, count, deletedAt }) {
    const name = title || "Untitled";
    const date = new Date(deletedAt).toLocaleDateString("en", { dateStyle: "medium" });
    const tasks = count === 1 ? "1 task" : `${count} tasks`;
    return dialogRow(name, `${tasks}, deleted on ${date}`, {
      label: "Restore",
      name: `Restore ${quoted(name)}`,
      run: async () => {
        if (await restore(id, this.#notes)) this.#dialog.close();
      },
    });
  }
}
