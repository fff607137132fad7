// The commands of a list, by the `kind` of a step. Each has:
//
// check       refuses a step of a wrong form. The list is null if it is not known
// act         the server's rules: calls `apply` with each operation in normal form, or throws the reason to refuse the step
// members     of its op in a batch, which is named as the kind unless there is an `op`; or
// operations  all its ops
// doneIf      the code of a refusal that shows that the list is already as the step wanted it
//
// All windows make the same operations, because an `opId` stands for the same text.
import * as forms from "./forms.js";
import { merged, patchOfItems } from "./merge-patch.js";
import { Refusal } from "./refusal.js";
import * as rules from "./rules.js";

export const commands = {
  move: {
    check({ tasks, to }) {
      forms.checkTasks(tasks);
      forms.checkDestination(to);
    },
    act: (list, { tasks, to }, apply, isUndo) => rules.move(list, tasks, to, apply, isUndo),
    operations({ tasks, to }) {
      const subject = tasks.length === 1 ? { task: tasks[0] } : { tasks };
      return [{ op: "move", ...subject, ...to }];
    },
  },

  create: {
    check({ task, to }) {
      forms.checkNewTask(task);
      forms.checkDestination(to ?? {});
    },
    act: (list, { task, to }, apply, isUndo) => rules.create(list, task, to ?? {}, apply, isUndo),
    operations: ({ task, to }) => [{ op: "create", ...task, ...to }],
  },

  update: {
    members: ["task", "set"],
    check({ task, set }, list) {
      forms.checkTasks([task]);
      forms.checkUpdate(set, list?.tasks.get(task));
    },
    /** `items` are shown at once. The server replaces whole arrays, so `SyncedList` makes another step if it lost items of others. */
    act(list, { task, set, items }, apply) {
      const current = rules.existing(list, task);
      const data = items && { ...set.data, ...patchOfItems(current.data, items) };
      const changed = differing(current, items ? { ...set, data } : set);
      if (changed) apply({ op: "update", task, set: changed });
    },
  },

  collapse: {
    members: ["task", "collapsed"],
    check({ task, collapsed }) {
      forms.checkTasks([task]);
      forms.checkBoolean(collapsed, "collapsed");
    },
    act(list, { task, collapsed }, apply) {
      if (rules.existing(list, task).collapsed !== collapsed)
        apply({ op: "collapse", task, collapsed });
    },
  },

  delete: {
    doneIf: "task_not_found",
    check: ({ tasks }) => forms.checkTasks(tasks),
    act(list, { tasks }, apply) {
      const roots = rules.rootsOf(list, tasks);
      if (roots.some((root) => rules.holdsLocked(list, root))) throw new Refusal("locked");
      for (const root of roots) apply({ op: "delete", task: root.id });
    },
    operations: ({ tasks }) => tasks.map((task) => ({ op: "delete", task })),
  },

  list: {
    members: ["set"],
    check: ({ set }, list) => forms.checkSettings(set, list),
    act(list, { set }, apply) {
      const changed = differing(list.settings, set);
      if (changed) apply({ op: "list", set: changed });
    },
  },

  "section-create": {
    members: ["section", "title", "position", "data", "maxTasks"],
    check({ section, title, position, data }) {
      forms.checkID(section, "section");
      forms.checkTitle(title, "section");
      forms.checkPosition(position);
      forms.checkData(data, `The section ${forms.quoted(title)}`);
    },
    act(list, { section, title, position, data, maxTasks }, apply) {
      if (list.section(section)) throw rules.taken(section);
      const end = list.sections.length;
      const operation = { op: "section-insert", section, title };
      operation.position = Math.min(position ?? end, end);
      apply({ ...operation, data: data ?? undefined, ...(maxTasks && { maxTasks }) });
    },
  },

  /** Changes the title, the data and the limit of a section; `undefined` keeps them. */
  "section-rename": {
    op: "section-update",
    members: ["section", "title", "data", "maxTasks"],
    check({ section, title, data, maxTasks }, list) {
      forms.checkReference(section);
      if (title !== undefined) forms.checkTitle(title, "section");
      if (title === undefined && data === undefined && maxTasks === undefined)
        forms.refuse("A section is changed by its title, its data or its limit.");
      if (!forms.isLimit(maxTasks))
        forms.refuse("“maxTasks” of a section must be a whole number from 1, or null.");
      const former = list?.sections.find(({ id }) => id === section);
      forms.checkPatch(data, former?.data, `The section ${forms.quoted(former?.title ?? "")}`);
    },
    act(list, { section: id, title, data, maxTasks }, apply) {
      const section = rules.existingSection(list, id);
      // The operation always has the title.
      const changed = differing(section, { title, data, maxTasks });
      if (changed) apply({ op: "section-update", section: id, title: section.title, ...changed });
    },
  },

  "section-move": {
    members: ["section", "position"],
    check({ section, position }) {
      forms.checkReference(section);
      if (!forms.isCount(position))
        forms.refuse("The position of a section must be a whole number from 0.");
    },
    act(list, { section, position }, apply) {
      const current = list.sections.indexOf(rules.existingSection(list, section));
      const wanted = Math.min(position, list.sections.length - 1);
      if (current === wanted) return;
      const before = rules.lockedTopLevel(list);
      apply({ op: "section-move", section, position: wanted });
      const after = rules.lockedTopLevel(list);
      if (before.some((node, index) => after[index] !== node)) throw new Refusal("locked");
    },
  },

  /** Its tasks move to the end of the tasks without a section. */
  "section-delete": {
    members: ["section"],
    doneIf: "section_not_found",
    check: ({ section }) => forms.checkReference(section),
    act(list, { section: id }, apply) {
      const section = rules.existingSection(list, id);
      const end = list.unsectioned.children.length;
      const displaces =
        section.children.length > 0 &&
        rules.displacesLocked(list, { parent: list.unsectioned, position: end });
      if (displaces || section.children.some((node) => rules.isLocked(list, node)))
        throw new Refusal("locked");
      for (const [index, task] of [...section.children].entries())
        apply({ op: "move", task: task.id, section: null, parent: null, position: end + index });
      apply({ op: "section-delete", section: id });
    },
  },
};

/** The values of an update that differ from the current ones; null if there are none. `data` is a patch in the update only. */
function differing(current, set) {
  const values = set.data === undefined ? set : { ...set, data: merged(current.data, set.data) };
  const changed = Object.entries(values).filter(
    ([name, value]) =>
      value !== undefined && JSON.stringify(value) !== JSON.stringify(current[name] ?? null),
  );
  return changed.length > 0 ? Object.fromEntries(changed) : null;
}
