// The order of the lists: the list `index`, whose tasks stand for lists (`data.list`). Its other tasks are folders.
import { Problem, Unauthorized, makeID, placement } from "./client.js";
import { connection } from "./connection.js";
import { words } from "./language.js";
import { rights } from "./rights.js";

export const indexID = "index";

/** @returns whether a list is the index: the sidebar and searches do not show it */
export function isIndex(id) {
  return id === indexID;
}

/**
 * A row of the sidebar has a `key`, a `depth`, and one of `list` (as the server returns it), `folder` (its title; and `collapsed`)
 * or `section` (its title). Its `entry` is the task or section of the index, if there is one.
 */
export class ListOrder {
  #session = null;
  #stops = [];
  #isWriting = false;
  /** The folds of a person who may not change the index: they are not stored. */
  #folds = new Map();
  #changed;

  /** @param changed is called when the order has changed */
  constructor(changed) {
    this.#changed = changed;
  }

  /** Whether the index is known to exist, perhaps before the lists that the server returned show it. */
  get exists() {
    return this.#tree !== null;
  }

  /** Listens for changes of the order, or stops. Hidden sidebars do not listen. While the index is created, it stays open. */
  follow(isWanted) {
    if (this.#isWriting && !isWanted) return;
    if (isWanted === Boolean(this.#session?.isOpen)) return;
    this.#stop();
    if (!isWanted) return;
    this.#session = connection.list(indexID, { ownStream: false });
    this.#stops = ["change", "state"].map((event) =>
      this.#session.on(event, () => this.#changed()),
    );
  }

  /**
   * Follows the index, and waits until it is loaded.
   * @param version the oldest version that is new enough: the browser may have stored an older one
   */
  async load(version = 0) {
    this.follow(true);
    const session = await connection.open(indexID);
    while (session.version < version && session.isOpen && session.state !== "gone") {
      await new Promise((resolve) => {
        const stops = ["change", "state"].map((event) => session.on(event, () => end()));
        const end = () => {
          for (const stop of stops) stop();
          resolve();
        };
      });
    }
  }

  /** Forgets the order, because other lists are shown now. */
  forget() {
    this.#stop();
    this.#session = null;
    this.#folds.clear();
  }

  #stop() {
    for (const stop of this.#stops) stop();
    this.#stops = [];
    this.#session?.close();
  }

  get #tree() {
    return this.#session?.state === "gone" ? null : (this.#session?.tree ?? null);
  }

  /** The rows for these lists: first those with an entry, then the others. O(lists and entries) */
  rows(lists) {
    const missing = new Map(lists.map((list) => [list.id, list]));
    const rows = [];
    const add = (entries, depth) => {
      for (const entry of entries) {
        const list = missing.get(entry.data?.list);
        const row = { key: list?.id ?? `task ${entry.id}`, depth, entry };
        if (list) {
          missing.delete(list.id);
          rows.push({ ...row, list });
          add(entry.children, depth + 1);
          continue;
        }
        const { title: folder } = entry;
        const collapsed = this.#folds.get(entry.id) ?? entry.collapsed;
        const start = rows.push({ ...row, folder, collapsed });
        add(entry.children, depth + 1);
        // A list that is deleted, or that the token does not cover, is not shown.
        if (typeof entry.data?.list === "string" && rows.length === start) rows.pop();
        else if (collapsed) rows.length = start;
      }
    };
    for (const section of this.#tree?.containers ?? []) {
      if (section.id !== null) {
        rows.push({
          key: `section ${section.id}`,
          depth: 0,
          section: section.title,
          entry: section,
        });
      }
      add(section.children, 0);
    }
    return [...rows, ...[...missing.values()].map((list) => ({ key: list.id, depth: 0, list }))];
  }

  /**
   * Moves a row to a place among the other rows. The first move creates the index, and needs the network.
   * @param lists all lists: those without an entry get one
   * @param lift the row, from `liftOf`
   * @returns whether it was moved; if not, the event `refused` has the reason
   * @throws {Problem | Unreachable} if the index cannot be created
   */
  async move(lists, lift, place) {
    if (!(await this.#exists(lists))) return false;
    const end = { section: this.#tree.containers.at(-1).id };
    /** The ids of the entries by the rows' keys. */
    const ids = new Map();
    const steps = [];
    for (const { key, list, entry } of this.rows(lists)) {
      const task = entry ?? entryOf(list);
      if (!entry) steps.push({ kind: "create", task, to: end });
      ids.set(key, task.id);
    }
    if (!ids.has(lift.key)) return false;
    // Meanwhile, others may have deleted rows.
    const exists = ({ key }) => ids.has(key);
    const index = lift.rest.slice(0, place.index).filter(exists).length;
    const to = lift.destination(lift.rest.filter(exists), { ...place, index }, ids);
    const move = { kind: "move", tasks: [ids.get(lift.key)], to };
    return this.#session.do(steps.length > 0 ? { kind: "group", steps: [...steps, move] } : move);
  }

  /** Creates the index if it does not exist. @returns false while that is in progress */
  async #exists(lists) {
    if (this.#isWriting) return false;
    if (this.#tree) return true;
    this.#isWriting = true;
    try {
      await create(lists);
      await this.load();
    } finally {
      this.#isWriting = false;
    }
    return true;
  }

  /**
   * Creates a folder after the other entries. Creates the index if it does not exist, as `move` does.
   * @returns whether it was created
   */
  async createFolder(lists, title) {
    if (!(await this.#exists(lists))) return false;
    return this.#create({ id: makeID(), title });
  }

  /** Creates an entry at the end. @returns whether it was created */
  #create(task) {
    const to = { section: this.#tree.containers.at(-1).id };
    return this.#session.do({ kind: "create", task, to });
  }

  renameFolder({ entry }, title) {
    return this.#session.do({ kind: "update", task: entry.id, set: { title } });
  }

  /** Deletes a folder. Its entries take its place. */
  deleteFolder({ entry }) {
    const remove = { kind: "delete", tasks: [entry.id] };
    const folder = this.#tree.tasks.get(entry.id);
    if (!folder?.children.length) return this.#session.do(remove);
    const { section, parent } = placement(folder);
    const to = { ...(parent === null ? { section } : { parent }), after: entry.id };
    const move = { kind: "move", tasks: folder.children.map(({ id }) => id), to };
    return this.#session.do({ kind: "group", steps: [move, remove] });
  }

  /** Adds a new list at the end. */
  add(list) {
    if (this.exists) this.#create(entryOf(list));
  }

  /** Deletes the entry of a deleted list, unless it has other entries inside. */
  remove(id) {
    const entries = [...(this.#tree?.tasks.values() ?? [])];
    const tasks = entries.filter(({ data, children }) => data?.list === id && !children.length);
    if (tasks.length > 0) this.#session.do({ kind: "delete", tasks: tasks.map((task) => task.id) });
  }

  /** Folds or unfolds a folder: for everybody, or only in this window if the index may not be changed. */
  fold({ entry, collapsed }) {
    if (rights.mayWrite(indexID)) {
      this.#session.do({ kind: "collapse", task: entry.id, collapsed: !collapsed });
      return;
    }
    this.#folds.set(entry.id, !collapsed);
    this.#changed();
  }

  /** As of a list. */
  get undoNumber() {
    return this.#session?.undoNumber ?? 0;
  }
  get canRedo() {
    return Boolean(this.#session?.canRedo);
  }
  undo() {
    return Boolean(this.#session?.undo());
  }
  redo() {
    return Boolean(this.#session?.redo());
  }
}

function entryOf({ id, title }) {
  return { id: makeID(), title, data: { list: id } };
}

async function create(lists) {
  try {
    const tasks = lists.map(entryOf);
    await connection.createList({ id: indexID, title: words.lists.title, tasks });
  } catch (error) {
    // Otherwise somebody else has just created it.
    if (!(error instanceof Problem) || error instanceof Unauthorized) throw error;
    if (error.code !== "id_taken") throw error;
  }
}
