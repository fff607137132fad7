// Scrolls a list while a row is held in its top or bottom sixth, and a board also at its sides.

const edgeShare = 1 / 6;
const sidePixels = 80;
const pixelsPerSecond = 900;
const mostHaste = 8;

export class EdgeScroll {
  #scroller;
  #scrolled;
  #y = 0;
  #x;
  #frame = 0;
  /** Whether the list moved in the last frame. */
  isMoving = false;

  /**
   * @param scrolled is called when the list has moved, in the same frame, and when it has come to rest. The event `scroll` comes one
   *   frame later, and then the list can be some rows further
   */
  constructor(scroller, scrolled = () => {}) {
    this.#scroller = scroller;
    this.#scrolled = scrolled;
  }

  /** Sets the vertical position of the held row in the window. @param x the horizontal one, for a board */
  follow(y, x) {
    this.#y = y;
    this.#x = x;
    if (this.#frame || this.#rates().every((rate) => rate === 0)) return;
    const since = performance.now();
    let last = since;
    const tick = (now) => {
      const rates = this.#rates();
      if (rates.every((rate) => rate === 0)) {
        this.stop();
        return;
      }
      const seconds = Math.max(0, Math.min(0.05, (now - last) / 1000));
      last = now;
      const haste = Math.min(mostHaste, 1 + ((now - since) / 1000) ** 2 / 2);
      const [left, top] = rates.map((rate) => rate * pixelsPerSecond * haste * seconds);
      const { scrollTop, scrollLeft } = this.#scroller;
      this.#scroller.scrollBy(left, top);
      this.#frame = requestAnimationFrame(tick);
      const wasMoving = this.isMoving;
      this.isMoving =
        this.#scroller.scrollTop !== scrollTop || this.#scroller.scrollLeft !== scrollLeft;
      if (this.isMoving || wasMoving) this.#scrolled();
    };
    this.#frame = requestAnimationFrame(tick);
    this.#scroller.classList.add("scrolling");
  }

  stop() {
    cancelAnimationFrame(this.#frame);
    this.#frame = 0;
    this.isMoving = false;
    this.#scroller.classList.remove("scrolling");
  }

  /** The speeds to the side and down. */
  #rates() {
    const { top, bottom, left, right, height, width } = this.#scroller.getBoundingClientRect();
    return [
      this.#x === undefined
        ? 0
        : rate(this.#x, left, right, Math.min(sidePixels, width * edgeShare)),
      rate(this.#y, top, bottom, height * edgeShare),
    ];
  }
}

/** The speed, from -1 to 1. It is 0 outside the zones at the edges, and grows towards the edge. */
function rate(position, start, end, zone) {
  if (position < start + zone) return -Math.min(1, (start + zone - position) / zone);
  if (position > end - zone) return Math.min(1, (position - end + zone) / zone);
  return 0;
}
