// The question when tasks are due.
import { words } from "./app.js";
import { dayText, dueFrom, dueOf, firstDay, hasMembers, lastDay, valueIn } from "./task-data.js";

/** @param dialog a `FieldDialog` */
export function askDue(page, dialog, tasks) {
  const dueIn = (id) => valueIn(page.list?.tasks.get(id)?.data, "due");
  const former = dueOf(dueIn(tasks[0]));
  const { dueTitle: title, dueDate: label, dueHint: hint } = words.selection;
  const value = former ? dayText(former.date) : "";
  const field = { title, label, hint, type: "date", min: firstDay, max: lastDay, value };
  dialog.ask("date", field, ({ value: day }) => {
    const dueOn = (id) => {
      const due = dueOf(dueIn(id));
      const time = day && due?.hasTime ? due.date.toTimeString().slice(0, 5) : "";
      return dueFrom(day, time, dueIn(id), new Date());
    };
    const steps = tasks
      .filter((task) => page.list.tasks.has(task) && hasMembers(page.list.tasks.get(task).data))
      .map((task) => ({ kind: "update", task, set: { data: { due: dueOn(task) } } }));
    if (steps.length === 0) return;
    if (page.do(steps.length === 1 ? steps[0] : { kind: "group", steps })) page.selected.clear();
    page.arrange();
  });
}
