// The tasks selected for a common move or deletion, and the bar that shows their number.

export class Selection {
  keys = new Set();
  /** Whether a tap on a row selects it. */
  isOn = false;
  #parts;
  #changed;
  #start = null;

  /** @param changed is called when the selection changes */
  constructor(parts, changed) {
    this.#parts = parts;
    this.#changed = changed;
    parts.select.addEventListener("click", () => this.turn(!this.isOn));
  }

  has(key) {
    return this.keys.has(key);
  }

  turn(isOn) {
    this.isOn = isOn;
    if (!isOn) this.keys.clear();
    this.#parts.main.dataset.selecting = isOn;
    this.#parts.select.setAttribute("aria-pressed", String(isOn));
    this.#changed();
  }

  toggle(key) {
    if (!this.keys.delete(key)) this.keys.add(key);
    this.#start = key;
    this.#changed();
  }

  /** Selects the tasks from the selection's start to the row `to`. If the start does not exist, `from` becomes the start. */
  extend(rows, from, to) {
    if (!rows.some((row) => row.key === this.#start)) this.#start = from;
    const indices = [this.#start, to].map((key) => rows.findIndex((row) => row.key === key));
    const [first, last] = indices.sort((one, other) => one - other);
    this.keys = new Set(
      rows
        .slice(first, last + 1)
        .filter((row) => row.task)
        .map((row) => row.key),
    );
    this.#changed();
  }

  /** The start for the next `extend`. */
  startAt(key) {
    this.#start = key;
  }

  /**
   * @param start the start for the next `extend`
   * @returns whether any task was selected
   */
  clear(start = null) {
    const wasAny = this.keys.size > 0;
    this.keys.clear();
    this.#start = start;
    if (wasAny) this.#changed();
    return wasAny;
  }

  /** Removes deleted tasks from the selection. */
  keepThoseIn(list) {
    for (const key of this.keys) if (!list.tasks.has(key)) this.keys.delete(key);
  }

  show() {
    const { size } = this.keys;
    const { selection, deleteSelected, bar } = this.#parts;
    selection.textContent = size > 0 ? `${size} selected` : "";
    deleteSelected.hidden = size === 0;
    bar.classList.toggle("selecting", this.isOn || size > 0);
  }
}
