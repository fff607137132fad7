// All words of the page in English. A language has the same members in a file of its own.

export const en = {
  board: {
    show: "Sections as columns",
    addSection: "Add a section",
    newSection: "New section",
    noColumn: "There is no column on that side.",
    before: "To the column before",
    after: "To the column after",
    shortcut: "on a board: go from column to column, or move the lifted row; with Alt as in a list",
  },
};
