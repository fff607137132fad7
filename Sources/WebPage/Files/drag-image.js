// The picture of lifted rows that follows the pointer.
import { element } from "./icons.js";
import { showFolded } from "./row.js";

const settleMilliseconds = 250;

export class DragImage {
  /** The height of its rows in the list. */
  height = 0;
  /** The distance from the place where it was lifted. */
  way = { x: 0, y: 0 };
  #box;
  #card;
  #start;
  #origin;

  /**
   * @param press the pressed row, and the position of the press
   * @param limit the height above which no more rows are added
   */
  constructor(rows, lift, { row, key, x, y }, limit) {
    this.#card = element("div", { className: "card" });
    this.#box = element(
      "div",
      {
        className: "drag-image",
        dir: getComputedStyle(row).direction,
        "aria-hidden": "true",
        inert: true,
      },
      this.#card,
    );
    const seen = lift.pile ? lift.visibleBlock.filter((one) => one.key === key) : lift.visibleBlock;
    for (const one of seen) {
      const original = rows.element(one.key);
      if (!original || this.height > limit) break;
      this.#card.append(copyOf(original, lift.isFolded && one.task));
      this.height += rows.heightOf(one);
    }
    if (lift.pile) {
      this.#box.classList.add("pile");
      this.#card.append(element("span", { className: "badge" }, String(lift.pile)));
    }
    const { left, top, width } = row.getBoundingClientRect();
    this.#start = { x, y };
    this.#origin = { left, top };
    Object.assign(this.#box.style, { left: `${left}px`, top: `${top}px`, width: `${width}px` });
    this.#box.style.setProperty("--grab", `${x - left}px`);
    this.#card.style.transformOrigin = `50% ${Math.min(this.height, y - top)}px`;
    document.body.append(this.#box);
    this.#box.getBoundingClientRect(); // so that it grows from the row's size
    this.#box.classList.add("lifted");
  }

  get top() {
    return this.#origin.top + this.way.y;
  }

  set isRefused(isRefused) {
    this.#box.classList.toggle("refused", isRefused);
  }

  /** Over another list, the image must not hide the name of the list. */
  set isSmall(isSmall) {
    this.#box.classList.toggle("small", isSmall);
  }

  follow(x, y) {
    this.way = { x: x - this.#start.x, y: y - this.#start.y };
    this.#box.style.transform = `translate(${this.way.x}px, ${this.way.y}px)`;
  }

  /** Glides to a place in the window. */
  settle(left, top) {
    if (matchMedia("(prefers-reduced-motion: reduce)").matches) return Promise.resolve();
    const timing = {
      duration: settleMilliseconds,
      easing: "cubic-bezier(.2,.7,.2,1)",
      fill: "forwards",
    };
    const goal = `translate(${left - this.#origin.left}px, ${top - this.#origin.top}px)`;
    this.#card.animate(
      { transform: "scale(1)", opacity: 1, boxShadow: "0 0 0 transparent" },
      timing,
    );
    return this.#box.animate({ transform: goal }, timing).finished;
  }

  remove() {
    this.#box.remove();
  }
}

function copyOf(original, foldedTask) {
  const copy = original.cloneNode(true);
  copy.style.transform = "";
  copy.removeAttribute("data-task");
  copy.removeAttribute("tabindex");
  for (const inner of copy.querySelectorAll("[data-handle]")) inner.removeAttribute("data-handle");
  if (foldedTask) showFolded(copy, foldedTask);
  return copy;
}
