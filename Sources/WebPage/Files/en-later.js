// The words of the second script in English.

const number = new Intl.NumberFormat("en").format;

export const english = {
  /** The details of a task. */
  pane: {
    date: "Due",
    foreign: "An app stores other data with this task.",
    labels: "Labels",
    manyLabels: (count) => `A task has at most ${number(count)} labels.`,
    newLabel: "Add a label",
    notes: "Notes",
    notLink: "A link begins with http:// or https://.",
    priority: "Priority",
    removeLabel: (label) => `Remove the label ${label}`,
    time: "Time",
    title: "Details",
    tooLarge: "This is too much text. Make it shorter, then it is saved.",
    url: "Link",
    visit: "Open the link",
  },
  /** Due dates, and the view of them. */
  due: {
    /** Words before a day that belong to it. */
    before: ["on", "by", "due", "this"],
    groups: ["Overdue", "Today", "Tomorrow", "This week", "Later"],
    isCut: (count) => `The first ${number(count)} tasks are shown.`,
    none: "Nothing is due.",
    offer: (day) => `Due ${day}`,
    offered: (offer) => `${offer}? Alt+Enter sets it.`,
  },
};
