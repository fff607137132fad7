// Text with several lines as tasks and sections, and tasks as Markdown.

/** The most tasks and sections that one paste adds. They are sent as one change. */
export const mostPastedLines = 1000;
/** A title that begins like this is that of a section, as in Markdown. */
export const sectionMark = /^#\s+/;
const heading = /^#{1,6}\s+/;

/** The mark of a list item, or its number. */
const mark = /^(?:[-*+•◦‣▪▫●○■·∙–—]|\d+[.)])\s+/u;
/** A box for completed tasks. Only a drawn box needs no space after it. */
const box = /^(?:\[(?<letter>[ xX✓])\]\s+|(?<drawn>[☐☑☒⬜✅✓✔])\ufe0f?\s*)/u;
const ticks = /[xX✓✔☑☒✅]/u;

/**
 * The tasks and sections in a text: one for each line that is not empty, without list marks. A heading is a section. Another line that
 * is indented more than the line above is a subtask of it.
 * @returns from top to bottom, the `title`; of a section also `isSection`, of a task `done` and `depth`
 */
export function linesOf(text) {
  const lines = [];
  const indents = [];
  for (const line of text.split(/\r\n|\r|\n/)) {
    const [space] = line.match(/^\s*/);
    if (heading.test(line.trim())) {
      lines.push({ title: line.trim().replace(heading, ""), isSection: true });
      indents.length = 0;
      continue;
    }
    const item = line.trim().replace(mark, "");
    const boxed = item.match(box);
    const title = item.replace(box, "");
    if (title === "") continue;
    const indent = [...space].reduce((width, character) => width + (character === "\t" ? 4 : 1), 0);
    while (indents.length > 0 && indents.at(-1) >= indent) indents.pop();
    const { letter, drawn } = boxed?.groups ?? {};
    lines.push({ title, done: ticks.test(letter ?? drawn ?? ""), depth: indents.length });
    indents.push(indent);
  }
  return lines;
}

/** Tasks as Markdown, as the server's export writes them. @param tasks as `linesOf` returns them */
export function markdownOf(tasks) {
  const line = ({ title, done, depth }) =>
    `${"  ".repeat(depth)}- [${done ? "x" : " "}] ${title.replace(/\s*[\r\n]+\s*/g, " ")}\n`;
  return tasks.map(line).join("");
}
