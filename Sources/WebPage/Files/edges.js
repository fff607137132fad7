// Scrolls a list while a row is held in its top or bottom sixth.

const edgeShare = 1 / 6;
const pixelsPerSecond = 900;
const mostHaste = 8;

export class EdgeScroll {
  #scroller;
  #scrolled;
  #y = 0;
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

  /** Sets the vertical position of the held row in the window. */
  follow(y) {
    this.#y = y;
    if (this.#frame || this.#rate() === 0) return;
    const since = performance.now();
    let last = since;
    const tick = (now) => {
      const rate = this.#rate();
      if (rate === 0) {
        this.stop();
        return;
      }
      const seconds = Math.max(0, Math.min(0.05, (now - last) / 1000));
      last = now;
      const haste = Math.min(mostHaste, 1 + ((now - since) / 1000) ** 2 / 2);
      const before = this.#scroller.scrollTop;
      this.#scroller.scrollTop += rate * pixelsPerSecond * haste * seconds;
      this.#frame = requestAnimationFrame(tick);
      const wasMoving = this.isMoving;
      this.isMoving = this.#scroller.scrollTop !== before;
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

  /** The speed, from -1 (up) to 1 (down). It is 0 outside the zones at the edges, and grows towards the edge. */
  #rate() {
    const { top, bottom, height } = this.#scroller.getBoundingClientRect();
    const zone = height * edgeShare;
    if (this.#y < top + zone) return -Math.min(1, (top + zone - this.#y) / zone);
    if (this.#y > bottom - zone) return Math.min(1, (this.#y - bottom + zone) / zone);
    return 0;
  }
}
