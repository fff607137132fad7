// A list of any length of which only what can be seen is in the page.
//
// Rows are placed by transforms, so that a row which gets another place glides there. Their heights
// are measured once they are in the page, and guessed before.

const overscanPixels = 400;
const paddingPixels = 8;
const guessedHeights = { task: 48, section: 56 };
const canMove = "moveBefore" in Element.prototype;

export class Rows {
  #scroller;
  #canvas;
  #make;
  #update;
  #rows = [];
  #tops = new Float64Array(1);
  #indices = new Map();
  #heights = new Map();
  #shown = new Map();
  #width = 0;
  #frame = 0;
  #ordering;

  /**
   * @param make makes the element of a row, by its kind
   * @param update brings an element up to date with its row; it returns whether the height may differ
   */
  constructor(scroller, canvas, { make, update }) {
    this.#scroller = scroller;
    this.#canvas = canvas;
    this.#make = make;
    this.#update = update;
    /** Keys of rows that stay in the page even when they can't be seen. */
    this.pinned = new Set();
    /** The key of a row whose element stays, unseen, though it is not among the rows. */
    this.held = null;
    scroller.addEventListener("scroll", () => this.#later(), { passive: true });
    new ResizeObserver(() => this.#resized()).observe(scroller);
  }

  get rows() { return this.#rows; }
  /** The room above the first row. */
  get padding() { return paddingPixels; }
  indexOf(key) { return this.#indices.get(key) ?? -1; }
  top(index) { return this.#tops[index]; }
  element(key) { return this.#shown.get(key)?.element; }

  heightOf(row) {
    return row.height ?? this.#heights.get(row.key) ?? guessedHeights[row.kind] ?? 48;
  }

  /**
   * Shows these rows. Each has a `key`, a `kind`, a `depth`, and a `height` where it is fixed.
   * @param isKept whether the rows in view shall stay where they are, whatever comes above them
   */
  show(rows, { isKept = false } = {}) {
    const anchor = isKept && this.#scroller.scrollTop > 0 ? this.#anchor() : null;
    this.#rows = rows;
    this.#indices.clear();
    for (let index = 0; index < rows.length; index += 1) this.#indices.set(rows[index].key, index);
    this.#measureTops();
    this.#restore(anchor);
    this.#render();
  }

  /** Scrolls as little as needed to have a row in view. */
  reveal(key) {
    const index = this.indexOf(key);
    if (index < 0) return;
    const [top, bottom] = [this.#tops[index], this.#tops[index + 1]];
    const { scrollTop, clientHeight } = this.#scroller;
    const margin = Math.min(24, clientHeight / 6);
    if (top < scrollTop + margin) this.#scroller.scrollTop = top - margin;
    else if (bottom > scrollTop + clientHeight - margin) {
      this.#scroller.scrollTop = bottom - clientHeight + margin;
    }
    this.#render();
  }

  /** The index of the row at a height of the canvas. */
  indexAt(y) {
    let [low, high] = [0, this.#rows.length];
    while (low < high) {
      const middle = (low + high) >> 1;
      if (this.#tops[middle + 1] <= y) low = middle + 1;
      else high = middle;
    }
    return Math.min(low, this.#rows.length - 1);
  }

  /** Renders without gliding: what changes is not something that moved. */
  still(change) {
    this.#canvas.classList.add("still");
    change();
    this.#canvas.getBoundingClientRect();
    this.#canvas.classList.remove("still");
  }

  refresh() { this.#render(); }

  #measureTops() {
    const rows = this.#rows;
    if (this.#tops.length < rows.length + 1) this.#tops = new Float64Array(rows.length * 2 + 1);
    let top = paddingPixels;
    for (let index = 0; index < rows.length; index += 1) {
      this.#tops[index] = top;
      top += this.heightOf(rows[index]);
    }
    this.#tops[rows.length] = top;
    this.#canvas.style.height = `${top}px`;
  }

  #anchor() {
    const { scrollTop } = this.#scroller;
    const row = this.#rows[this.indexAt(scrollTop)];
    return row && { key: row.key, offset: this.#tops[this.indexOf(row.key)] - scrollTop };
  }

  #restore(anchor) {
    const index = anchor ? this.indexOf(anchor.key) : -1;
    if (index < 0) return;
    const wanted = this.#tops[index] - anchor.offset;
    if (Math.abs(wanted - this.#scroller.scrollTop) < 1) return;
    this.still(() => {
      this.#scroller.scrollTop = wanted;
      this.#place();
    });
  }

  #later() {
    if (this.#frame) return;
    this.#frame = requestAnimationFrame(() => {
      this.#frame = 0;
      this.#render();
    });
  }

  #resized() {
    const width = this.#scroller.clientWidth;
    if (width !== this.#width) {
      this.#width = width;
      this.#heights.clear();
      for (const shown of this.#shown.values()) shown.isMeasured = false;
    }
    this.still(() => this.#render());
  }

  #render() {
    const { scrollTop, clientHeight } = this.#scroller;
    const wanted = this.#window(scrollTop - overscanPixels, scrollTop + clientHeight + overscanPixels);
    for (const [key, { element }] of this.#shown) {
      if (wanted.has(key)) continue;
      if (this.held === key) {
        // A finger's events end with the element that it touched.
        element.classList.add("lifted");
        continue;
      }
      element.remove();
      this.#shown.delete(key);
    }
    for (const index of wanted.values()) this.#showRow(index);
    this.#place();
    this.#order(wanted);
    this.#measure();
  }

  #window(from, to) {
    const wanted = new Map();
    const first = Math.max(0, this.indexAt(Math.max(0, from)));
    for (let index = first; index < this.#rows.length && this.#tops[index] < to; index += 1) {
      wanted.set(this.#rows[index].key, index);
    }
    for (const key of this.pinned) {
      const index = this.indexOf(key);
      if (index >= 0) wanted.set(key, index);
    }
    return wanted;
  }

  #showRow(index) {
    const row = this.#rows[index];
    let shown = this.#shown.get(row.key);
    if (!shown) {
      shown = { element: this.#make(row), isMeasured: row.height !== undefined, top: undefined };
      this.#shown.set(row.key, shown);
      shown.isNew = true;
    }
    if (this.#update(shown.element, row, index)) shown.isMeasured = row.height !== undefined;
  }

  #place() {
    for (const [key, shown] of this.#shown) {
      const top = this.#tops[this.indexOf(key)];
      if (shown.top === top || top === undefined) continue;
      shown.top = top;
      shown.element.style.transform = `translateY(${top}px)`;
    }
  }

  /** The page's order is the order of the rows, for those who don't look at it. */
  #order(wanted) {
    const keys = [...wanted].sort((one, other) => one[1] - other[1]).map(([key]) => key);
    const elements = keys.map((key) => this.#shown.get(key));
    let hasOld = false;
    // New elements can go in at their place; moving old ones may end their glide and their focus.
    let next = null;
    for (const shown of elements.reverse()) {
      if (shown.isNew) {
        this.#canvas.insertBefore(shown.element, next);
        shown.isNew = false;
      } else if (shown.element.nextElementSibling !== next) {
        if (canMove) this.#canvas.moveBefore(shown.element, next);
        else hasOld = true;
      }
      next = shown.element;
    }
    if (hasOld) this.#orderLater();
  }

  #orderLater() {
    clearTimeout(this.#ordering);
    this.#ordering = setTimeout(() => {
      const focused = document.activeElement;
      const sorted = [...this.#shown].sort(([one], [two]) => this.indexOf(one) - this.indexOf(two));
      this.still(() => this.#canvas.append(...sorted.map(([, { element }]) => element)));
      if (this.#canvas.contains(focused)) focused.focus({ preventScroll: true });
    }, 400);
  }

  #measure() {
    let differs = false;
    for (const [key, shown] of this.#shown) {
      if (shown.isMeasured) continue;
      shown.isMeasured = true;
      const row = this.#rows[this.indexOf(key)];
      const { height } = shown.element.getBoundingClientRect();
      if (!row || height === 0 || height === this.heightOf(row)) continue;
      this.#heights.set(key, height);
      differs = true;
    }
    if (!differs) return;
    const anchor = this.#anchor();
    this.still(() => {
      this.#measureTops();
      this.#place();
    });
    this.#restore(anchor);
  }
}
