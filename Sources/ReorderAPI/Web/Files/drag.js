// Dragging with a mouse, a finger or a pen.
//
// A press on a handle that moves, or a long press anywhere on a row, lifts it: a snapshot follows
// the pointer, the row leaves a blank, and the others glide out of its way.
import { element } from "./icons.js";
import { showFolded } from "./row.js";
import { reason } from "./steps.js";

const longPressMilliseconds = 400;
const slopPixels = 6;
const settleMilliseconds = 250;
const edgeShare = 1 / 6;
const edgePixelsPerSecond = 900;
const blankKey = "the blank";

export class Drag {
  #page;
  #scroller;
  #press = null;
  #lift = null;
  #place = null;
  #snapshot = null;
  #settling = null;
  #edge = null;
  #swallow = false;

  /** @param page the list's page: it makes lifts, shows rows, and does the step */
  constructor(page, scroller) {
    this.#page = page;
    this.#scroller = scroller;
    const canvas = scroller.firstElementChild;
    canvas.addEventListener("pointerdown", (event) => this.#down(event));
    scroller.addEventListener("pointermove", (event) => this.#move(event));
    scroller.addEventListener("pointerup", (event) => this.#up(event));
    scroller.addEventListener("pointercancel", () => this.cancel());
    scroller.addEventListener("lostpointercapture", ({ target }) => {
      // A finger's first capture, on what it touched, is lost to ours.
      if (this.#lift && target === scroller) this.cancel();
    });
    scroller.addEventListener("scroll", () => this.#lift && this.#hover(), { passive: true });
    // A finger that holds a row must not scroll the list; only the first move can be claimed.
    scroller.addEventListener("touchmove", (event) => {
      if (this.#lift && event.cancelable) event.preventDefault();
    }, { passive: false });
    scroller.addEventListener("contextmenu", (event) => {
      if (this.#press || this.#lift) event.preventDefault();
    });
    scroller.addEventListener("click", (event) => this.#swallowClick(event), true);
    window.addEventListener("keydown", (event) => {
      if (event.key !== "Escape" || !this.#lift) return;
      event.preventDefault();
      event.stopPropagation();
      this.cancel();
    }, true);
    window.addEventListener("blur", () => this.cancel());
  }

  get lift() { return this.#lift; }
  /** Where the blank is now; null while nothing is dragged. */
  get place() { return this.#lift && this.#place; }
  isHiding(key) { return Boolean((this.#lift ?? this.#settling?.lift)?.keys.has(key)); }

  /** The rows with a blank where the lifted ones would land. */
  arrange() {
    const { rest } = this.#lift;
    const { index, depth, code } = this.#place;
    const height = this.#snapshot.height;
    const blank = { key: blankKey, kind: "blank", height, depth, isRefused: Boolean(code) };
    return [...rest.slice(0, index), blank, ...rest.slice(index)];
  }

  /** The list is different: the same rows are held, if they are still there. */
  relift(make) {
    if (!this.#lift) return;
    const lift = make(this.#lift);
    if (!lift) {
      this.cancel("The row was deleted elsewhere.");
      return;
    }
    this.#lift = lift;
    this.#measure();
    this.#hover(true);
  }

  #down(event) {
    this.#finishSettling();
    this.#swallow = false;
    if (this.#lift || !event.isPrimary || event.button !== 0) return;
    const row = event.target.closest("[data-task]");
    const control = event.target.closest("button, input, textarea, a");
    const isHandle = Boolean(control?.matches("[data-handle]"));
    if (!row || (control && !isHandle)) return;
    const { clientX: x, clientY: y, pointerId } = event;
    this.#press = { row, key: row.dataset.key, isHandle, x, y, now: { x, y }, pointerId };
    if (isHandle) this.#scroller.setPointerCapture(pointerId);
    this.#press.timer = setTimeout(() => this.#begin(), longPressMilliseconds);
  }

  #move(event) {
    if (this.#press && event.pointerId === this.#press.pointerId) {
      const { x, y, isHandle } = this.#press;
      this.#press.now = { x: event.clientX, y: event.clientY };
      if (Math.hypot(event.clientX - x, event.clientY - y) < slopPixels) return;
      if (isHandle) this.#begin();
      else this.#release(); // it is a scroll
    }
    if (this.#lift && event.pointerId === this.#snapshot.pointerId) this.#follow(event);
  }

  #follow({ clientX: x, clientY: y }) {
    this.#snapshot.x = x;
    this.#snapshot.y = y;
    const { start } = this.#snapshot;
    if (Math.abs(y - start.y) > slopPixels) this.#snapshot.hasMoved = true;
    this.#snapshot.box.style.transform = `translate(${x - start.x}px, ${y - start.y}px)`;
    this.#hover();
    this.#scrollAtEdges();
  }

  #up(event) {
    if (this.#press) {
      const { isHandle, key } = this.#press;
      this.#release();
      if (isHandle) this.#page.activate(key);
      return;
    }
    if (!this.#lift || event.pointerId !== this.#snapshot.pointerId) return;
    this.#follow(event);
    this.#drop();
  }

  #release() {
    clearTimeout(this.#press?.timer);
    this.#press = null;
  }

  #begin() {
    const press = this.#press;
    this.#release();
    const lift = this.#page.makeLift(press.key);
    if (!lift) return;
    if (lift.refusal) {
      press.row.classList.add("shaken");
      press.row.addEventListener("animationend", () => press.row.classList.remove("shaken"), { once: true });
      this.#page.tell(reason(lift.refusal));
      return;
    }
    this.#scroller.setPointerCapture(press.pointerId);
    this.#lift = lift;
    this.#swallow = true;
    this.#place = lift.place(lift.start.index, lift.start.depth);
    this.#makeSnapshot(press);
    this.#measure();
    this.#page.liftStarted(lift);
    navigator.vibrate?.(8);
    this.#follow({ clientX: press.now.x, clientY: press.now.y });
    this.#page.arrange();
  }

  #makeSnapshot({ row, key, x, y, pointerId }) {
    const box = element("div", { className: "snapshot", "aria-hidden": "true" });
    const card = element("div", { className: "card" });
    const rectangle = row.getBoundingClientRect();
    let height = 0;
    const limit = this.#scroller.clientHeight * 0.45;
    const { visibleBlock, roots } = this.#lift;
    const isPile = roots.length > 1;
    for (const shown of isPile ? visibleBlock.filter((one) => one.key === key) : visibleBlock) {
      const original = this.#page.rows.element(shown.key);
      if (!original || height > limit) break;
      const copy = original.cloneNode(true);
      copy.style.transform = "";
      copy.removeAttribute("data-task");
      copy.removeAttribute("tabindex");
      for (const inner of copy.querySelectorAll("[data-handle]")) inner.removeAttribute("data-handle");
      if (this.#lift.isFolded) showFolded(copy, shown.task);
      card.append(copy);
      height += this.#page.rows.heightOf(shown);
    }
    if (isPile) {
      box.classList.add("pile");
      card.append(element("span", { className: "badge" }, String(roots.length)));
    }
    box.append(card);
    Object.assign(box.style, {
      left: `${rectangle.left}px`, top: `${rectangle.top}px`, width: `${rectangle.width}px`,
    });
    card.style.transformOrigin = `50% ${Math.min(height, y - rectangle.top)}px`;
    document.body.append(box);
    box.getBoundingClientRect(); // so that it grows from the row's size
    box.classList.add("lifted");
    this.#snapshot = {
      box, card, height, pointerId, x, y, start: { x, y }, top: rectangle.top, hasMoved: false,
      scrollTop: this.#scroller.scrollTop,
    };
  }

  /** The middles of the rows that stay, as if the lifted ones were not there. */
  #measure() {
    const { rest } = this.#lift;
    const middles = new Float64Array(rest.length);
    let top = this.#page.rows.padding;
    for (let index = 0; index < rest.length; index += 1) {
      const height = this.#page.rows.heightOf(rest[index]);
      middles[index] = top + height / 2;
      top += height;
    }
    this.#snapshot.middles = middles;
  }

  /** Puts the blank where the snapshot is. */
  #hover(isForced = false) {
    const { top, start, x, y, middles } = this.#snapshot;
    const edge = this.#scroller.getBoundingClientRect().top - this.#scroller.scrollTop;
    const wanted = top + (y - start.y) - edge;
    let [low, high] = [0, middles.length];
    while (low < high) {
      const middle = (low + high) >> 1;
      if (middles[middle] <= wanted) low = middle + 1;
      else high = middle;
    }
    const steps = this.#levels(x - start.x);
    const place = this.#lift.place(low, this.#lift.start.depth + steps);
    const { index, depth } = this.#place;
    const isSame = place.index === index && place.depth === depth && place.code === this.#place.code;
    this.#place = place;
    if (isSame && !isForced) return;
    this.#snapshot.box.classList.toggle("refused", Boolean(place.code));
    this.#page.arrange();
    this.#page.hovered(place);
  }

  /** How many levels a way to the side means; a hand that drifts a little means none. */
  #levels(pixels) {
    const slack = 4;
    return Math.sign(pixels) * Math.floor((Math.abs(pixels) + slack) / this.#page.indent);
  }

  /** Scrolls while the pointer is in the top or bottom sixth; faster towards the edge, and with time. */
  #scrollAtEdges() {
    if (this.#edge) return;
    let last = performance.now();
    let since = last;
    const tick = (now) => {
      if (!this.#lift) return;
      const seconds = Math.min(0.05, (now - last) / 1000);
      last = now;
      const rate = this.#edgeRate();
      if (rate === 0) {
        this.#edge = null;
        return;
      }
      const haste = 1 + Math.min(7, ((now - since) / 1000) ** 2 / 2);
      this.#scroller.scrollTop += rate * edgePixelsPerSecond * haste * seconds;
      this.#edge = requestAnimationFrame(tick);
    };
    if (this.#edgeRate() !== 0) this.#edge = requestAnimationFrame(tick);
  }

  #edgeRate() {
    if (!this.#snapshot.hasMoved) return 0;
    const { top, bottom, height } = this.#scroller.getBoundingClientRect();
    const zone = height * edgeShare;
    const { y } = this.#snapshot;
    if (y < top + zone) return -Math.min(1, (top + zone - y) / zone);
    if (y > bottom - zone) return Math.min(1, (y - bottom + zone) / zone);
    return 0;
  }

  #drop() {
    const [lift, place] = [this.#lift, this.#place];
    if (place.code) {
      this.cancel(reason(place.code));
      return;
    }
    this.#end();
    this.#page.dropped(lift, place);
    this.#settle(lift);
  }

  /** Puts the rows back where they were, and says why. */
  cancel(why) {
    this.#release();
    if (!this.#lift) return;
    const lift = this.#lift;
    const { scrollTop } = this.#snapshot;
    this.#end();
    this.#scroller.scrollTop = scrollTop;
    this.#page.liftEnded(lift);
    if (why) this.#page.tell(why);
    this.#settle(lift);
  }

  #end() {
    cancelAnimationFrame(this.#edge);
    this.#edge = null;
    this.#settling = { lift: this.#lift, snapshot: this.#snapshot };
    this.#lift = null;
    this.#snapshot = null;
    const { pointerId } = this.#settling.snapshot;
    if (this.#scroller.hasPointerCapture(pointerId)) this.#scroller.releasePointerCapture(pointerId);
  }

  /** The snapshot glides to its row, then the row takes its place. */
  #settle(lift) {
    this.#page.arrange();
    const settling = this.#settling;
    const { box, card } = settling.snapshot;
    const index = this.#page.rows.indexOf(lift.head);
    if (index >= 0 && !matchMedia("(prefers-reduced-motion: reduce)").matches) {
      const { top: now, left } = box.getBoundingClientRect();
      const area = this.#scroller.getBoundingClientRect();
      const goal = area.top - this.#scroller.scrollTop + this.#page.rows.top(index);
      const from = getComputedStyle(box).transform;
      const matrix = new DOMMatrix(from === "none" ? "" : from);
      const x = matrix.e + (this.#scroller.firstElementChild.getBoundingClientRect().left - left);
      const y = matrix.f + (goal - now);
      const timing = { duration: settleMilliseconds, easing: "cubic-bezier(.2,.7,.2,1)", fill: "forwards" };
      box.classList.add("settling");
      const animation = box.animate({ transform: [from, `translate(${x}px, ${y}px)`] }, timing);
      card.animate({ transform: "scale(1)", opacity: 1, boxShadow: "0 0 0 transparent" }, timing);
      animation.finished.then(() => this.#finishSettling(settling), () => {});
    } else {
      this.#finishSettling(settling);
    }
  }

  #finishSettling(settling = this.#settling) {
    if (!settling || settling !== this.#settling) return;
    this.#settling = null;
    settling.snapshot.box.remove();
    this.#page.arrange();
  }

  /** The click that ends a drag is no click. */
  #swallowClick(event) {
    if (!this.#swallow) return;
    this.#swallow = false;
    event.preventDefault();
    event.stopPropagation();
  }
}
