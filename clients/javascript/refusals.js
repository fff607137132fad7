// The steps of one list that the server refused. The journal keeps them until the person has seen them, so they survive a reload.

/** Of more, the oldest ones are forgotten. */
const mostRefusals = 100;

export class Refusals {
  /** Each has the `step`, and the `code` and the `detail` of the server, the oldest first. */
  all = [];
  #list;
  #journal;
  #queues;
  #loading = null;

  constructor(list, journal, queues) {
    this.#list = list;
    this.#journal = journal;
    this.#queues = queues;
  }

  /** Takes over those that earlier windows have stored, as soon as they can be read. */
  load() {
    return (this.#loading ??= this.#load());
  }

  async #load() {
    const stored = await this.#journal.readRefused(this.#list);
    if (stored) this.all.unshift(...this.#without(stored));
    else this.#loading = null; // the next call tries again
  }

  /** Adds refusals. @returns those to store: the outbox does it when it removes the steps */
  add(refusals) {
    this.all.push(...this.#without(refusals));
    const left = this.all.slice(0, -mostRefusals);
    if (left.length > 0) this.#remove(left.map(({ step }) => step.id));
    const kept = new Set(this.all);
    return refusals.filter((one) => kept.has(one));
  }

  /** Forgets refusals, because the person has seen them. @param ids the ids of the steps */
  acknowledge(ids) {
    if (ids.length === 0) return;
    this.#remove(ids);
    this.#queues.post(this.#list, { answers: [], seen: ids });
  }

  /** The person has seen them in another window. */
  forget(ids) {
    const gone = new Set(ids);
    this.all = this.all.filter(({ step }) => !gone.has(step.id));
  }

  /** Those that are not known. */
  #without(refusals) {
    const known = new Set(this.all.map(({ step }) => step.id));
    return refusals.filter(({ step }) => !known.has(step.id));
  }

  #remove(ids) {
    this.forget(ids);
    this.#journal.removeRefused(this.#list, ids);
  }

  /** Stores all again, because the journal has perhaps lost them. */
  storeAgain() {
    this.#journal.remove(this.#list, [], this.all);
  }
}
