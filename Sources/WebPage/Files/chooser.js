// The dialog in which a person chooses one of many: a list or section to move to, or what to open and do.
import { contains, onKey, quoted } from "./app.js";
import { closeBeside } from "./dialogs.js";
import { words } from "./later-words.js";
import { Options } from "./options.js";

const mostShown = 100;

class Chooser {
  #dialog;
  #field;
  #options;
  /** Returns the options for a text. */
  #find = () => [];
  #chosen = () => {};

  constructor(dialog) {
    this.#dialog = dialog;
    this.#field = dialog.querySelector("input");
    this.#options = new Options(this.#field, dialog.querySelector("ul"), (option) => {
      this.#chosen(option);
      dialog.close();
    });
    this.#field.addEventListener("input", () => this.show());
    onKey(this.#field, (key) => {
      if (key === "Control+k") dialog.close();
      return key === "Control+k";
    });
    dialog.addEventListener("close", () => dialog.open || this.#chosen(null)); // it may ask the next question
    closeBeside(dialog);
  }

  /**
   * @param about the `title`, the `label` of the field, and a `hint` if nothing is found
   * @param find returns the options for a text
   * @returns the chosen option, or null
   */
  choose({ title, label, hint }, find) {
    this.#dialog.querySelector("h2").textContent = title;
    this.#dialog.querySelector(".hint").textContent = hint;
    this.#field.ariaLabel = label;
    this.#field.placeholder = label;
    this.#field.value = "";
    this.#find = find;
    this.#options.show([]);
    this.#dialog.showModal();
    this.show();
    return new Promise((resolve) => {
      this.#chosen = resolve;
    });
  }

  /** Shows the options, which may have changed. */
  show() {
    const options = this.#find(this.#field.value.trim()).slice(0, mostShown);
    this.#options.show(options, true);
    this.#dialog.querySelector(".hint").hidden = options.length > 0;
  }

  close() {
    this.#dialog.close();
  }
}

let made;

/** The only chooser. */
export function chooserOf(dialog) {
  made ??= new Chooser(dialog);
  return made;
}

/** The options whose name or detail contains a text; all without one. */
export function filtered(options, text) {
  const isFound = (part) => part !== undefined && contains(part, text);
  return text === "" ? options : options.filter(({ name, detail }) => [name, detail].some(isFound));
}

/** The option that makes a list with this title. */
export function newListOption(text) {
  return { key: "new", name: words.chooser.newList(quoted(text)), newTitle: text };
}
