// A list for the first use. It says what can be done with it.
import { makeID } from "./app.js";
import { words } from "./later-words.js";

const { sample } = words;

const tips = [
  { title: sample.drag },
  { title: sample.right },
  { title: sample.subtask, depth: 1 },
  { title: sample.circle },
  { title: sample.completed, done: true },
  { section: sample.more },
  { title: sample.menu },
  { title: sample.keys },
  { title: sample.share },
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
  return { title: sample.title, sections, tasks };
}
