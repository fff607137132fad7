// Dragging with a mouse, a finger or a pen.
//
// A row is lifted by a press on its handle and a movement, or by a long press anywhere on it; with a mouse, by a press anywhere on it
// and a movement. A card then follows the pointer.
// A blank row shows the destination and its level, and the other rows glide out of its way.
import { EdgeScroll } from "./edges.js";
import { DragImage } from "./drag-image.js";
import { onKey } from "./key.js";
import { Onto } from "./onto.js";

const longPressMilliseconds = 400;
const slopPixels = 6;
/** A small drift to the side does not change the level. */
const levelPixels = 28;
const levelSlackPixels = 4;
const blankKey = "the blank";

export class Drag {
  #page;
  #lifting;
  #scroller;
  #edges;
  #press = null;
  #image = null;
  #settling = null;
  /** How far the list was scrolled when the rows were lifted. */
  #scrolled;
  /** The position of the pointer. */
  #point = { x: 0, y: 0 };
  #pointerId;
  #swallow = false;
  #onto = new Onto((key) => this.#reached(key));
  /** The position of the pointer when the list changed: until it moves, the place stays beside the same rows. */
  #resting = null;
  /** Where the rows were lifted, and the column under the pointer. */
  #start;
  #part;
  /** The other list under the pointer. */
  #list;

