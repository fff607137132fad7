// The keyboard in the list: arrows move from row to row, Space lifts and drops. Buttons also move the lifted rows, for people who
// cannot drag or press keys.
import { onKey } from "./key.js";
import { words } from "./language.js";
import { reason } from "./words.js";

const { lifting, list } = words;

/** The keys that move from row to row, and the number of rows. */
const movements = {
  ArrowDown: 1,
  ArrowUp: -1,
  PageDown: 10,
  PageUp: -10,
  Home: -Infinity,
  End: Infinity,
};

/** The keys that act once, however long they are held: the next row would get the repetition. */
const actingOnce = [
  "Delete",
  "Backspace",
  "Enter",
  "F2",
  "Space",
  "Control+Enter",
  "Control+Space",
];

export class Keys {
  #page;
  #lifting;
  #canvas;
  #mover;
  /** The wanted level, used wherever it is allowed. */
  #depth = 0;

  /** @param mover the bar with the buttons; each button's value is the key that it replaces */
  constructor(page, lifting, canvas, mover) {
    this.#page = page;
    this.#lifting = lifting;
    this.#canvas = canvas;
    this.#mover = mover;
    onKey(canvas, (key, event) => this.#key(key, event));
    canvas.addEventListener("focusout", ({ relatedTarget }) => {
      const isNear = [canvas, mover].some((part) => part.contains(relatedTarget));
      if (this.#isHolding && !isNear) this.#lifting.cancel();
    });
    // The row keeps the focus, so that keys still work.
    mover.addEventListener("pointerdown", (event) => event.preventDefault());
    mover.addEventListener("click", ({ target }) => {
      const button = target.closest("button");
      if (button && this.#isHolding) this.#keyLifted(this.#ofBoard(button.value));
    });
  }

  get #isHolding() {
    return this.#lifting.isIn(this);
  }

  /** On a board, some keys mean others. */
  #ofBoard(key) {
    return this.#page.rows.layout.keys?.[key] ?? key;
  }

  isHolding(key) {
    return this.#isHolding && this.#lifting.lift.keys.has(key);
  }

  /** Lifts a row. */
  begin(key) {
    if (!this.#lifting.begin(key, this)) return;
    this.#mover.hidden = false;
    this.#depth = this.#lifting.lift.start.depth;
    this.#page.cursor.focus(key);
    this.#page.arrange();
    this.#notify(lifting.lifted);
  }

  /** The lifted rows at their new level. */
  rows() {
    const { lift, place } = this.#lifting;
    const { visibleBlock, pile } = lift;
    const head = visibleBlock.find((row) => row.key === lift.head) ?? visibleBlock[0];
    const shift = place.depth - head.depth;
    return visibleBlock.map((row) => ({ ...row, depth: pile ? place.depth : row.depth + shift }));
  }

  moved() {}

  ended(lift) {
    this.#mover.hidden = true;
    this.#page.arrange();
    if (this.#page.row(lift.head)) this.#page.cursor.focus(lift.head);
  }

  /** @returns whether the key has an effect here */
  #key(pressed, { target, repeat, key: text }) {
    if (target === this.#canvas)
      return this.#page.cursor.isLost && this.#keyWhenLost(pressed, text);
    const row = target.closest("[data-key]");
    if (!row || target.matches("textarea, input")) return false;
    if (repeat && actingOnce.includes(pressed)) return true;
    const sided = this.#page.isRightToLeft ? mirrored(pressed) : pressed;
    const key = this.#ofBoard(sided);
    if (this.#isHolding) return this.#keyLifted(key);
    const isOnRow = target === row || target.matches("[data-handle]");
    return isOnRow && this.#keyOnRow(key, target, row.dataset.key);
  }

  /**
   * The row with the focus has left. Keys that were meant for it do nothing, until the person moves. But what is typed in its title is kept.
   * @param text what the key types, if it is one character
   */
  #keyWhenLost(key, text) {
    const { cursor } = this.#page;
    // Tab, and the commands of the browser and the page, were not for the row.
    if (/^(Control|Alt|F\d|(Shift\+)?Tab)/.test(key)) return false;
    if (cursor.mayTypeWhenLost(key) && [...text].length === 1) {
      this.#page.acts.keepMore(text);
      return true;
    }
    const mayMove = cursor.mayMoveWhenLost(key === "Escape");
    if (mayMove && key in movements) return cursor.go(movements[key]);
    this.#page.notify(mayMove ? list.lostMove : list.lostEscape);
    return true;
  }

  #keyLifted(key) {
    switch (key) {
      case "ArrowDown":
        this.#step(1);
        return true;
      case "ArrowUp":
        this.#step(-1);
        return true;
      case "ArrowRight":
        this.#nest(1);
        return true;
      case "ArrowLeft":
        this.#nest(-1);
        return true;
      case "After":
        this.#toColumn(1);
        return true;
      case "Before":
        this.#toColumn(-1);
        return true;
      case "Space":
      case "Enter":
        this.#lifting.drop();
        return true;
      case "Escape":
        this.#lifting.cancel();
        return true;
      case "Tab":
      case "Shift+Tab":
        this.#lifting.cancel();
        return false;
      default:
        return true;
    }
  }

  #keyOnRow(key, target, rowKey) {
    const { cursor } = this.#page;
    if (key in movements) return cursor.go(movements[key]);
    switch (key) {
      case "Shift+ArrowDown":
        return cursor.go(1, true);
      case "Shift+ArrowUp":
        return cursor.go(-1, true);
      case "ArrowRight":
        return cursor.open();
      case "ArrowLeft":
        return cursor.close();
      case "After":
        return cursor.goBeside(1);
      case "Before":
        return cursor.goBeside(-1);
      default:
        return target.matches(".adder")
          ? this.#keyOnAdder(key, target)
          : this.#actOnRow(key, target, rowKey);
    }
  }

  #keyOnAdder(key, target) {
    const isPress = key === "Enter" || key === "Space";
    if (isPress) target.querySelector("button").click();
    return isPress;
  }

