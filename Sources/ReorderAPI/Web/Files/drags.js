// Live drags: announces this window's drags to other clients, and shows their drags as ghosts.
// A drag locks nothing. The move at its end is an ordinary step, which also ends the server's drag if that still exists. So the
// move works even if no other client sees the drag.
import { Problem, clientID, send } from "./api.js";
import { depthOf, isInside, sectionKey } from "./list.js";
import { dragPath } from "./steps.js";

const ghostHeight = 48;
const mostTasks = 100;
const hoverMilliseconds = 50;

/** Event: `change`, when the drags of others change. */
export class Drags extends EventTarget {
  #session;
  #others = new Map();
  #own = null;

  constructor(session) {
    super();
    this.#session = session;
    session.addEventListener("drag", ({ detail }) => this.#receive(detail));
    // After each `hello`, the server sends the current drags. So a drag disappears even if this window missed its end.
    session.addEventListener("hello", () => this.#forgetAll());
    session.addEventListener("state", () => {
      if (session.state !== "live") this.#forgetAll();
    });
    session.addEventListener("refused", ({ detail: { step } }) => step.drag && cancel(step.drag));
  }

  stop() {
    this.ended();
    this.#clear();
  }

  // MARK: Ours

  /** Announces a drag of tasks. Drags of sections (without tasks) are not announced. */
  started(tasks) {
    this.ended();
    if (tasks.length > 0 && this.#session.state === "live")
      this.#own = new Announcement(this.#session.id, tasks);
  }

  hovered({ to, code }) {
    if (!code) this.#own?.hover(to);
  }

  ended() {
    this.#own?.end();
    this.#own = null;
  }

  /** Returns the server's drag that the step of a drop must end, if any. If the step is refused, the drag is cancelled. */
  dropped() {
    const drag = this.#own?.drop();
    this.#own = null;
    return drag;
  }

  // MARK: Others'

  /** Whether another client drags this task. */
  has(task) {
    for (const { tasks } of this.#others.values()) if (tasks.includes(task)) return true;
    return false;
  }

  #receive({ drag, client, task, tasks = [task], over, state, expires }) {
    if (client === clientID) return;
    clearTimeout(this.#others.get(drag)?.timer);
    if (state === "lifted" || state === "over") {
      const timer = setTimeout(() => this.#forget(drag), lifeLeft(expires));
      this.#others.set(drag, { tasks, over, timer });
    } else {
      this.#others.delete(drag); // for any kind of end
    }
    this.#changed();
  }

  #forget(drag) {
    this.#others.delete(drag);
    this.#changed();
  }

  #forgetAll() {
    if (this.#others.size === 0) return;
    this.#clear();
    this.#changed();
  }

  #clear() {
    for (const { timer } of this.#others.values()) clearTimeout(timer);
    this.#others.clear();
  }

  #changed() {
    this.dispatchEvent(new CustomEvent("change"));
  }

  /** The rows, with ghosts at the places where others would drop their tasks. */
  withGhosts(rows, list) {
    const ghosts = [];
    for (const [id, { tasks, over }] of this.#others) {
      const nodes = tasks.map((task) => list.tasks.get(task)).filter(Boolean);
      const place = over && !over.list && nodes.length > 0 && placeOf(rows, list, nodes, over);
      if (!place) continue;
      const { index, depth } = place;
      const [{ title }] = nodes;
      ghosts.push({
        index,
        row: { key: `ghost ${id}`, kind: "ghost", height: ghostHeight, depth, title },
      });
    }
    if (ghosts.length === 0) return rows;
    ghosts.sort((one, other) => other.index - one.index);
    const shown = [...rows];
    for (const { index, row } of ghosts) shown.splice(index, 0, row);
    return shown;
  }
}

/** The time until a drag expires: 30 to 60 seconds, because this computer's clock may be wrong. */
function lifeLeft(expires) {
  return Math.max(30_000, Math.min(60_000, Date.parse(expires) - Date.now() || 0));
}

/** The place of a ghost for a drop of these tasks; null if it is their current place, or hidden. */
function placeOf(rows, list, nodes, { section, parent: above, position }) {
  const parent = above === null ? list.section(section) : list.tasks.get(above);
  if (!parent || nodes.some((node) => isInside(parent, node))) return null;
  if (nodes.every((node, index) => parent.children[position + index] === node)) return null;
  const depth = parent.isSection ? 0 : depthOf(parent) + 1;
  const staying = parent.children.filter((child) => !nodes.includes(child));
  const rowOf = (key) => rows.findIndex((row) => row.key === key);
  if (staying[position]) {
    const index = rowOf(staying[position].id);
    return index < 0 ? null : { index, depth };
  }
  const before = staying.at(-1) ?? parent;
  if (before.isSection && before.id === null) return { index: 0, depth };
  let index = rowOf(before.isSection ? sectionKey(before.id) : before.id);
  if (index < 0 || (before === parent && before.collapsed)) return null;
  index += 1;
  while (before !== parent && rows[index]?.task && rows[index].depth > depth) index += 1;
  return { index, depth };
}

/** One of our drags on the server. Sends one request at a time, with the latest place. */
class Announcement {
  #drag = null;
  #isWhole;
  #wanted = null;
  /** At a drop, aborts a pending request with a place, because the server would refuse it after the drop. */
  #over = new AbortController();
  #isFlushing = false;
  #timer;
  #work;

  constructor(list, tasks) {
    this.#isWhole = tasks.length <= mostTasks;
    const body = tasks.length === 1 ? { task: tasks[0] } : { tasks: tasks.slice(0, mostTasks) };
    this.#work = this.#attempt(async () => {
      const path = `/lists/${encodeURIComponent(list)}/drags`;
      const { drag, ttlSeconds } = await send("POST", path, { body });
      this.#drag = drag;
      // Keeps the drag alive while it does not move.
      this.#timer = setInterval(() => this.#flush(), (ttlSeconds * 1000) / 3);
    });
  }

  hover(to) {
    this.#wanted = to;
    this.#flush();
  }

  end() {
    this.#over.abort();
    clearInterval(this.#timer);
    this.#work = this.#work.then(() => {
      clearInterval(this.#timer);
      return this.#drag && cancel(this.#drag);
    });
  }

  /**
   * Returns the drag, which the step of the drop ends. If the server has not responded to its start, or it does not have all
   * tasks, cancels it and returns undefined.
   */
  drop() {
    if (!this.#drag || !this.#isWhole) {
      this.end();
      return undefined;
    }
    this.#over.abort();
    clearInterval(this.#timer);
    return this.#drag;
  }

  #flush() {
    if (this.#isFlushing) return;
    this.#isFlushing = true;
    this.#work = this.#work.then(async () => {
      this.#isFlushing = false;
      const to = this.#wanted;
      const { signal } = this.#over;
      if (signal.aborted || !this.#drag || !to) return;
      await this.#attempt(() => send("PATCH", dragPath(this.#drag), { body: to, signal }));
      await new Promise((resolve) => setTimeout(resolve, hoverMilliseconds));
    });
  }

  async #attempt(work) {
    try {
      await work();
    } catch (error) {
      if (!(error instanceof Problem)) return; // the server is unreachable, and the drag ends by itself
      if (error.code === "drag_not_found") this.#drag = null;
    }
  }
}

/** Ignores errors. If the server is unreachable, the drag expires. If the drag has ended, there is nothing to cancel. */
function cancel(drag) {
  return send("DELETE", dragPath(drag)).catch(() => {});
}
