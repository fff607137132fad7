// Ctrl+K: opens lists and sections, and runs the commands of the menus.
import { isGuest, rights, sectionKey } from "./app.js";
import { chooserOf, filtered, newListOption } from "./chooser.js";
import { words } from "./later-words.js";

const said = words.chooser;

export class Palette {
  #chooser;
  #lists;
  #nav;
  #page;

  /** @param nav its buttons are commands */
  constructor(dialog, lists, nav, page) {
    this.#chooser = chooserOf(dialog);
    this.#lists = lists;
    this.#nav = nav;
    this.#page = page;
  }

  async open() {
    const options = [...this.#listOptions(), ...this.#sections(), ...this.#commands()];
    const find = (text) => {
      const mayCreate = text !== "" && !isGuest && rights.newListID() !== null;
      return [...filtered(options, text), ...(mayCreate ? [newListOption(text)] : [])];
    };
    const about = { title: said.goTo, label: said.goToField, hint: said.none };
    const option = await this.#chooser.choose(about, find);
    if (option?.newTitle !== undefined) this.#lists.createAndOpen({ title: option.newTitle });
    else option?.run();
  }

  #listOptions() {
    if (isGuest) return [];
    return this.#lists
      .find(() => true)
      .map(({ id, title }) => ({
        key: `list ${id}`,
        name: title || words.common.untitled,
        detail: words.findAll.list,
        run: () => {
          location.hash = id;
        },
      }));
  }

  #sections() {
    const { list, cursor } = this.#page;
    return (list?.sections ?? []).map(({ id, title }) => ({
      key: `section ${id}`,
      name: title,
      detail: said.section,
      run: () => cursor.focus(sectionKey(id)),
    }));
  }

  #commands() {
    const buttons = [...this.#nav.querySelectorAll(":scope > button:not([hidden])")];
    const ofIndex = buttons.map((button) => [button.textContent, () => button.click()]);
    return [...this.#page.commands(), ...(isGuest ? [] : ofIndex)].map(([name, run, , key]) => ({
      key: `command ${name}`,
      name,
      detail: key ?? "",
      run,
    }));
  }
}
