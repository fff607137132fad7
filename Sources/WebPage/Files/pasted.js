// Text with several lines as tasks.

/** The most tasks that one paste adds. They are sent as one change. */
export const mostPastedTasks = 1000;

/**
 * The tasks in a text: one for each line that is not empty, without list marks. A line that is indented more than the line above
 * is a subtask of it.
 * @returns the tasks from top to bottom: `title`, `done`, and `depth`
 */
export function tasksOf(text) {
  const tasks = [];
  const indents = [];
  for (const line of text.split(/\r\n|\r|\n/)) {
    const [, space, , box, title] = line.match(
      /^(\s*)([-*+•]\s+|\d+[.)]\s+)?(\[[ xX]\]\s+)?(.*?)\s*$/,
    );
    if (title === "") continue;
    const indent = [...space].reduce((width, character) => width + (character === "\t" ? 4 : 1), 0);
    while (indents.length > 0 && indents.at(-1) >= indent) indents.pop();
    tasks.push({ title, done: /x/i.test(box ?? ""), depth: indents.length });
    indents.push(indent);
  }
  return tasks;
}
