// The question where to move tasks or a section: to a list, or a section of it.
import { connection, isGuest, rights } from "./app.js";
import { chooserOf, filtered, newListOption } from "./chooser.js";
import { words } from "./later-words.js";

const said = words.chooser;
/** The lists whose sections are asked for. */
const mostWithSections = 20;

export class MoveDialog {
  #chooser;
  #lists;

  /** @param lists the index of all lists */
  constructor(dialog, lists) {
    this.#chooser = chooserOf(dialog);
    this.#lists = lists;
  }

  /**
   * @param list the current list
   * @param isSection whether a section is moved: only to other lists
   * @param isWanted whether the question still makes sense after the lists were fetched
   * @returns the place: `list` (`id` and `title`), and perhaps `section` (its id; null: none) and `name`. Null without one
   * @throws {Problem | Unreachable} if there is no place
   */
  async open(list, title, isSection, isWanted) {
    const own =
      isSection || list.sections.length === 0 ? [] : optionsOf(asPlace(list), list.sections);
    const others = [];
    try {
      if (!isGuest)
        for (const one of await this.#lists.fetch())
          if (one.id !== list.id && rights.mayWrite(one.id)) others.push(optionsOf(one, []));
    } catch (error) {
      if (own.length === 0) throw error;
    }
    if (!isWanted()) return null;
    const find = (text) => {
      const found = filtered([...own, ...others.flat()], text);
      const mayCreate = !isGuest && rights.newListID() !== null;
      return text === "" || !mayCreate ? found : [...found, newListOption(text)];
    };
    const chosen = this.#chooser.choose({ title, label: said.whereTo, hint: said.noPlace }, find);
    if (!isSection) this.#addSections(others);
    const option = await chosen;
    if (option?.newTitle === undefined) return option;
    const made = await this.#lists.create({ title: option.newTitle });
    return made && { list: made };
  }

  /** Shows the sections of the first lists below them. */
  async #addSections(others) {
    await Promise.all(
      others.slice(0, mostWithSections).map(async (options) => {
        const [{ list }] = options;
        try {
          const path = `/lists/${encodeURIComponent(list.id)}/sections`;
          const { sections } = await connection.send("GET", path);
          options.splice(0, 1, ...optionsOf(list, sections));
        } catch {
          // The list alone can be chosen.
        }
      }),
    );
    this.#chooser.show();
  }

  close() {
    this.#chooser.close();
  }
}

function asPlace({ id, settings }) {
  return { id, title: settings.title };
}

/** The options for a list and its sections. */
function optionsOf(list, sections) {
  const name = list.title || words.common.untitled;
  return [
    { key: list.id, name, list, section: sections.length > 0 ? null : undefined },
    ...sections.map(({ id, title }) => ({
      key: `${list.id} ${id}`,
      name: title,
      detail: name,
      depth: 1,
      list,
      section: id,
    })),
  ];
}
