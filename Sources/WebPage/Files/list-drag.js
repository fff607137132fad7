// Dragging a list in the sidebar: with a mouse after a movement, with a finger after a long press.
import { element } from "./icons.js";
import { onKey } from "./key.js";
import { liftOf } from "./list-moves.js";

const longPressMilliseconds = 400;
const slopPixels = 6;
const levelPixels = 20;

export class ListDrag {
  #lists;
  #items;
  #edges;
  #press = null;
  /** The drag: what `liftOf` returns, with the measured rows and the picture. */
  #lift = null;
  #swallow = false;

  /**
   * @param lists shows and moves the rows
   * @param items the element of the rows
   * @param edges scrolls them (`EdgeScroll`)
   */
  constructor(lists, items, edges) {
    this.#lists = lists;
    this.#items = items;
    this.#edges = edges;
    items.addEventListener("pointerdown", (event) => this.#down(event));
    items.addEventListener("dragstart", (event) => event.preventDefault());
    window.addEventListener("pointermove", (event) => this.#move(event));
    window.addEventListener("pointerup", (event) => this.#up(event));
    window.addEventListener("pointercancel", () => this.#cancel());
    window.addEventListener("blur", () => this.#cancel());
    const scrolled = () => this.#lift && this.#hover();
    window.addEventListener("scroll", scrolled, { passive: true, capture: true });
    items.addEventListener(
      "touchmove",
      (event) => {
        if (this.#lift && event.cancelable) event.preventDefault();
      },
      { passive: false },
    );
    // The browser would follow a long press with a click, which opens the list.
    items.addEventListener("touchend", (event) => {
      if (this.#swallow && event.cancelable) event.preventDefault();
    });
    items.addEventListener("contextmenu", (event) => {
      if (this.#lift) event.preventDefault();
    });
    items.addEventListener("click", (event) => this.#click(event), true);
    onKey(window, (key) => this.#key(key), true);
  }

  #down(event) {
    if (!this.#lists.mayOrder) return;
    this.#swallow = false;
    const item = event.target.closest("li");
    if (this.#lift || !item || item.querySelector("h2") || !event.isPrimary || event.button !== 0)
      return;
    const { clientX: x, clientY: y, pointerId, pointerType } = event;
    this.#press = { item, x, y, pointerId, isMouse: pointerType === "mouse" };
    if (pointerType !== "mouse")
      this.#press.timer = setTimeout(() => this.#begin(), longPressMilliseconds);
  }

  #move(event) {
    const { clientX: x, clientY: y } = event;
    const press = this.#press;
    if (!press || event.pointerId !== press.pointerId) return;
    if (!this.#lift) {
      if (Math.hypot(x - press.x, y - press.y) < slopPixels) return;
      if (press.isMouse && event.buttons !== 0) this.#begin();
      else this.#release(); // it is a scroll
    }
    if (!this.#lift) return;
    Object.assign(this.#lift, { x: x - press.x, y: y - press.y });
    this.#lift.card.style.translate = `${this.#lift.x}px ${this.#lift.y}px`;
    this.#edges.follow(y);
    this.#hover();
  }

  #begin() {
    const { item, pointerId } = this.#press;
    const { left, top, width } = item.getBoundingClientRect();
    const lift = liftOf(this.#lists.rows, item.dataset.key);
    const heights = new Map(
      [...this.#items.children].map((one) => [one.dataset.key, one.offsetHeight]),
    );
    const card = element("div", { className: "list-card", "aria-hidden": "true" });
    const copy = item.firstChild.cloneNode(true);
    copy.removeAttribute("href");
    copy.tabIndex = -1;
    card.append(copy);
    Object.assign(card.style, { left: `${left}px`, top: `${top}px`, width: `${width}px` });
    this.#items.after(card);
    this.#items.setPointerCapture(pointerId);
    this.#swallow = true;
    item.classList.add("lifted");
    this.#lift = { ...lift, item, card, top, x: 0, y: 0, place: null, heights };
    navigator.vibrate?.(8);
  }

  /** Called when the lists have changed. @returns the dragged row, if somebody else has deleted it: then the drag has ended */
  keepAmong(rows) {
    const [row] = this.#lift?.block ?? [];
    if (!row || rows.some(({ key }) => key === row.key)) return null;
    this.#cancel();
    return row;
  }

  /** Shows the rows at the place where the card is. */
  #hover() {
    const lift = this.#lift;
    const isRightToLeft = getComputedStyle(this.#items).direction === "rtl";
    const way = isRightToLeft ? -lift.x : lift.x;
    const wanted = lift.start.depth + Math.trunc(way / levelPixels);
    const top = lift.top + lift.y - this.#items.getBoundingClientRect().top;
    let index = 0;
    let edge = 0;
    for (const { key } of lift.rest) {
      const height = lift.heights.get(key);
      if (edge + height / 2 > top) break;
      edge += height;
      index += 1;
    }
    const [place] = lift.places
      .filter((one) => one.index === index)
      .sort((one, other) => Math.abs(one.depth - wanted) - Math.abs(other.depth - wanted));
    if (place === lift.place) return;
    lift.place = place;
    this.#lists.preview(lift, place);
  }

  #up({ pointerId }) {
    if (pointerId !== this.#press?.pointerId) return;
    const lift = this.#end();
    // A drag with a finger causes no click. So a click after this time is a new one.
    setTimeout(() => {
      this.#swallow = false;
    }, 100);
    if (!lift) return;
    const { place, start } = lift;
    const isMoved = place && (place.index !== start.index || place.depth !== start.depth);
    if (isMoved) this.#lists.drop(lift, place);
    else this.#lists.preview(lift, null);
  }

  #cancel() {
    const lift = this.#end();
    if (lift) this.#lists.preview(lift, null);
  }

  #release() {
    clearTimeout(this.#press?.timer);
    this.#press = null;
  }

  #end() {
    const lift = this.#lift;
    this.#release();
    this.#lift = null;
    this.#edges.stop();
    lift?.card.remove();
    lift?.item.classList.remove("lifted");
    return lift;
  }

  #key(key) {
    if (key !== "Escape" || !this.#lift) return false;
    this.#cancel();
    return true;
  }

  /** Ignores the click that ends a drag. */
  #click(event) {
    if (!this.#swallow) return;
    this.#swallow = false;
    event.preventDefault();
    event.stopPropagation();
  }
}
