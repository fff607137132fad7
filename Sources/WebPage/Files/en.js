// The words of the page in English, without those of `en-later.js`. Another language has the members of both in a file of its own.
//
// Words in [brackets] are keys.

const number = new Intl.NumberFormat("en").format;
const tasks = (count) => (count === 1 ? "1 task" : `${number(count)} tasks`);
const changes = (count) => (count === 1 ? "1 change" : `${number(count)} changes`);
const waiting = (count) => `${changes(count)} ${count === 1 ? "is" : "are"} not sent`;

export const en = {
  language: "en",
  common: {
    actions: (name) => `Actions for ${name}`,
    addSection: "Add a section",
    addTask: "Add a task",
    addTaskTo: (name) => `Add a task to ${name}`,
    aTask: "a task",
    cancel: "Cancel",
    close: "Close",
    delete: "Delete",
    quoted: (text) => `“${text}”`,
    redo: "Redo",
    rename: "Rename",
    save: "Save",
    tasks,
    title: "Title",
    undo: "Undo",
    unreachable: "The server can’t be reached.",
    untitled: "Untitled",
    move: "Move…",
  },
  /** What was done: announcements of steps. */
  steps: {
    added: (what) => `Added ${what}`,
    addedSection: (what) => `Added the section ${what}`,
    changed: (what) => `Changed ${what}`,
    changedSection: (what) => `Changed the section ${what}`,
    changedSettings: "Changed the settings of the list",
    completed: (what) => `Completed ${what}`,
    copied: (what) => `Copied ${what}`,
    deleted: (what) => `Deleted ${what}`,
    deletedSection: (what) => `Deleted the section ${what}`,
    done: (what) => `${what} is done`,
    doneAgain: "Done again.",
    folded: (what) => `Folded ${what}`,
    moved: (what) => `Moved ${what}`,
    movedSection: (what) => `Moved the section ${what}`,
    movedTo: (what, list) => `Moved ${what} to ${list}`,
    notDone: (what) => `${what} is not done`,
    renamed: (title) => `Renamed to ${title}`,
    reopened: (what) => `${what} are not completed`,
    undidChange: "Undid a change",
    undone: "Undone.",
    unfolded: (what) => `Unfolded ${what}`,
  },
  /** Why something is not shown or not possible. */
  reasons: {
    anchor_gone: "That place does not exist any more.",
    body_too_large: "The text is too long.",
    cycle: "A task can’t move into its own subtasks.",
    depth_limit: "Tasks can be nested at most 16 levels deep.",
    forbidden: "The token does not allow that.",
    history_gone: "That can’t be undone any more.",
    list_full: "The list is full.",
    list_not_found: "This list was deleted.",
    locked: "A locked row can’t be moved, deleted or displaced.",
    max_depth: "In this list, tasks can’t be nested so deep.",
    not_siblings: "In this list, tasks can only be moved among their siblings.",
    parent_full: "A task would have too many subtasks for this list.",
    section_full: "The section is full.",
    section_not_found: "That section was deleted.",
    share_limit: "There are too many links. Take one back first.",
    task_not_found: "That task was deleted.",
    undo_conflict: "That can’t be undone any more.",
    unreachable: "That is possible only while the server can be reached.",
  },
  refusals: {
    deleted: (what) => `${what} was deleted, or moved to another list.`,
    hidden: (what) => `${what} is hidden now.`,
    last: (count, text) => `${changes(count)} were refused. The last one: ${text}`,
    newest: (count, shown, text) =>
      `${changes(count)} were refused. The last ${number(shown)}: ${text}`,
    ok: "OK",
    refused: "The server refused that.",
    several: (count, text) => `${changes(count)} were refused. ${text}`,
    titleTooLong: "The title is too long.",
  },
  titles: {
    several: (first, second, left) => `${first}, ${second} and ${number(left)} more`,
    two: (first, second) => `${first} and ${second}`,
  },
  /** The state of the open list. */
  state: {
    gone: "This list does not exist",
    live: "Live",
    loading: "Loading…",
    locked: (count) => (count > 0 ? `No access, ${number(count)} waiting` : "No access"),
    offline: (count) => (count > 0 ? `Offline, ${number(count)} waiting` : "Offline"),
    saving: "Saving…",
    unsaved: (count) => `Can’t save, ${number(count)} waiting`,
  },
  /** Announcements of another state. */
  news: {
    inWindow: "Your changes are in this window",
    kept: "Your changes are kept",
    live: "The server is back.",
    locked: (kept) => `The server requires a valid token. ${kept}.`,
    offline: (kept) => `The server can’t be reached. ${kept}, and sent when it is back.`,
  },
  /** Changes that wait and are perhaps never sent. */
  waiting: {
    discard: "Discard",
    discardButton: "Discard…",
    gone: (count) => `${waiting(count)}, because the list does not exist.`,
    locked: (count) => `You have no access to this list. ${waiting(count)}.`,
    more: (count) => `${number(count)} more`,
    notKept: "Changes are not kept on this device until they are sent.",
    question: (count) => `Discard ${changes(count)}?`,
    text: (count) => {
      const it = count === 1 ? "it" : "them";
      return `You made ${it} here, and the server does not have ${it}. This can’t be undone.`;
    },
  },
  /** Lifted rows. */
  lifting: {
    cancelled: "Move cancelled.",
    deeper: "Can’t go deeper here.",
    down: "Can’t go further down.",
    endSearch: "End the search to move rows.",
    furtherOut: "Can’t go further out here.",
    inSection: (section) => `in ${section}`,
    level: (level) => `level ${number(level)}`,
    lifted: (place) => `Lifted. Arrow keys move it, Space drops it, Escape cancels. ${place}`,
    position: (place, count) => `Position ${number(place)} of ${number(count)}`,
    putBack: "Put back where it was.",
    section: (place, count) => `Section ${number(place)} of ${number(count)}`,
    under: (parent) => `under ${parent}`,
    up: "Can’t go further up.",
  },
  /** The buttons that move a lifted row. */
  mover: {
    down: "Down",
    drop: "Drop",
    into: "Into the row above",
    label: "Move the lifted row",
    out: "Out of its parent",
    up: "Up",
  },
  row: {
    addSubtask: (name) => `Add a subtask to ${name}`,
    addTaskAbove: "Add a task above",
    deleteSection: (name) => `Delete the section ${name}; its tasks stay`,
    delete: (name) => `Delete ${name}`,
    done: "done",
    doneBox: (name) => `Done: ${name}`,
    draggedBy: (person) => `dragged by ${person}`,
    hideSubtasks: (name) => `Hide the subtasks of ${name}`,
    isLocked: (name) => `${name} is locked`,
    locked: "locked",
    move: (name) => `Move ${name}`,
    moveSection: (name) => `Move the section ${name}`,
    sectionActions: (name) => `Actions for the section ${name}`,
    select: (name) => `Select ${name}`,
    showSubtasks: (name, count) => `Show the ${number(count)} subtasks of ${name}`,
    somebody: "somebody else",
  },
  /** The page of a list. */
  list: {
    addFirst: "Add its first task below.",
    allLists: "All lists",
    done: "Done",
    edit: "Edit",
    empty: "This list is empty.",
    folded: (what) => `${what} folded`,
    gone: "This list does not exist. It may have been deleted.",
    hiddenGoal: "The task is hidden, because it is completed.",
    lostEscape: "The row is not there any more. Escape goes on.",
    lostMove: "The row is not there any more. The arrow keys go on.",
    notes: "What happened",
    rename: "Rename the list",
    select: "Select",
    selected: (count) => `${number(count)} selected`,
    shortcuts: "Keyboard shortcuts",
    tasks: "Tasks",
    unfolded: (what) => `${what} unfolded`,
    unknown: "Unknown list",
    unmovable: "Tasks can be moved to another list only while the server can be reached.",
  },
  menu: {
    complete: "Complete",
    reopen: "Mark as not completed",
  },
  /** The field for new tasks. */
  composer: {
    atEnd: "At the end of the list",
    beforeSections: "Before the first section",
    chooseAnother: (why) => `${why} Choose another place.`,
    kept: (text) => `${text} is kept in the field for new tasks.`,
    keptIn: (text, list) => `${text} is kept in the field for new tasks of ${list}.`,
    newTask: "New task",
    subtaskOf: (name) => `Subtask of ${name}`,
    tooMany: (most) => `At most ${number(most)} lines can be pasted at once.`,
    typedIsKept: "What you type is kept in the field for new tasks.",
    add: "Add",
    addTo: (section) => `Add to ${section}`,
    newSection: "New section",
    notThere: "Not there",
  },
  search: {
    allShown: "All tasks are shown",
    close: "Close the search",
    doneHidden: (count) => `Completed tasks are hidden; ${number(count)} are shown`,
    doneLast: "Completed tasks are shown after the others",
    field: "Search in this list",
    found: (count) => `${tasks(count)} found`,
    hiddenDone: (count) =>
      count === 1 ? "A completed task is hidden." : `${number(count)} completed tasks are hidden.`,
    hideDone: "Hide completed",
    none: (text) => `No task contains ${text}.`,
    open: "Search and filter",
    show: "Show",
    sinkDone: "Completed last",
  },
  /** The search in all lists. */
  findAll: {
    field: "Search in all lists",
    found: (lists, count, isCut) => {
      const found = `${isCut ? "The first " : ""}${tasks(count)} found`;
      if (lists === 0) return found;
      return `${lists === 1 ? "1 list" : `${number(lists)} lists`} and ${found}`;
    },
    list: "List",
    none: "No list and no task in any list contains this text.",
    results: "Found lists and tasks",
  },
  /** The sidebar. */
  lists: {
    create: "Create",
    deleted: "Deleted lists…",
    first: "Your first list",
    firstTitle: "Title of your first list",
    gone: (name) => `${name} is not among the lists any more.`,
    import: "Import…",
    moved: (name, place) => `Moved ${name} to place ${number(place)}`,
    name: "Your name…",
    new: "New list",
    newFolder: "New folder…",
    newTitle: "Title of a new list",
    none: "There are no lists yet.",
    open: (count) => (count === 1 ? "1 open task" : `${number(count)} open tasks`),
    sample: "Start with a sample list",
    title: "Lists",
    token: "Token…",
    welcome:
      "Make lists of tasks, put them in the order that suits you by dragging, and share them with everybody who uses this server.",
  },
  keys: {
    alt: "Alt",
    control: "Ctrl",
    delete: "Delete",
    enter: "Enter",
    shift: "Shift",
    space: "Space",
  },
  /** The menu at the title of a list. */
  listMenu: {
    leave: "Forget this link",
    open: "Actions for the list",
  },
  /** What is done with the selected tasks. */
  selection: {
    due: "Due…",
    dueDate: "Date",
    dueHint: "Without a date, the tasks are not due.",
    dueTitle: "Due",
    label: "Selected tasks",
  },
  /** What somebody with a link sees. */
  guest: {
    ask: (maker) => `Ask ${maker ?? "the person who sent it to you"} for a new one.`,
    ended: "This link has ended.",
    field: "Your name, for the history",
    noName: "No name",
    typed: "This text was not saved:",
    unsent: (count) => `${waiting(count)}.`,
  },
  /** What a task's `data` says. */
  data: {
    due: (day) => `due ${day}`,
    marks: { notes: "has notes", url: "has a link" },
    overdue: (day) => `overdue since ${day}`,
    priorities: ["None", "High", "Medium", "Low"],
    priority: (name) => `priority: ${name}`,
  },
  detail: {
    alsoSubtasks: (count) =>
      count === 1 ? "Also its subtask" : `Also its ${number(count)} subtasks`,
    due: "Due",
    menu: "Details…",
    notLoaded: "This can’t be loaded while the server can’t be reached.",
    open: (name) => `Details of ${name}`,
  },
  /** The sections of a list as columns. */
  board: {
    after: "To the column after",
    before: "To the column before",
    noColumn: "There is no column on that side.",
    show: "Sections as columns",
  },
};
