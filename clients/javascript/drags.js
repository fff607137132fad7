// Live drags: announces this window's drags to other clients, and knows the drags of others.
// A drag locks nothing. The move at its end is an ordinary step, which also ends the server's drag if that still exists. So the
// move works even if no other client sees the drag.
import { nameIn } from "./ids.js";
import { Problem } from "./server.js";

const mostTasks = 100;
const hoverMilliseconds = 50;

export class Drags {
  #list;
  #server;
  #others = new Map();
  /** The tasks of our drag. */
  #tasks = [];
  /** Our drag on the server; null if it is not announced. */
  #own = null;

  /** @param list emits `drags` when the drags of others change */
  constructor(list, server) {
    this.#list = list;
    this.#server = server;
    list.on("drag", (event) => this.#receive(event));
    // After each `hello`, the server sends the current drags. So a drag disappears even if this window missed its end.
    list.on("hello", () => this.#forgetAll());
    list.on("state", () => {
      if (list.state === "live") return;
      this.#forgetAll();
      this.#silence();
    });
    list.on("refused", ({ step }) => step.drag && cancel(server, step.drag));
  }

  stop() {
    this.ended();
    this.#clear();
  }

  // MARK: Ours

  /** The ids of the tasks that are dragged in this window. */
  get tasks() {
    return this.#tasks;
  }

  /** Announces a drag of tasks. Drags of sections (without tasks) are not announced. */
  started(tasks) {
    this.ended();
    this.#tasks = tasks;
    if (tasks.length > 0 && this.#list.state === "live")
      this.#own = new Announcement(this.#server, this.#list.id, tasks);
  }

  hovered({ to, code }) {
    if (!code) this.#own?.hover(to);
  }

  ended() {
    this.#silence();
    this.#tasks = [];
  }

  /** Others do not see our drag any more. */
  #silence() {
    this.#own?.end();
    this.#own = null;
  }

  /** Returns the server's drag that the step of a drop must end, if any. If the step is refused, the drag is cancelled. */
  dropped() {
    const drag = this.#own?.drop();
    this.#own = null;
    this.#tasks = [];
    return drag;
  }

  // MARK: Others'

  /** Another client's drag of this task, as in `others`; undefined if there is none. */
  of(task) {
    return this.others.find(({ tasks }) => tasks.includes(task));
  }

  #receive({ drag, client, by, task, tasks = [task], over, state, expiresAt }) {
    if (this.#server.isOwn({ client, by })) return;
    clearTimeout(this.#others.get(drag)?.timer);
    if (state === "lifted" || state === "over") {
      const timer = setTimeout(() => this.#forget(drag), lifeLeft(expiresAt));
      this.#others.set(drag, { tasks, over, client, by, timer });
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
    this.#list.emit("drags");
  }

  /**
   * The drags of others: `drag`, `tasks`, `over` (the place where the tasks would be dropped, or null), the author (`by`, or null),
   * the `client`, and the `name` that it gives its person, or null.
   */
  get others() {
    return [...this.#others].map(([drag, { tasks, over, client, by }]) => ({
      drag,
      tasks,
      over,
      by: by ?? null,
      client: client ?? null,
      name: nameIn(client),
    }));
  }
}

/** The time until a drag expires: 30 to 60 seconds, because this computer's clock may be wrong. */
function lifeLeft(expiresAt) {
  return Math.max(30_000, Math.min(60_000, Date.parse(expiresAt) - Date.now() || 0));
}

/** One of our drags on the server. Sends one request at a time, with the latest place. */
class Announcement {
  #server;
  #drag = null;
  #isWhole;
  #wanted = null;
  /** At a drop, aborts a pending request with a place, because the server would refuse it after the drop. */
  #over = new AbortController();
  #isFlushing = false;
  #timer;
  #work;

  constructor(server, list, tasks) {
    this.#server = server;
    this.#isWhole = tasks.length <= mostTasks;
    const body = tasks.length === 1 ? { task: tasks[0] } : { tasks: tasks.slice(0, mostTasks) };
    this.#work = this.#attempt(async () => {
      const path = `/lists/${encodeURIComponent(list)}/drags`;
      const { drag, expiresInSeconds } = await server.send("POST", path, { body, isMinimal: true });
      this.#drag = drag;
      // Keeps the drag alive while it does not move.
      this.#timer = setInterval(() => this.#flush(), (expiresInSeconds * 1000) / 3);
    });
  }

  hover(to) {
    if (JSON.stringify(to) === JSON.stringify(this.#wanted)) return;
    this.#wanted = to;
    this.#flush();
  }

  end() {
    this.#over.abort();
    clearInterval(this.#timer);
    // At once, because the page may be closing.
    if (this.#drag) cancel(this.#server, this.#drag);
    else
      this.#work = this.#work.then(() => {
        clearInterval(this.#timer);
        return this.#drag && cancel(this.#server, this.#drag);
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
      await this.#attempt(() =>
        this.#server.send("PATCH", dragPath(this.#drag), { body: to, signal, isMinimal: true }),
      );
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
function cancel(server, drag) {
  return server.send("DELETE", dragPath(drag), { outlivesPage: true }).catch(() => {});
}

function dragPath(drag) {
  return `/drags/${encodeURIComponent(drag)}`;
}
