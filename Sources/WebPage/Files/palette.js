// Ctrl+K: opens lists and sections, and runs the commands of the menus.
import { isGuest, quoted, rights, sectionKey } from "./app.js";
import { chooserOf, filtered, newListOption } from "./chooser.js";
import { words } from "./later-words.js";

const said = words.chooser;

export class Palette {
  #chooser;
  #lists;
  #nav;
  #page;

  #listCommands;
  #shortcuts;

  /**
   * @param nav its buttons are commands
   * @param listCommands loads the `ListCommands`
   * @param shortcuts shows the shortcuts
   */
  constructor(dialog, lists, nav, page, listCommands, shortcuts) {
    this.#chooser = chooserOf(dialog);
    this.#listCommands = listCommands;
    this.#lists = lists;
    this.#nav = nav;
    this.#page = page;
    this.#shortcuts = shortcuts;
  }

  async open() {
    const { activeElement } = document;
    const ofList = (await this.#listCommands.load()).items();
    const commands = [...(await this.#ofRow(activeElement)), ...this.#withKeys(), ...ofList];
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

  /** What the person can do with the row of an element, as the items of a menu. The fourth member is the row's title. */
  async #ofRow(element) {
    const key = element.closest(".canvas [data-key]")?.dataset.key;
    const row = this.#page.mayEdit && this.#page.row(key);
    if (!row || row.kind === "adder") return [];
    const title = quoted((row.task ?? row.section).title);
    const menu = await this.#page.menu.load();
    return menu.items(row).map(([name, run]) => [name, run, "", title]);
  }

  /** What keys do, as the items of a menu. The fourth member is the key. */
  #withKeys() {
    const { acts, list, mayEdit, search } = this.#page;
    const { common, search: searching, list: texts } = words;
    const commands = [];
    if (mayEdit && list) commands.push([common.addTask, () => this.#page.beginTask(), "", "N"]);
    if (list) commands.push([searching.field, () => search.open(), "", "/"]);
    if (acts.canUndo) commands.push([common.undo, () => acts.undo(), "", "Ctrl+Z"]);
    if (acts.canRedo) commands.push([common.redo, () => acts.redo(), "", "Ctrl+Y"]);
    if (list) commands.push([texts.shortcuts, () => this.#shortcuts.open(), "", "?"]);
    return commands;
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