  #actOnRow(key, target, rowKey) {
    const page = this.#page;
    switch (key) {
      case "Space":
        this.begin(rowKey);
        return true;
      case "Control+Space":
        if (page.list.tasks.has(rowKey)) page.selected.toggle(rowKey);
        return true;
      case "Control+Enter":
        page.actions.toggleDone(rowKey);
        return true;
      case "Enter":
        if (target.matches("[data-handle]")) this.begin(rowKey);
        else page.actions.rename(rowKey);
        return true;
      case "F2":
        page.actions.rename(rowKey);
        return true;
      case "i":
        if (page.list.tasks.has(rowKey)) page.details.open(rowKey);
        return true;
      case "Delete":
      case "Backspace":
        page.actions.delete(rowKey);
        return true;
      case "Escape":
        return page.selected.clear() || page.search.close() || page.details.close();
      case "ContextMenu":
      case "Shift+F10":
        page.menu.call("open", rowKey);
        return true;
      default:
        return false;
    }
  }

  /** Moves to the next allowed place. */
  #step(direction) {
    const { lift, place: before } = this.#lifting;
    const end = this.#page.rows.layout.gaps[direction > 0 ? 1 : 0];
    for (let index = before.index; index !== end;) {
      index += direction;
      const place = lift.place(index, this.#depth);
      if (!place.code && place.index !== before.index) {
        this.#go(place);
        return;
      }
    }
    this.#page.notify(direction > 0 ? lifting.down : lifting.up, { isQuiet: true });
  }

  /** Moves to the nearest allowed place of the next column that has one. */
  #toColumn(direction) {
    const { lift } = this.#lifting;
    if (lift.tasks.length === 0) {
      this.#step(direction);
      return;
    }
    const place = this.#page.rows.layout.placeBeside(lift, direction);
    if (place && !place.code) {
      this.#depth = 0;
      this.#go(place);
    } else
      this.#page.notify(place ? reason(place.code) : words.board.noColumn, { isQuiet: !place });
  }

  #nest(direction) {
    const { lift, place: before } = this.#lifting;
    const depth = before.depth + direction;
    const place = lift.placeAtDepth(before.index, depth);
    if (place) {
      this.#depth = depth;
      this.#go(place);
    } else {
      const why = direction > 0 ? lifting.deeper : lifting.furtherOut;
      this.#page.notify(why, { isQuiet: true });
    }
  }

  #go(place) {
    this.#lifting.hover(place);
    this.#page.rows.reveal(this.#lifting.lift.head);
    this.#notify();
  }

  /** @param sentence contains the place */
  #notify(sentence = (place) => place) {
    const { lift, place } = this.#lifting;
    this.#page.notify(sentence(`${lift.describe(place)}.`), { isQuiet: true });
  }
}

/** Where the text goes from right to left, the arrow to the left goes deeper. */
function mirrored(key) {
  const other = { ArrowLeft: "ArrowRight", ArrowRight: "ArrowLeft" };
  return key.replace(/Arrow(Left|Right)$/, (arrow) => other[arrow]);
}
