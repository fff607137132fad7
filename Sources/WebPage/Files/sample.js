// A list for the first use. It says what can be done with it.
import { makeID } from "./client.js";

const tips = [
  { title: "Drag this task to another place" },
  { title: "Hold a task further to the right while you drag it…" },
  { title: "…and it becomes a subtask, like this one", depth: 1 },
  { title: "Click the circle of a task to complete it" },
  { title: "This task is completed", done: true },
  { section: "More to try" },
  { title: "Right-click a task, or press and hold it, for all actions" },
  { title: "Press ? for the keyboard shortcuts" },
  { title: "Share the address of this page: everybody sees each change at once" },
];

/** The document of a new list. Its tasks have new ids, because the ids of all lists differ. */
export function sampleList() {
  const sections = [];
  const tasks = [];
  const above = [];
  for (const { section, title, depth = 0, done = false } of tips) {
    const id = makeID();
    if (section !== undefined) {
      sections.push({ id, title: section });
      continue;
    }
    above[depth] = id;
    const place =
      depth > 0 ? { parent: above[depth - 1] } : { section: sections.at(-1)?.id ?? null };
    tasks.push({ id, title, done, ...place });
  }
  return { title: "Getting started", sections, tasks };
}
