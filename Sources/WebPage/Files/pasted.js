// Text with several lines as tasks, and tasks as Markdown.

/** The most tasks that one paste adds. They are sent as one change. */
export const mostPastedTasks = 1000;

/** The mark of a list item, or its number. */
const mark = /^(?:[-*+•◦‣▪▫●○■·∙–—]|\d+[.)])\s+/u;
/** A box for completed tasks. Only a drawn box needs no space after it. */
const box = /^(?:\[(?<letter>[ xX✓])\]\s+|(?<drawn>[☐☑☒⬜✅✓✔])\ufe0f?\s*)/u;
const ticks = /[xX✓✔☑☒✅]/u;

/**
 * The tasks in a text: one for each line that is not empty, without list marks. A line that is indented more than the line above
 * is a subtask of it.
 * @returns the tasks from top to bottom: `title`, `done`, and `depth`
 */
export function tasksOf(text) {
  const tasks = [];
  const indents = [];
  for (const line of text.split(/\r\n|\r|\n/)) {
    const [space] = line.match(/^\s*/);
    const item = line.trim().replace(mark, "");
    const boxed = item.match(box);
    const title = item.replace(box, "");
    if (title === "") continue;
    const indent = [...space].reduce((width, character) => width + (character === "\t" ? 4 : 1), 0);
    while (indents.length > 0 && indents.at(-1) >= indent) indents.pop();
    const { letter, drawn } = boxed?.groups ?? {};
    tasks.push({ title, done: ticks.test(letter ?? drawn ?? ""), depth: indents.length });
    indents.push(indent);
  }
  return tasks;
}

/** Tasks as Markdown, as the server's export writes them. @param tasks as `tasksOf` returns them */
export function markdownOf(tasks) {
  const line = ({ title, done, depth }) =>
    `${"  ".repeat(depth)}- [${done ? "x" : " "}] ${title.replace(/\s*[\r\n]+\s*/g, " ")}\n`;
  return tasks.map(line).join("");
}
