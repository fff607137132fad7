// The lifted rows and their destination, for both pointer and keys.
import { placement } from "./client.js";
import { words } from "./language.js";
import { Lift } from "./places.js";
import { SectionLift } from "./sections.js";
import { reason, whyGone } from "./words.js";

/**
 * Either `Drag` (pointer) or `Keys` holds the lifted rows, and is called their hand. A hand has
 * - `rows()`: the rows to show at the destination,
 * - `moved()`: called after the list changed and was arranged again,
 * - `ended(lift, isDropped)`: called when the lifted rows are at their final place.
 */
export class Lifting {
  lift = null;
  place = null;
  #page;
  #hand = null;

  constructor(page) {
    this.#page = page;
    for (const event of ["pagehide", "beforeprint"])
      window.addEventListener(event, () => this.cancel(null));
  }

  isIn(hand) {
    return this.#hand === hand;
  }

  /** The destination of the lifted rows, as the rows' `gap`. */
  get gap() {
    const isSection = this.lift.tasks.length === 0;
    return { index: this.place.index, rows: this.#hand.rows(), isSection };
  }

  /** Lifts a row, and the rows selected with it. If that is not allowed, shows the reason. */
  begin(key, hand) {
    this.cancel();
    if (!this.#page.mayEdit) return false;
    if (this.#page.search.isOn) {
      this.#page.notify(words.lifting.endSearch);
      return false;
    }
    const lift = this.#lift(key);
    if (!lift) return false;
    if (lift.refusal) {
      this.#page.notify(reason(lift.refusal));
      return false;
    }
    this.lift = lift;
    this.place = lift.place(lift.start.index, lift.start.depth);
    this.#hand = hand;
    this.#drags.started(lift.tasks);
    this.#drags.hovered(this.place);
    this.#page.liftStarted(lift);
    return true;
  }

  get #drags() {
    return this.#page.session.drags;
  }

  #lift(key) {
    const { list, plain, selected } = this.#page;
    const ids = selected.has(key) ? [...selected.keys] : [key];
    if (list?.tasks.has(key)) return new Lift(list, plain, ids, key);
    const isSection = this.#page.row(key)?.kind === "section";
    return isSection ? new SectionLift(list, plain, key) : null;
  }

  /** Changes the destination. */
  hover(place) {
    this.place = place;
    this.#page.arrange({ isMove: true });
    this.#drags.hovered(place);
  }

  /** Called when the list has changed. Lifts the same rows at the same place, if they still exist. */
  relift() {
    if (!this.lift) return;
    const { list, plain } = this.#page;
    const before = this.lift;
    const lift = before.again(list, plain);
    if (!lift) {
      const gone = before.block.find(({ key }) => !this.#page.row(key)) ?? before.block[0];
      this.cancel(whyGone(list, gone));
      return;
    }
    this.lift = lift;
    const isExact = this.#page.rows.isBoard || Boolean(this.place.code);
    const gap = this.#gapOf(this.place, before.rest, lift.rest);
    this.place = lift.place(gap, this.place.depth, isExact);
  }

  /** Called after the rows were arranged again. */
  rearranged() {
    this.#hand?.moved();
  }

  drop() {
    const { lift, place } = this;
    if (place.code) {
      this.cancel(reason(place.code));
      return;
    }
    this.#end((hand) => {
      if (lift.isStart(place)) this.#page.notify(words.lifting.putBack, { isQuiet: true });
      else this.#page.do({ ...lift.step(place), drag: this.#drags.dropped() });
      hand.ended(lift, true);
    });
  }

  /** Puts the rows back, and shows the reason. Without one, the person has cancelled it, and only a screen reader says so. Null: nothing does. */
  cancel(why) {
    const { lift } = this;
    if (!lift) return;
    this.#end((hand) => {
      hand.ended(lift, false);
      if (why === undefined) this.#page.notify(words.lifting.cancelled, { isQuiet: true });
      else if (why !== null) this.#page.notify(why);
    });
  }

  #end(finish) {
    const hand = this.#hand;
    this.lift = null;
    this.place = null;
    this.#hand = null;
    finish(hand);
    this.#drags.ended();
    this.#page.liftEnded();
  }

  /**
   * The gap that lifted rows had before the list changed: it stays beside the row above. If that row has moved away and the row below
   * has not, it stays beside the row below.
   * @param before the rows that stay, as they were
   * @param rest the rows that stay
   */
  #gapOf({ index, to }, before, rest) {
    const { list } = this.#page;
    const indexOf = (row) => (row ? this.#page.indexOf(row.key, rest) : -1);
    const above = indexOf(before[index - 1]);
    const below = indexOf(before[index]);
    const isInPlace = (id) => {
      const { section, parent } = placement(list.tasks.get(id));
      return to.parent ? parent === to.parent : parent === null && section === to.section;
    };
    const areThere = list.tasks.has(to.after) && list.tasks.has(to.before);
    const hasParted = areThere && !isInPlace(to.after) && isInPlace(to.before);
    if (below >= 0 && (above < 0 || hasParted) && index > 0) return below;
    return above < 0 ? Math.min(index, rest.length) : above + 1;
  }
}
