// The card beside the pointer: the held row, and how many rows travel with it. It leaves the beginning of the blank row free, which
// shows the place and the level.
import { element } from "./icons.js";

const timing = { duration: 220, easing: "cubic-bezier(.2,.7,.2,1)" };
const mostPixels = 280;
const mostShare = 0.4;
/** The distance from the pointer. A finger covers what is near it. */
const distances = { mouse: 16, touch: 30 };
/** Over another list, the card must not hide the name of the list. */
const belowPixels = 18;

export class DragImage {
  /** The height of the lifted rows in the list. */
  height = 0;
  /** The distance from the place where it was lifted. */
  way = { x: 0, y: 0 };
  #box;
  #card;
  #cell;
  #start;
  #origin;
  /** The sides of what is seen of the list. */
  #area;
  /** The place of the pointer in the row, and the card's size and distance. */
  #grab;
  #size;
  #distance;
  /** On which side of the pointer the card is: 1 is right. */
  #side;
  #isSmall = false;

  /**
   * @param press the pressed row, and the position and kind of the press
   * @param limit the height above which no more rows are added
   */
  constructor(rows, lift, { row, key, x, y, kind }, limit) {
    const seen = lift.pile ? lift.visibleBlock.filter((one) => one.key === key) : lift.visibleBlock;
    for (const one of seen) if (this.height <= limit) this.height += rows.layout.heightOf(one);
    const { left, top, width, height } = boxOf(row);
    this.#area = areaOf(row);
    const { direction } = getComputedStyle(row);
    this.#start = { x, y };
    this.#origin = { left, top, width };
    this.#grab = { x: x - left, y: y - top };
    this.#distance = distances[kind] ?? distances.mouse;
    this.#side = direction === "rtl" ? -1 : 1;
    this.#card = element("div", { className: "card" }, copyOf(row));
    this.#cell = this.#card.querySelector(".cell");
    if (lift.count > 1) {
      this.#card.classList.add("several");
      this.#card.append(element("span", { className: "badge" }, String(lift.count)));
    }
    this.#box = element(
      "div",
      { className: "drag-image", dir: direction, "aria-hidden": "true", inert: true },
      this.#card,
    );
    const box = Object.entries({ left, top, width, height }).map(([name, px]) => [name, `${px}px`]);
    Object.assign(this.#box.style, Object.fromEntries(box));
    document.body.append(this.#box);
    this.#lift(row);
  }

  /** Grows from the row to the card. */
  #lift(row) {
    const { style } = this.#card;
    Object.assign(style, { left: 0, top: 0 });
    style.maxWidth = `${Math.min(mostPixels, mostShare * (this.#area.right - this.#area.left))}px`;
    const { width, height } = this.#card.getBoundingClientRect();
    this.#size = { width, height };
    Object.assign(style, { maxWidth: "none", width: `${width}px`, height: `${height}px` });
    this.#place();
    if (isStill()) return;
    this.#card.animate([shapeOf(row), {}], timing);
    this.#cell.animate([{ padding: paddingOf(row) }, {}], timing);
  }

  get top() {
    return this.#origin.top + this.way.y;
  }

  set isRefused(isRefused) {
    this.#box.classList.toggle("refused", isRefused);
  }

  set isSmall(isSmall) {
    if (isSmall === this.#isSmall) return;
    this.#isSmall = isSmall;
    this.#place();
  }

  follow(x, y) {
    this.way = { x: x - this.#start.x, y: y - this.#start.y };
    this.#box.style.transform = `translate(${this.way.x}px, ${this.way.y}px)`;
    this.#place();
  }

  /** Puts the card beside the pointer: in the list, on the side where it was, if it has room there. */
  #place() {
    const { width, height } = this.#size;
    const { x, y } = this.#grab;
    const pointer = this.#start.x + this.way.x;
    const room = { 1: this.#area.right - pointer, [-1]: pointer - this.#area.left };
    const hasRoom = (side) => room[side] >= this.#distance + width;
    if (!hasRoom(this.#side) && hasRoom(-this.#side)) this.#side = -this.#side;
    let left = x + (this.#side > 0 ? this.#distance : -this.#distance - width);
    let top = y - height / 2;
    if (this.#isSmall) [left, top] = [x + belowPixels, y + belowPixels];
    this.#card.style.transform = `translate(${left}px, ${top}px)`;
  }

  /**
   * Glides to a place in the list.
   * @param transform of the row there
   * @param row its element
   */
  settle(transform, row) {
    if (isStill()) return Promise.resolve();
    const last = { ...timing, fill: "forwards" };
    const { left, top } = row.parentElement.getBoundingClientRect();
    const way = [left + row.offsetLeft - this.#origin.left, top + row.offsetTop - this.#origin.top];
    const goal = `translate(${way[0]}px, ${way[1]}px) ${transform}`;
    this.#card.animate({ ...shapeOf(row), boxShadow: "0 0 0 transparent" }, last);
    this.#cell.animate({ padding: paddingOf(row) }, last);
    return this.#box.animate({ transform: goal }, last).finished;
  }

  remove() {
    this.#box.remove();
  }
}

function isStill() {
  return matchMedia("(prefers-reduced-motion: reduce)").matches;
}

/** The headers of columns have no height, only their cells. */
function boxOf(row) {
  return row.firstElementChild.getBoundingClientRect();
}

function shapeOf(row) {
  const { width, height } = boxOf(row);
  return { width: `${width}px`, height: `${height}px`, transform: "translate(0px, 0px)" };
}

function areaOf(row) {
  const canvas = row.parentElement;
  const [list, seen] = [canvas, canvas.parentElement].map((one) => one.getBoundingClientRect());
  return { left: Math.max(list.left, seen.left), right: Math.min(list.right, seen.right) };
}

function paddingOf(row) {
  return getComputedStyle(row.querySelector(".cell")).padding;
}

function copyOf(row) {
  const copy = row.cloneNode(true);
  copy.style.transform = "";
  copy.removeAttribute("data-task");
  copy.removeAttribute("tabindex");
  for (const inner of copy.querySelectorAll(".cell > :not(.tick, .title)")) inner.remove();
  return copy;
}
