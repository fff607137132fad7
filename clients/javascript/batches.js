// What is sent of the steps that wait: in a batch, each step is applied completely or not at all, as a change of its own.
import { operationsOf } from "./steps.js";

/** The server's limit for operations in a batch, so also for steps. */
export const mostSteps = 1_000;
/** Much less than the server's limit for a body. */
const mostCharacters = 1 << 20;

/**
 * The next request: the drop of a drag, or a batch with as many parts of steps as fit into it.
 * @param entries of the steps without a response
 * @param limit the most parts
 * @returns `drop`, an entry, or `parts`: each with its `entry` and `part`; null if nothing waits
 */
export function nextRequest(entries, limit) {
  const parts = [];
  let [operations, characters] = [0, 0];
  for (const entry of entries) {
    if (entry.step.drag) return parts.length > 0 ? { parts } : { drop: entry };
    for (const part of partsIn(entry).slice(entry.answered)) {
      operations += part.count;
      characters += part.text.length;
      const isFull = parts.length >= limit || operations > mostSteps || characters > mostCharacters;
      if (isFull && parts.length > 0) return { parts };
      parts.push({ entry, part });
    }
  }
  return parts.length > 0 ? { parts } : null;
}

/** The parts of a step, each of which is sent as one: usually the whole step. See `partsOf`. */
export function partsIn(entry) {
  return (entry.parts ??= partsOf(entry.step));
}

/**
 * Divides a step that is too large for a batch.
 * @returns for each part: `id`, the `opId` of its first operation; `count`, the number of its operations; `text`, their JSON. Each operation
 *   has an id, so that it is applied once, however often it is sent
 */
function partsOf(step) {
  const operations = operationsOf(step);
  const parts = [];
  let part = null;
  for (const [index, operation] of operations.entries()) {
    const opId = operations.length === 1 ? step.id : `${step.id}.${index}`;
    // The server remembers the refusal of the first form.
    const id = step.areSeparate ? `${opId}.1` : opId;
    const text = JSON.stringify({ ...operation, opId: id });
    const isFull = part?.texts.length >= mostSteps || part?.length + text.length > mostCharacters;
    if (!part || isFull || step.areSeparate) {
      part = { id, texts: [], length: 0 };
      parts.push(part);
    }
    part.texts.push(text);
    part.length += text.length;
  }
  return parts.map(({ id, texts }) => ({ id, count: texts.length, text: `[${texts.join(",")}]` }));
}

/** Makes each operation of a step a part, from the first one. */
export function separate(entry) {
  entry.step = { ...entry.step, areSeparate: true };
  Object.assign(entry, { parts: undefined, answered: 0, contained: 0, problem: undefined });
}

/**
 * What follows when a batch was refused as a whole.
 * @param count the number of its steps
 * @param problem `pointer`, and `code`, which is undefined if the answer is not of reorderd
 * @returns how many of them to send next; 0: the first one is refused; null: it waits
 */
export function countAfter(count, { pointer, code }) {
  const faulty = Number(/^\/steps\/(\d+)(\/|$)/.exec(pointer ?? "")?.[1] ?? NaN);
  if (count === 1) return code === undefined ? null : 0;
  return faulty < count ? faulty : Math.ceil(count / 2);
}
