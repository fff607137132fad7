// The reasons for which the client refuses a step, with the server's codes and texts.

const details = {
  anchor_gone: "None of the given destinations exists any more.",
  cycle: "A task can't be moved into its own subtree.",
  depth_limit: "Tasks can be nested at most 16 levels deep.",
  locked: "A locked row can't be moved, deleted or displaced.",
  max_depth: "In this list, tasks can't be nested so deep.",
  section_full: "The section would have more tasks than this list allows in a section.",
  parent_full: "A task would have more subtasks than this list allows.",
  not_siblings: "In this list, tasks can only be moved among their siblings.",
  undo_conflict: "Other changes since then prevent the undo.",
  unreachable: "This is possible only while the server can be reached.",
};

/** The text for a code. */
export function detailOf(code) {
  return details[code];
}

/** A refusal, with the server's `code`, and `detail`: the reason as a sentence. */
export class Refusal extends Error {
  constructor(code, detail = details[code]) {
    super(detail);
    this.name = "Refusal";
    this.code = code;
    this.detail = detail;
  }
}
