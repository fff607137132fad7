// A copy of the server's list. It is made from the list's document, and operations in normal form change it to later versions. It
// checks no rules: rules.js does that.
import { patchBetween } from "./merge-patch.js";

/** The operations do not fit this list: its document must be fetched again. */
export class DoesNotFit extends Error {}

export class List {
  /** @param document the response to `GET /lists/:id` */
  constructor(document) {
    this.id = document.id;
    this.settings = {
      title: document.title,
      elementsOffset: document.elementsOffset,
      collapseSubElements: document.collapseSubElements,
      moves: document.moves,
      maxDepth: document.maxDepth ?? null,
      maxTasksPerSection: document.maxTasksPerSection ?? null,
      tasksPerParent: document.tasksPerParent ?? null,
      data: document.data ?? null,
    };
    this.times = { createdAt: document.createdAt, updatedAt: document.updatedAt };
    this.tasks = new Map();
    this.unsectioned = new Section(null, "");
    this.sections = document.sections.map(
      ({ id, title, data, maxTasks }) => new Section(id, title, data, maxTasks),
    );
    for (const task of document.tasks) {
      const parent = this.container(task.section, task.parent);
      this.#insert(task, parent, parent.children.length);
    }
  }

  /** The list as a document from which `new List` makes it again. O(tasks) */
  get document() {
    const tasks = [];
    for (const section of this.containers) {
      for (const child of section.children) {
        for (const task of subtree(child)) {
          const parent = task.parent.isSection ? null : task.parent.id;
          tasks.push({ ...task, section: section.id, parent, children: undefined });
        }
      }
    }
    const sections = this.sections.map(sectionContent);
    return { id: this.id, ...this.settings, ...this.times, sections, tasks };
  }

  /** All sections in order. The first one holds the tasks without a section. */
  get containers() {
    return [this.unsectioned, ...this.sections];
  }

  section(id) {
    return id === null ? this.unsectioned : this.sections.find((section) => section.id === id);
  }

  /** The node of a task's parent, or of its section if it has no parent. */
  container(section, parent) {
    const node =
      parent === null || parent === undefined
        ? this.section(section ?? null)
        : this.tasks.get(parent);
    if (!node) throw new DoesNotFit();
    return node;
  }

  /**
   * Applies one operation of a change of the server, which was made at the time `at` by this author (undefined: unknown). The tasks
   * that it names get both, and the list gets that time.
   */
  applyAt(operation, at, by) {
    this.apply(operation);
    this.times.updatedAt = at;
    const { op, task, set } = operation;
    if (op !== "move" && op !== "update" && op !== "collapse") return;
    const node = this.#task(task);
    node.updatedAt = at;
    node.updatedBy = by;
    if (set?.done === undefined) return;
    node.completedAt = set.done ? (set.completedAt ?? at) : undefined;
    node.completedBy = set.done ? (set.completedAt ? set.completedBy : by) : undefined;
  }

  /**
   * Applies one operation in normal form, and returns the operations that undo it. Times stay as they are: a step without a response
   * has none.
   * O(siblings), and O(tasks of the subtree) for `delete`.
   */
  apply(operation) {
    const { op, set, position } = operation;
    switch (op) {
      case "move": {
        const node = this.#task(operation.task);
        const target = this.container(operation.section, operation.parent);
        if (isInside(target, node)) throw new DoesNotFit();
        const back = { op, task: node.id, ...placement(node) };
        node.parent.children.splice(back.position, 1);
        if (position > target.children.length) {
          node.parent.children.splice(back.position, 0, node);
          throw new DoesNotFit();
        }
        node.parent = target;
        target.children.splice(position, 0, node);
        return [back];
      }
      case "insert": {
        const { task } = operation;
        const target = this.container(task.section, task.parent);
        if (this.tasks.has(task.id) || task.position > target.children.length)
          throw new DoesNotFit();
        this.#insert(task, target, task.position);
        return [{ op: "delete", task: task.id }];
      }
      case "update": {
        const node = this.#task(operation.task);
        const back = {};
        for (const name of Object.keys(set)) {
          if (name === "completedAt" || name === "completedBy") continue;
          back[name] = node[name];
          node[name] = set[name] ?? undefined; // null: no data
        }
        return [{ op, task: node.id, set: back }];
      }
      case "collapse": {
        const node = this.#task(operation.task);
        const back = { op, task: node.id, collapsed: node.collapsed };
        node.collapsed = operation.collapsed;
        return [back];
      }
      case "delete": {
        const node = this.#task(operation.task);
        const back = [];
        for (const task of subtree(node)) {
          back.push({ op: "insert", task: { ...task, ...placement(task), children: undefined } });
          this.tasks.delete(task.id);
        }
        node.parent.children.splice(back[0].task.position, 1);
        return back;
      }
      case "list": {
        const back = {};
        for (const name of Object.keys(set)) back[name] = this.settings[name] ?? null;
        Object.assign(this.settings, set);
        return [{ op, set: back }];
      }
      default:
        return this.#applyToSections(operation);
    }
  }

