// The words of the page in English, without those of `en-later.js`. A language has the members of both in a file of its own.

export const en = {
  /** What a task's `data` says. */
  data: {
    priorities: ["None", "High", "Medium", "Low"],
    priority: (name) => `priority: ${name}`,
    due: (day) => `due ${day}`,
    overdue: (day) => `overdue since ${day}`,
    marks: { notes: "has notes", url: "has a link" },
  },
  detail: {
    open: (name) => `Details of ${name}`,
    menu: "Details…",
    shortcut: "notes, due date, labels and priority of the row",
    due: "Due",
  },
  notLoaded: "This can’t be loaded while the server can’t be reached.",
  subtasks: (count) => (count === 1 ? "Also its subtask" : `Also its ${count} subtasks`),
};
