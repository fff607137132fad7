// Asks where to move tasks or a section, and moves them there.
import { Problem, connection, names, quoted, rootsOf, whyMissing } from "./app.js";
import { words } from "./later-words.js";

const { common, list, rowMenu, steps } = words;

export class PlaceChoice {
  #page;
  #dialog;
  /** The tasks or the section for which the person chooses another place. */
  #moving = [];

  /** @param dialog a `MoveDialog` */
  constructor(page, dialog) {
    this.#page = page;
    this.#dialog = dialog;
  }

  /** Asks for the list or section to move tasks to. */
  async ofTasks(tasks) {
    const page = this.#page;
    const { session } = page;
    try {
      const nodes = tasks.map((id) => page.list.tasks.get(id));
      const place = await this.#choose(rowMenu.move(names(page.list, tasks)), nodes);
      if (!place || session !== page.session) return;
      if (place.list.id !== session.id) await page.actions.moveToList(tasks, place.list, place);
      else this.#moveToSection(tasks, place.section);
    } catch (error) {
      this.#explain(error);
    }
  }

  /** @param nodes the tasks or the section that are to move */
  async #choose(title, nodes) {
    this.#moving = nodes;
    try {
      const isWanted = () => this.#moving === nodes;
      const isSection = Boolean(nodes[0]?.isSection);
      return await this.#dialog.open(this.#page.list, title, isSection, isWanted);
    } finally {
      if (this.#moving === nodes) this.#moving = [];
    }
  }

  /** Called when the list has changed. If somebody else has removed what is to move, no other list is asked for any more. */
  keepThoseIn(list) {
    const why = whyMissing(list, this.#moving);
    if (why === null) return;
    this.#moving = [];
    document.querySelector("dialog.choose").close();
    this.#page.cursor.lose("choosing");
    this.#page.notify(why);
  }

  #explain(error) {
    this.#page.notify(error instanceof Problem ? error.message : list.unmovable);
  }

  /** Asks for the list to move a section with its tasks to. The server moves it. */
  async ofSection(section) {
    const page = this.#page;
    const { id } = page.session;
    try {
      const { list } = (await this.#choose(rowMenu.move(quoted(section.title)), [section])) ?? {};
      if (!list || id !== page.session?.id) return;
      await connection.moveSectionToList(id, section.id, list.id);
      if (id !== page.session?.id) return;
      const undo = { label: common.undo, run: () => page.acts.undo() };
      const to = quoted(list.title || common.untitled);
      page.notify(steps.movedTo(quoted(section.title), to), { action: undo });
    } catch (error) {
      this.#explain(error);
    }
  }

  #moveToSection(tasks, section) {
    const page = this.#page;
    const roots = rootsOf(page.list, tasks).map(({ id }) => id);
    if (page.do({ kind: "move", tasks: roots, to: { section } })) page.selected.clear();
    page.arrange();
  }
}
