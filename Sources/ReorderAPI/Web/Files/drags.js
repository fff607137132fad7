// Drags as others see them: ours are announced, theirs leave a ghosted blank.

export class Drags extends EventTarget {
  #others = new Map();

  constructor(session) {
    super();
    this.session = session;
  }

  stop() {}
  started() {}
  hovered() {}
  ended() {}

  /** Whether somebody else drags this task now. */
  has() { return false; }

  withGhosts(rows) { return rows; }
}
