// The bin: deleted lists, which can be restored.
import { connection, dateOf, quoted } from "./app.js";
import { closeBeside, dialogRow } from "./dialogs.js";
import { words } from "./later-words.js";

const { bin, common } = words;

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

  constructor(dialog, notes) {
    this.#dialog = dialog;
    this.#notes = notes;
    closeBeside(dialog);
  }

  async open() {
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
    const name = title || common.untitled;
    return dialogRow(name, bin.deletedOn(count, dateOf(new Date(deletedAt))), {
      label: bin.restore,
      name: bin.restoreList(quoted(name)),
      run: async () => {
        if (await restore(id, this.#notes)) this.#dialog.close();
      },
    });
  }
}
