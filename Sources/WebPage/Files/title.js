// The title of the open list. A click lets the person edit it.
import { onKey } from "./key.js";
import { words } from "./language.js";
import { renameInPlace } from "./rename.js";

export class ListTitle {
  #button;
  #page;

  constructor({ title }, page) {
    this.#button = title.firstElementChild;
    this.#page = page;
    this.#button.addEventListener("click", () => this.edit());
    onKey(title, (key) => key === "F2" && this.edit());
  }

  show(text) {
    this.#button.textContent = text;
    document.title = text;
  }

  /** @param mayEdit whether a click edits the title */
  update(mayEdit) {
    this.#button.ariaDisabled = mayEdit ? null : "true";
    this.#button.ariaDescription = mayEdit ? words.list.rename : null;
  }

  /** @param typed a title that was typed before a reload */
  edit(typed) {
    const page = this.#page;
    if (!page.mayEdit || !page.list) return true;
    const { title } = page.list.settings;
    const save = (text) => {
      if (text !== undefined && text !== title) page.do({ kind: "list", set: { title: text } });
    };
    const draft = { list: page.session.id, key: null, text: typed };
    renameInPlace(this.#button, title, draft, this.#button, save, page.complain);
    return true;
  }
}
