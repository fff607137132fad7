// What is lifted now, and where it would land; whether it is held with a pointer or with keys.
import { Lift } from "./places.js";
import { SectionLift } from "./sections.js";
import { reason } from "./steps.js";

/**
 * A hand holds what is lifted. It has
 * - `rows()`: what stands where it would land,
 * - `moved()`: the list is different and was arranged anew,
 * - `ended(lift, isDropped)`: what was lifted is where it stays.
 */
export class Lifting {
  lift = null;
  place = null;
  #page;
  #hand = null;

  constructor(page) { this.#page = page; }

  isIn(hand) { return this.#hand === hand; }

  /** Where the lifted rows would stand, as the rows' `gap`. */
  get gap() { return { index: this.place.index, rows: this.#hand.rows() }; }

  /** Lifts a row, and those that are selected with it, into a hand. If it may not, says why. */
  begin(key, hand) {
    this.cancel();
    const lift = this.#lift(key);
    if (!lift) return false;
    if (lift.refusal) {
      this.#page.tell(reason(lift.refusal));
      return false;
    }
    this.lift = lift;
    this.place = lift.place(lift.start.index, lift.start.depth);
    this.#hand = hand;
    this.#page.liftStarted(lift, this.place);
    return true;
  }

  #lift(key) {
    const { list, plain, selected } = this.#page;
    const ids = selected.has(key) ? [...selected.keys] : [key];
    if (list?.tasks.has(key)) return new Lift(list, plain, ids, key);
    return plain.some((row) => row.key === key) ? new SectionLift(list, plain, key) : null;
  }

  /** Another place is where it would land. */
  hover(place) {
    this.place = place;
    this.#page.arrange();
    this.#page.hovered(place);
  }

  /** The list is different: the same rows are held at the same place, if they are still there. */
  relift() {
    if (!this.lift) return;
    const { list, plain } = this.#page;
    const lift = this.lift.again(list, plain);
    if (!lift) {
      this.cancel("The row was deleted elsewhere.");
      return;
    }
    const above = this.lift.rest[this.place.index - 1];
    const index = above ? lift.rest.findIndex((row) => row.key === above.key) + 1 : 0;
    this.lift = lift;
    this.place = lift.place(index || Math.min(this.place.index, lift.rest.length), this.place.depth);
  }

  /** After the rows were arranged anew. */
  rearranged() { this.#hand?.moved(); }

  drop() {
    const { lift, place } = this;
    if (place.code) {
      this.cancel(reason(place.code));
      return;
    }
    this.#end((hand) => {
      if (lift.isStart(place)) this.#page.tell("Put back where it was.", { isQuiet: true });
      else this.#page.dropped(lift.step(place));
      hand.ended(lift, true);
    });
  }

  /** Puts the rows back where they were, and says why. */
  cancel(why = "Move cancelled.") {
    const { lift } = this;
    if (!lift) return;
    this.#end((hand) => {
      hand.ended(lift, false);
      this.#page.tell(why);
    });
  }

  #end(finish) {
    const hand = this.#hand;
    this.lift = null;
    this.place = null;
    this.#hand = null;
    finish(hand);
    this.#page.liftEnded();
  }
}
