// The last view of each list, so that Back shows it again.

const mostViews = 100;

export class Views {
  #rows;
  #views = new Map();

  /** @param rows the rows of the open list (`Rows`) */
  constructor(rows) {
    this.#rows = rows;
  }

  keep(list) {
    this.#views.delete(list);
    this.#views.set(list, this.#rows.view);
    if (this.#views.size > mostViews) this.#views.delete(this.#views.keys().next().value);
  }

  show(list) {
    const view = this.#views.get(list);
    if (view) this.#rows.scrollTo(view);
  }
}
