// The names of formats and programs, which are the same in all languages.

/** By their names in the API. */
export const formats = {
  markdown: "Markdown",
  csv: "CSV",
  todotxt: "todo.txt",
  opml: "OPML",
  ics: "iCalendar",
  todoist: "Todoist",
  trello: "Trello",
  "google-tasks": "Google Tasks",
  "microsoft-to-do": "Microsoft To Do",
  vikunja: "Vikunja",
  deck: "Nextcloud Deck",
  taskpaper: "TaskPaper",
  org: "Org",
  json: "JSON",
};

/** Also the programs that write one of these formats. */
export const formatNames = [...Object.values(formats), "TickTick"].join(", ");
