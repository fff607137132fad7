// The details of a task: the pane is loaded when it is first opened.
import { draftOf, keepDraft, prose } from "./drafts.js";
import { words } from "./language.js";
import { later } from "./loading.js";

export class Details {
  #page;
  #pane = null;
  #isLoading = false;

  constructor(page) {
    this.#page = page;
  }

  /** Shows the details of a task. @param draft what was typed before a reload */
  async open(id, draft) {
    const page = this.#page;
    const { session } = page;
    if (!page.list?.tasks.has(id) || page.isLifting) return;
    try {
      this.#isLoading = true;
      const { DetailPane } = await later();
      this.#pane ??= new DetailPane(page);
    } catch {
      page.notify(words.detail.notLoaded);
      return;
    } finally {
      this.#isLoading = false;
    }
    if (session === page.session && page.list.tasks.has(id)) this.#pane.open(id, draft);
  }

  /** Shows another task in the open pane. */
  follow(id) {
    this.#pane?.follow(id);
  }

  /** Called when the list has changed. */
  keepThoseIn(list) {
    if (this.#pane?.isOpen) this.#pane.keepThoseIn(list);
    else if (!this.#isLoading && this.#page.mayEdit) this.#again(list);
  }

  /** Continues what a reload has interrupted. If the task has gone, the texts are kept. */
  #again({ id, tasks }) {
    const { fields } = draftOf(id);
    if (!fields) return;
    if (tasks.has(fields.task)) {
      this.open(fields.task, fields);
      return;
    }
    keepDraft(id, { fields: null });
    const texts = prose.map((name) => fields.texts[name]).filter(Boolean);
    for (const text of texts) this.#page.notify(this.#page.acts.keepText(text));
  }

  /** Saves what was typed, and closes the pane. @returns whether it was open */
  close() {
    return this.#pane?.close() ?? false;
  }

  /** Ends the work on the list, which is not shown any more. */
  end() {
    this.#pane?.end();
  }
}
