// A list of any length, or a board. Only its visible rows are elements of the page.
//
// Rows are positioned by transforms, so that a row glides to its new place.
import { Layout } from "./layout.js";

const overscanPixels = 400;
/** Rows that a frame makes or updates, besides those that are pinned. More would take longer than a frame. */
const mostUpdated = 30;
const canMove = "moveBefore" in Element.prototype;

export class Rows {
  #scroller;
  #canvas;
  #make;
  #update;
  #moved;
  #placed;
  #layout = new Layout();
  #shown = new Map();
  #width = 0;
  #height = 0;
  #frame = 0;
  #ordering;
  /** Whether all rows are in the page, to print them. */
  #isWhole = false;

  /**
   * @param make creates the element of a row, by its kind
   * @param update updates an element from its row, and returns whether the height may have changed
   * @param moved updates an element of which only the index has perhaps changed
   * @param placed is called when rows may have another position
   */
  constructor(scroller, canvas, { make, update, moved, placed }) {
    this.#scroller = scroller;
    this.#canvas = canvas;
    this.#make = make;
    this.#update = update;
    this.#moved = moved;
    this.#placed = placed;
    /** Keys of rows that stay in the page even when they are not visible. */
    this.pinned = new Set();
    /** The key of the held row. It is not among the rows, but its element stays in the page, invisible. */
    this.held = null;
    scroller.addEventListener("scroll", () => this.#later(), { passive: true });
    for (const [event, isWhole] of [
      ["beforeprint", true],
      ["afterprint", false],
    ])
      window.addEventListener(event, () => {
        this.#isWhole = isWhole;
        this.still(() => this.#render());
      });
    new ResizeObserver(() => this.#resized()).observe(scroller);
  }

  indexOf(key) {
    return this.#layout.indexOf(key);
  }
  top(index) {
    return this.#layout.top(index);
  }
  /** The positions of the rows: a `Layout`, or a `BoardLayout`. The next rows to show get them. */
  get layout() {
    return this.#layout;
  }
  set layout(layout) {
    this.#layout = layout;
    this.#fit();
  }
  get isBoard() {
    return this.#layout.stride > 0;
  }
  /** An answer of the layout about a position in the window. */
  ask(question, x, y) {
    const { left, right, top } = this.#canvas.getBoundingClientRect();
    return this.#layout[question](y - top, this.#way > 0 ? x - left : right - x);
  }
  /** The transform to the place of a row. */
  transform(index, top = this.top(index)) {
    const left = this.#layout.left(index) * this.#way;
    return left ? `translate(${left}px, ${top}px)` : `translateY(${top}px)`;
  }
  /** The transform to the edge between a row and the one above. On a board, it is in the column of the row above. */
  edge(index) {
    return index > 0
      ? this.transform(index - 1, this.#layout.bottom(index - 1))
      : this.transform(0);
  }
  element(key) {
    return this.#shown.get(key)?.element;
  }

  /**
   * Shows these rows. Each has a `key`, a `kind` and a `depth`, and also a `height` if its height is fixed.
   * @param gap the gap's `rows`, which are before the row at `index`. Moving the gap costs little.
   * @param anchors the visible rows that keep their place on the screen when rows above them change
   * @param revealed the key of a row that is scrolled into view
   * @param isMove whether only the gap has changed
   */
  show(rows, { gap, anchors = [], revealed = null, isMove = false } = {}) {
    this.#layout.set(rows, gap);
    this.#canvas.setAttribute("aria-rowcount", this.#layout.length);
    this.#showHeight();
    this.#restore(anchors);
    this.#bringIntoView(revealed);
    this.#render({ isMove });
  }

  /** The visible rows, as for `show`. At the top, none keeps its place: new rows appear above it. */
  get anchors() {
    return this.#scroller.scrollTop > 0 ? this.#anchors() : [];
  }

  /** Scrolls as little as needed to make a row visible. Its element is in the page then. */
  reveal(key) {
    this.pinned.add(key);
    this.#bringIntoView(key);
    this.#render({ isScroll: true });
  }

  #bringIntoView(key) {
    const index = this.indexOf(key);
    if (index < 0) return;
    const [top, bottom] = [this.top(index), this.#layout.bottom(index)];
    const { scrollTop, clientHeight, clientWidth } = this.#scroller;
    const margin = Math.min(24, clientHeight / 6);
    const header = this.#header(index);
    const above = header < 0 ? margin : this.#layout.bottom(header);
    if (header === index);
    else if (top < scrollTop + above) this.#scroller.scrollTop = top - above;
    else if (bottom > scrollTop + clientHeight - margin) {
      this.#scroller.scrollTop = bottom - clientHeight + margin;
    }
    if (this.isBoard) {
      const [left, { stride }] = [this.#layout.left(index), this.#layout];
      const scrolled = Math.min(left, Math.max(this.#left, left + stride - clientWidth));
      this.#scroller.scrollLeft = scrolled * this.#way;
    }
  }

  /** The last row that is completely visible, on a board in the first column that is visible. */
  get lastVisible() {
    const { scrollTop, clientHeight } = this.#scroller;
    const bottom = scrollTop + clientHeight;
    const [column] = this.#layout.columns(this.#left + this.#layout.stride / 2, Infinity);
    const index = this.#layout.at(bottom, column);
    const isCut = this.#layout.bottom(index) > bottom && index > column[0];
    return this.#layout.row(isCut ? index - 1 : index);
  }

  /** The header of a row's column, which stays in sight; -1 if there is none. */
  #header(index) {
    return this.#layout.header?.(index) ?? -1;
  }

  /** How far a board is scrolled from the start side. */
  get #left() {
    return Math.abs(this.#scroller.scrollLeft);
  }
  /** The sign of distances from the start side. */
  get #way() {
    return this.#scroller.closest("[dir=rtl]") ? -1 : 1;
  }

  /** Fits the rows to another width, or to another layout. */
  #fit() {
    this.#layout.fit?.(this.#scroller);
    this.#layout.forgetHeights();
    for (const shown of this.#shown.values()) shown.isMeasured = false;
  }

  /** What is visible: the rows with their positions, and the distance from the top. `scrollTo` shows it again. */
  get view() {
    const { scrollTop, scrollLeft } = this.#scroller;
    return { anchors: this.#anchors(), scrollTop, scrollLeft };
  }

  /** Scrolls to an earlier view. If none of its rows exists any more, scrolls to its distance from the top. */
  scrollTo({ anchors, scrollTop, scrollLeft }) {
    Object.assign(this.#scroller, { scrollTop, scrollLeft });
    this.#restore(anchors);
    this.#render();
  }

  /** Makes a change without animation. */
  still(change) {
    this.#canvas.classList.add("still");
    change();
    this.#canvas.getBoundingClientRect();
    this.#canvas.classList.remove("still");
  }

  refresh() {
    this.#render();
  }

  #showHeight() {
    const height = `${this.#layout.height}px`;
    if (this.#canvas.style.height !== height) this.#canvas.style.height = height;
    this.#canvas.style.width = this.isBoard ? `${this.#layout.width}px` : "";
  }

  /** The visible rows and their positions. */
  #anchors() {
    const { scrollTop, clientHeight, clientWidth } = this.#scroller;
    const anchors = [];
    for (const [first, end] of this.#layout.columns(this.#left, this.#left + clientWidth)) {
      const from = Math.max(0, this.#layout.at(scrollTop, [first, end]));
      for (let index = from; index < end; index += 1) {
        const offset = this.top(index) - scrollTop;
        if (offset > clientHeight) break;
        anchors.push({ key: this.#layout.row(index).key, offset, column: first });
      }
    }
    return anchors;
  }

  /** Scrolls so that the first of the remaining rows keeps its place on the screen: in half of the columns of a board. */
  #restore(anchors) {
    const wanted = new Map();
    for (const { key, offset, column } of anchors) {
      const index = this.indexOf(key);
      if (index >= 0 && !wanted.has(column)) wanted.set(column, this.top(index) - offset);
    }
    const scrollTop = [...wanted.values()].sort((one, other) => one - other)[wanted.size >> 1];
    if (scrollTop === undefined || Math.abs(scrollTop - this.#scroller.scrollTop) < 1) return;
    this.still(() => {
      this.#scroller.scrollTop = scrollTop;
      this.#place();
      this.#placed();
    });
  }

  #later() {
    if (this.#frame) return;
    this.#frame = requestAnimationFrame(() => {
      this.#frame = 0;
      this.#render({ isScroll: true, isFrame: true });
    });
  }

  #resized() {
    const { clientWidth: width, clientHeight: height, scrollTop } = this.#scroller;
    const focused = document.activeElement?.closest("[data-key]")?.dataset.key;
    const index = this.indexOf(focused);
    const wasVisible = index >= 0 && this.#layout.bottom(index) <= scrollTop + this.#height;
    this.#height = height;
    if (width !== this.#width) {
      this.#width = width;
      this.#fit();
    }
    this.still(() => this.#render());
    // The buttons that move a lifted row take some of the height.
    if (wasVisible && this.#layout.bottom(this.indexOf(focused)) > scrollTop + height)
      this.reveal(focused);
  }

  /**
   * @param isScroll whether only the view has changed, so rows in the page are up to date
   * @param isMove whether only the gap has changed
   * @param isFrame whether it is a frame, which makes new rows, and updates those out of sight
   */
  #render({ isScroll = false, isMove = false, isFrame = false } = {}) {
    const { scrollTop, clientHeight } = this.#scroller;
    const bottom = scrollTop + clientHeight;
    const wanted = this.#isWhole
      ? this.#window(0, Infinity)
      : this.#window(scrollTop - this.#overscan, bottom + this.#overscan);
    if (!isScroll && !isMove) for (const shown of this.#shown.values()) shown.isStale = true;
    const due = this.#due(wanted, isFrame);
    for (const [key, { element }] of this.#shown) {
      if (wanted.has(key)) continue;
      const field = element.querySelector("textarea");
      if (field && field === document.activeElement) {
        field.blur(); // ends the editing, which can change the rows
        this.#render();
        return;
      }
      if (this.held === key) {
        // A finger's events end when the touched element is removed.
        element.classList.add("lifted");
        continue;
      }
      element.remove();
      this.#shown.delete(key);
    }
    for (const [key, index] of wanted) if (isMove || due.has(key)) this.#showRow(index, isMove);
    this.#place();
    this.#order(wanted);
    this.#measure();
    this.#placed(); // it asks for positions, which the browser knows now
  }

  /** The rows to make or to update now. Other new rows are no longer wanted: the next frames make them, first those in sight. */
  #due(wanted, isFrame) {
    const { scrollTop, clientHeight, clientWidth } = this.#scroller;
    const [bottom, end] = [scrollTop + clientHeight, this.#left + clientWidth];
    const [pinned, inSight, others] = [[], [], []];
    for (const [key, index] of wanted) {
      if (this.#shown.get(key)?.isStale === false) continue;
      const isInColumn = this.top(index) < bottom && this.#layout.bottom(index) > scrollTop;
      const isVisible = isInColumn || this.#header(index) === index;
      if (this.#isWhole || this.pinned.has(key)) pinned.push(key);
      else (isVisible && this.#layout.left(index) < end ? inSight : others).push(key);
    }
    const now = isFrame
      ? [...inSight, ...others].slice(0, mostUpdated)
      : inSight.filter((key) => this.#shown.has(key));
    const due = new Set([...pinned, ...now]);
    for (const key of [...inSight, ...others]) {
      if (due.has(key)) continue;
      this.#later();
      if (!this.#shown.has(key)) wanted.delete(key);
    }
    return due;
  }

  /** A board has more rows at each height. */
  get #overscan() {
    return this.isBoard ? overscanPixels / 2 : overscanPixels;
  }

  #window(from, to) {
    const wanted = new Map();
    const right = this.#left + this.#scroller.clientWidth + this.#overscan;
    const sides = this.#isWhole ? [0, Infinity] : [this.#left - this.#overscan, right];
    for (const [start, end] of this.#layout.columns(...sides)) {
      const first = Math.max(0, this.#layout.at(Math.max(0, from), [start, end]));
      const header = start < end ? this.#header(start) : -1;
      if (header >= 0) wanted.set(this.#layout.row(header).key, header);
      for (let index = first; index < end && this.top(index) < to; index += 1)
        wanted.set(this.#layout.row(index).key, index);
    }
    for (const key of this.pinned) {
      const index = this.indexOf(key);
      if (index >= 0) wanted.set(key, index);
    }
    return wanted;
  }

  #showRow(index, isMove) {
    const row = this.#layout.row(index);
    let shown = this.#shown.get(row.key);
    if (isMove && shown?.row === row) {
      this.#moved(shown.element, row, index);
      return;
    }
    if (!shown) {
      shown = { element: this.#make(row), isMeasured: row.height !== undefined };
      this.#shown.set(row.key, shown);
      shown.isNew = true;
    }
    shown.row = row;
    shown.isStale = false;
    if (this.#update(shown.element, row, index)) shown.isMeasured = row.height !== undefined;
  }

  #place() {
    for (const [key, shown] of this.#shown) {
      const index = this.indexOf(key);
      if (index < 0) continue;
      const place = this.transform(index);
      if (shown.place === place) continue;
      shown.place = place;
      shown.element.style.transform = place;
    }
  }

  /** Gives the elements the order of the rows, for screen readers. */
  #order(wanted) {
    const keys = [...wanted].sort((one, other) => one[1] - other[1]).map(([key]) => key);
    const elements = keys.map((key) => this.#shown.get(key));
    // The held row is perhaps between them.
    const held = wanted.has(this.held) ? undefined : this.element(this.held);
    const after = ({ nextElementSibling: one }) =>
      held && one === held ? one.nextElementSibling : one;
    let hasOld = false;
    // New elements are inserted at their place. Moving an old element could end its animation and its focus.
    let next = null;
    for (const shown of elements.reverse()) {
      if (shown.isNew) {
        this.#canvas.insertBefore(shown.element, next);
        shown.isNew = false;
      } else if (after(shown.element) !== next) {
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
    const heights = new Map();
    for (const [key, shown] of this.#shown) {
      if (shown.isMeasured) continue;
      shown.isMeasured = true;
      const index = this.indexOf(key);
      const height = shown.element.firstElementChild?.getBoundingClientRect().height ?? 0; // a blank row has none
      if (index < 0 || height === 0 || height === this.#layout.heightOf(this.#layout.row(index)))
        continue;
      heights.set(key, height);
    }
    if (heights.size === 0) return;
    const anchors = this.#anchors();
    this.still(() => {
      this.#layout.measured(heights);
      this.#showHeight();
      this.#place();
    });
    this.#restore(anchors);
  }
}
