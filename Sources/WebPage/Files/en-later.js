// The words of the second script in English.

export const english = {
  /** The details of a task. */
  pane: {
    title: "Details",
    close: "Close",
    name: "Title",
    notes: "Notes",
    date: "Due",
    time: "Time",
    labels: "Labels",
    newLabel: "Add a label",
    removeLabel: (label) => `Remove the label ${label}`,
    priority: "Priority",
    url: "Link",
    visit: "Open the link",
    foreign: "An app stores other data with this task.",
    tooLarge: "This is too much text. Make it shorter, then it is saved.",
    notLink: "A link begins with http:// or https://.",
    manyLabels: (count) => `A task has at most ${count} labels.`,
  },
  /** Due dates, and the view of them. */
  due: {
    title: "Due",
    groups: ["Overdue", "Today", "Tomorrow", "This week", "Later"],
    none: "Nothing is due.",
    isCut: (count) => `The first ${count} tasks are shown.`,
    /** Words before a day that belong to it. */
    before: ["on", "by", "due", "this"],
    offer: (day) => `Due ${day}`,
    offered: (offer) => `${offer}? Alt+Enter sets it.`,
  },
};