  constructor(page, lifting, scroller) {
    this.#page = page;
    this.#lifting = lifting;
    this.#scroller = scroller;
    const scrolled = () => {
      this.#resting = null;
      if (this.#image) this.#follow(this.#point.x, this.#point.y);
    };
    this.#edges = new EdgeScroll(scroller, scrolled);
    const canvas = scroller.firstElementChild;
    canvas.addEventListener("pointerdown", (event) => this.#down(event));
    window.addEventListener("pointermove", (event) => this.#move(event));
    window.addEventListener("pointerup", (event) => this.#up(event));
    window.addEventListener("pointercancel", ({ pointerId }) => {
      if (pointerId === this.#press?.pointerId || pointerId === this.#pointerId) this.cancel();
    });
    scroller.addEventListener("lostpointercapture", ({ target }) => {
      // For a finger, the touched element loses the browser's own capture when ours replaces it. That does not end the drag.
      if (this.#image && target === scroller) this.cancel();
    });
    // The list or the sidebar was scrolled.
    window.addEventListener("scroll", scrolled, { passive: true, capture: true });
    // A finger that holds a row must not scroll the list. Only the first move can be prevented.
    scroller.addEventListener(
      "touchmove",
      (event) => {
        if (this.#image && event.cancelable) event.preventDefault();
      },
      { passive: false },
    );
    // The browser would follow a long press with a click: on an item of the menu that the press has opened.
    scroller.addEventListener("touchend", (event) => {
      if (this.#swallow && event.cancelable) event.preventDefault();
    });
    scroller.addEventListener("contextmenu", (event) => {
      if (this.#press || this.#image) event.preventDefault();
    });
    scroller.addEventListener("click", (event) => this.#swallowClick(event), true);
    onKey(window, (key) => this.#key(key), true);
    window.addEventListener("blur", () => this.cancel());
  }

  /** Whether a row is hidden, because the blank replaces it or the drag image still glides to it. */
  isHiding(key) {
    const lift = this.#lifting.isIn(this) ? this.#lifting.lift : this.#settling?.lift;
    return Boolean(lift?.keys.has(key));
  }

  /** The blank where the lifted rows would land. */
  rows() {
    const { lift, place } = this.#lifting;
    const { depth, code } = place;
    const [isTask, isRefused] = [lift.tasks.length > 0, Boolean(code)];
    return [{ key: blankKey, kind: "blank", height: this.#image.height, depth, isTask, isRefused }];
  }

  /** The rows under the pointer are perhaps others now, but the person has not pointed at them. */
  moved() {
    if (this.#onto.key !== null) this.#hover(true);
    else {
      this.#resting = this.#point;
      this.#show(this.#lifting.place);
    }
  }

  #down(event) {
    if (this.#image) return;
    this.#settled();
    this.#swallow = false;
    if (!event.isPrimary || event.button !== 0) return;
    const row = event.target.closest(".task, .section");
    // A mouse drags a row also by a link. A finger that rests on it opens the browser's menu.
    const isMouse = event.pointerType === "mouse";
    const control = event.target.closest(`button, input, textarea${isMouse ? "" : ", a"}`);
    const isHandle = Boolean(control?.matches("[data-handle]"));
    if (!row || (control && !isHandle)) return;
    const { clientX: x, clientY: y, pointerId, pointerType: kind } = event;
    const needsTime = !isHandle && !isMouse;
    this.#press = { row, key: row.dataset.key, needsTime, x, y, now: { x, y }, pointerId, kind };
    this.#press.timer = setTimeout(() => this.#begin(), longPressMilliseconds);
  }

  #move(event) {
    if (this.#press && event.pointerId === this.#press.pointerId) {
      const { x, y, needsTime } = this.#press;
      this.#press.now = { x: event.clientX, y: event.clientY };
      if (Math.hypot(event.clientX - x, event.clientY - y) < slopPixels) return;
      if (!needsTime && event.buttons !== 0) this.#begin();
      else this.#release(); // it is a scroll, or the button was released outside the window
    }
    if (this.#image && event.pointerId === this.#pointerId)
      this.#follow(event.clientX, event.clientY);
  }

  #follow(x, y) {
    this.#point = { x, y };
    this.#image.follow(x, y);
    this.#list = this.#lifting.lift.tasks.length > 0 ? this.#page.listAt(x, y) : undefined;
    this.#image.isSmall = Boolean(this.#list);
    this.#hover();
    // Does not scroll near the place where the row was lifted, even at an edge.
    const { way } = this.#image;
    const { isBoard } = this.#page.rows;
    if (x < this.#scroller.getBoundingClientRect().left) this.#edges.stop();
    else if (Math.abs(way.y) > slopPixels || (isBoard && Math.abs(way.x) > slopPixels))
      this.#edges.follow(y, isBoard ? x : undefined);
  }

  #up(event) {
    this.#release();
    if (!this.#image || event.pointerId !== this.#pointerId) return;
    const { clientX: x, clientY: y } = event;
    // If the pointer rests, the list under it can be another one now: the drop is for the one that was marked.
    if (x !== this.#point.x || y !== this.#point.y) this.#follow(x, y);
    this.#drop(event);
    // A drag with a finger causes no click. So a click after this time is a new one.
    setTimeout(() => {
      this.#swallow = false;
    }, 100);
  }

  #drop({ clientX: x, clientY: y, pointerType }) {
    const { lift } = this.#lifting;
    const list = this.#list;
    const { way } = this.#image;
    if (list) {
      this.#lifting.cancel(null);
      this.#settled();
      this.#page.actions.moveToList(lift.tasks, list);
    } else if (pointerType === "touch" && Math.hypot(way.x, way.y) < slopPixels) {
      // The finger only pressed. After this event, the browser would close the menu again.
      this.#lifting.cancel(null);
      this.#settled();
      setTimeout(() => this.#page.menu.call("open", lift.head, x, y));
    } else this.#lifting.drop();
  }

  #release() {
    clearTimeout(this.#press?.timer);
    this.#press = null;
  }

  #begin() {
    const press = this.#press;
    this.#release();
    this.#swallow = true;
    if (!this.#lifting.begin(press.key, this)) {
      press.row.classList.add("shaken");
      press.row.addEventListener("animationend", () => press.row.classList.remove("shaken"), {
        once: true,
      });
      return;
    }
    this.#scroller.setPointerCapture(press.pointerId);
    this.#scroller.classList.add("holding");
    this.#pointerId = press.pointerId;
    this.#scrolled = { top: this.#scroller.scrollTop, left: this.#scroller.scrollLeft };
    const { rows } = this.#page;
    this.#start = { left: rows.ask("offset", press.x), part: rows.ask("part", press.x) };
    this.#image = new DragImage(
      this.#page.rows,
      this.#lifting.lift,
      press,
      this.#scroller.clientHeight * 0.45,
    );
    navigator.vibrate?.(8);
    this.#page.arrange();
    this.#follow(press.now.x, press.now.y);
  }

  /** Puts the blank where the drag image is. */
  #hover(isForced = false) {
    if (this.#isResting && !isForced) return;
    const { lift, place: before } = this.#lifting;
    const { rows } = this.#page;
    const at = [this.#point.x, this.#image.top];
    const { left, part: from } = this.#start;
    const index = this.#list ? lift.start.index : rows.ask("gapAt", ...at);
    const part = this.#list ? from : rows.ask("part", ...at);
    const row = this.#list ? undefined : rows.ask("rowAround", ...at);
    if (this.#edges.isMoving || part !== this.#part) this.#onto.stop();
    else this.#onto.follow(row?.task ? row.key : null, this.#image.top);
    this.#part = part;
    const { key } = this.#onto;
    const way = this.#list ? 0 : rows.ask("offset", ...at) - left;
    // In another column, a task lands at the highest level, unless it is held over a task.
    const place =
      (key === null ? null : lift.onto(key)) ??
      (part === from
        ? lift.place(index, lift.start.depth + levels(way))
        : lift.place(index, 0, true));
    const isSame = ["index", "depth", "code"].every((name) => place[name] === before[name]);
    if (!isSame || isForced) this.#show(place);
  }

  get #isResting() {
    if (this.#resting === null) return false;
    const { x, y } = this.#resting;
    if (Math.hypot(this.#point.x - x, this.#point.y - y) >= slopPixels) this.#resting = null;
    return this.#resting !== null;
  }

  #show(place) {
    this.#image.isRefused = Boolean(place.code);
    this.#lifting.hover(place);
  }

  isOnto(key) {
    return this.#image !== null && this.#onto.key === key;
  }

  /** The rows were held over a row for a moment: a folded row opens, and a drop makes subtasks of it. */
  #reached(key) {
    if (!this.#image) return;
    const task = this.#page.list.tasks.get(key);
    if (!this.#lifting.lift.onto(key)) this.#onto.key = null;
    else if (task?.collapsed && task.children.length > 0) this.#page.actions.fold(task);
    this.#hover(true);
  }

  #key(key) {
    if (key !== "Escape" || !this.#image) return false;
    this.cancel();
    return true;
  }

  /** Cancels the drag: the rows go back. @param why as in `Lifting.cancel` */
  cancel(why) {
    this.#release();
    if (this.#image) this.#lifting.cancel(why);
  }

  /** The drag image glides to its row, then the row takes its place. */
  ended(lift, isDropped) {
    const image = this.#image;
    this.#edges.stop();
    this.#scroller.classList.remove("holding");
    this.#image = null;
    this.#resting = null;
    this.#onto.stop();
    this.#list = undefined;
    this.#page.listAt(-1, -1);
    this.#settling = { lift, image, focused: document.activeElement };
    if (this.#scroller.hasPointerCapture(this.#pointerId)) {
      this.#scroller.releasePointerCapture(this.#pointerId);
    }
    if (!isDropped) this.#scroller.scrollTo(this.#scrolled);
    this.#page.arrange();
    const index = this.#page.rows.indexOf(lift.head);
    const settled = () => this.#settling?.image === image && this.#settled();
    const row = this.#page.rows.element(lift.head);
    if (index >= 0 && row)
      image.settle(this.#page.rows.transform(index), row).then(settled, () => {});
    else settled();
  }

  #settled() {
    const settling = this.#settling;
    if (!settling) return;
    this.#settling = null;
    settling.image.remove();
    this.#page.arrange();
    // The hidden row has lost the focus. It gets the focus again, unless something else has got it since the drop.
    const focused = document.activeElement;
    if (focused !== document.body && focused !== settling.focused) return;
    this.#page.rows.element(settling.lift.head)?.focus({ preventScroll: true });
  }

  /** Ignores the click that ends a drag. */
  #swallowClick(event) {
    if (!this.#swallow) return;
    this.#swallow = false;
    event.preventDefault();
    event.stopPropagation();
  }
}

/** The number of levels for a horizontal distance. */
function levels(pixels) {
  return Math.sign(pixels) * Math.floor((Math.abs(pixels) + levelSlackPixels) / levelPixels);
}
