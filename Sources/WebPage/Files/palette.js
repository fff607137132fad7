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

  #listCommands;

  /**
   * @param nav its buttons are commands
   * @param listCommands returns the `ListCommands`
   */
  constructor(dialog, lists, nav, page, listCommands) {
    this.#chooser = chooserOf(dialog);
    this.#listCommands = listCommands;
    this.#lists = lists;
    this.#nav = nav;
    this.#page = page;
  }

  async open() {
    const ofRow = this.#page.commands();
    const commands = [...ofRow, ...(await this.#listCommands()).items()];
    const options = [...this.#listOptions(), ...this.#sections(), ...this.#optionsOf(commands)];
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

  #optionsOf(commands) {
    const buttons = [...this.#nav.querySelectorAll(":scope > button:not([hidden])")];
    const ofIndex = buttons.map((button) => [button.textContent, () => button.click()]);
    return [...commands, ...(isGuest ? [] : ofIndex)].map(([name, run, , key]) => ({
      key: `command ${name}`,
      name,
      detail: key ?? "",
      run,
    }));
  }
}