  /** The steps that undo an operation in normal form which is about to be applied. Their `expects` is what it leaves behind. */
  undoOf({ op, task: id, section, set, title, data, maxTasks }) {
    switch (op) {
      case "move": {
        const node = this.#task(id);
        const back = { kind: "move", tasks: [id], to: placeBesideNeighbors(node) };
        // With this setting, moving the task back may collapse it.
        const isOpen =
          this.settings.collapseSubElements && !node.collapsed && node.children.length > 0;
        return isOpen ? [back, { kind: "collapse", task: id, collapsed: false }] : [back];
      }
      case "insert":
        return [{ kind: "delete", tasks: [id.id], expects: contentOf(id) }];
      case "update":
        return [{ kind: "update", task: id, set: updateBack(this.#task(id), set), expects: set }];
      case "collapse":
        return [{ kind: "collapse", task: id, collapsed: this.#task(id).collapsed }];
      case "delete": {
        const [root, ...others] = subtree(this.#task(id));
        return [
          { kind: "create", task: contentOf(root), to: placeBesideNeighbors(root) },
          ...others.map((task) => ({
            kind: "create",
            task: contentOf(task),
            to: { parent: task.parent.id },
          })),
        ];
      }
      case "list":
        return [{ kind: "list", set: updateBack(this.settings, set), expects: set }];
      case "section-insert":
        return [
          {
            kind: "section-delete",
            section,
            expects: { title, ...(data && { data }), ...(maxTasks && { maxTasks }) },
          },
        ];
      case "section-update": {
        const former = this.section(section);
        const back = { kind: "section-rename", section, expects: {} };
        if (former.title !== title) {
          back.title = former.title;
          back.expects.title = title;
        }
        if (data !== undefined) {
          back.data = patchBetween(data, former.data ?? null);
          back.expects.data = data;
        }
        if (maxTasks !== undefined) {
          back.maxTasks = former.maxTasks ?? null;
          back.expects.maxTasks = maxTasks;
        }
        return [back];
      }
      default: {
        const position = this.sections.findIndex((one) => one.id === section);
        if (op === "section-move") return [{ kind: "section-move", section, position }];
        const former = this.sections[position];
        const back = { kind: "section-create", section, title: former.title, position };
        if (former.data !== undefined) back.data = former.data;
        if (former.maxTasks !== undefined) back.maxTasks = former.maxTasks;
        return [back];
      }
    }
  }

  #applyToSections({ op, section: id, title, position, data, maxTasks }) {
    if (op === "section-insert") {
      if (this.section(id) || position > this.sections.length) throw new DoesNotFit();
      this.sections.splice(position, 0, new Section(id, title, data, maxTasks));
      return [{ op: "section-delete", section: id }];
    }
    const index = this.sections.findIndex((section) => section.id === id);
    if (index < 0) throw new DoesNotFit();
    const section = this.sections[index];
    switch (op) {
      case "section-update": {
        const back = { op, section: id, title: section.title };
        section.title = title;
        if (data !== undefined) {
          back.data = section.data ?? null;
          section.data = data ?? undefined;
        }
        if (maxTasks !== undefined) {
          back.maxTasks = section.maxTasks ?? null;
          section.maxTasks = maxTasks ?? undefined;
        }
        return [back];
      }
      case "section-move":
        this.sections.splice(index, 1);
        this.sections.splice(position, 0, section);
        return [{ op, section: id, position: index }];
      case "section-delete":
        if (section.children.length > 0) throw new DoesNotFit();
        this.sections.splice(index, 1);
        return [
          {
            op: "section-insert",
            section: id,
            title: section.title,
            position: index,
            data: section.data,
            maxTasks: section.maxTasks,
          },
        ];
      default:
        throw new DoesNotFit();
    }
  }

  #task(id) {
    const node = this.tasks.get(id);
    if (!node) throw new DoesNotFit();
    return node;
  }

  #insert(task, parent, position) {
    const node = new Task(task, parent);
    if (position === parent.children.length) parent.children.push(node);
    else parent.children.splice(position, 0, node);
    this.tasks.set(node.id, node);
  }

  /**
   * The rows of a table view, from top to bottom: visible tasks (`Row`), and a header before each section. O(visible rows), and a new
   * object only for what had no row
   * @param last returns a row that is shown after those of a section, if there are any
   */
  rows(last) {
    const rows = [];
    for (const section of this.containers) {
      if (section.row) rows.push(section.row);
      addRows(section.children, section, 0, rows);
      if (last && rows.at(-1)?.section === section) rows.push(last(section));
    }
    return rows;
  }
}

/** A section of a list, or the place of the tasks without a section (its id is null). */
class Section {
  isSection = true;
  parent = null;
  children = [];
  #row;

  constructor(id, title, data, maxTasks) {
    this.id = id;
    this.title = title;
    this.data = data ?? undefined;
    if (maxTasks) this.maxTasks = maxTasks;
    if (id !== null) this.#row = { key: sectionKey(id), kind: "section", section: this, depth: 0 };
  }

  /** The header; undefined above the first section. It is always the same object. */
  get row() {
    return this.#row;
  }
}

/** A task of a list. */
class Task {
  #row = null;

  constructor(task, parent) {
    this.id = task.id;
    this.title = task.title;
    this.done = Boolean(task.done);
    this.locked = Boolean(task.locked);
    this.collapsed = Boolean(task.collapsed);
    this.data = task.data;
    this.createdAt = task.createdAt;
    this.updatedAt = task.updatedAt;
    this.completedAt = task.completedAt;
    this.createdBy = task.createdBy;
    this.updatedBy = task.updatedBy;
    this.completedBy = task.completedBy;
    this.parent = parent;
    this.children = [];
  }

  /** The row that shows the task. It is always the same object. */
  get row() {
    return (this.#row ??= new Row(this));
  }
}

/** A visible task. */
class Row {
  kind = "task";
  section = null;
  depth = 0;
  position = 0;

  constructor(task) {
    this.key = task.id;
    this.task = task;
  }

  get id() {
    return this.key;
  }
  get collapsed() {
    return this.task.collapsed;
  }

  /** Brings the row up to date, and returns it. */
  placed(section, depth, position) {
    this.section = section;
    this.depth = depth;
    this.position = position;
    return this;
  }
}

/** Ids have no spaces, so no task has such a key. */
export function sectionKey(id) {
  return `section ${id}`;
}

function addRows(children, section, depth, rows) {
  for (let position = 0; position < children.length; position += 1) {
    const task = children[position];
    rows.push(task.row.placed(section, depth, position));
    if (!task.collapsed && task.children.length > 0) {
      addRows(task.children, section, depth + 1, rows);
    }
  }
}

/** A section as plain data, without its tasks. */
export function sectionContent({ id, title, data, maxTasks }) {
  return maxTasks === undefined ? { id, title, data } : { id, title, data, maxTasks };
}

/** The place of a task, in the form of operations and destinations. */
export function placement(node) {
  const { parent } = node;
  return {
    section: sectionOf(node).id,
    parent: parent.isSection ? null : parent.id,
    position: parent.children.indexOf(node),
  };
}

/** A task's place as a destination that is still right after other moves. */
export function placeBesideNeighbors(node) {
  const { section, parent, position } = placement(node);
  const siblings = node.parent.children;
  const to = parent === null ? { section, position } : { parent, position };
  if (siblings[position - 1]) to.after = siblings[position - 1].id;
  if (siblings[position + 1]) to.before = siblings[position + 1].id;
  return to;
}

/** The update that takes back one which is about to set these values. */
function updateBack(current, set) {
  const back = Object.fromEntries(Object.keys(set).map((name) => [name, current[name] ?? null]));
  if (set.data !== undefined) back.data = patchBetween(set.data, back.data);
  return back;
}

/** A task without its place, as in a request that creates it. */
function contentOf({ id, title, done, locked, collapsed, data }) {
  const content = { id, title, done: Boolean(done), locked: Boolean(locked) };
  content.collapsed = Boolean(collapsed);
  if (data !== undefined && data !== null) content.data = data;
  return content;
}

export function sectionOf(node) {
  let above = node;
  while (!above.isSection) above = above.parent;
  return above;
}

/** The number of a task's ancestors. */
export function depthOf(node) {
  let depth = 0;
  for (let above = node.parent; !above.isSection; above = above.parent) depth += 1;
  return depth;
}

/** Whether `node` is `other`, or a descendant of `other`. */
export function isInside(node, other) {
  for (let above = node; above; above = above.parent) if (above === other) return true;
  return false;
}

/** A task and its descendants, each parent before its children. */
export function* subtree(node) {
  yield node;
  for (const child of node.children) yield* subtree(child);
}

/** The number of a task's descendants. */
export function countDescendants(node) {
  let count = node.children.length;
  for (const child of node.children) count += countDescendants(child);
  return count;
}
