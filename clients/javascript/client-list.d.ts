// The types of an open list: its rows, and the steps that change it.

/**
 * - `loading`: not connected yet
 * - `live`: changes of others arrive at once
 * - `offline`: the server is unreachable
 * - `locked`: the server requires another token. What waits is kept
 * - `gone`: the list does not exist. If it is created or restored, it loads by itself, and what waits is sent
 * - `closed`: `close` was called
 */
export type State = "loading" | "live" | "offline" | "locked" | "gone" | "closed";

export interface List<TaskData = unknown, SectionData = unknown> {
  readonly id: string;
  readonly state: State;
  /** The version of the server's list that this list is based on. */
  readonly version: number;
  /** The number of steps without a response, of all windows of the browser that show the list. */
  readonly waiting: number;
  /** These steps, in the order in which they were made. */
  readonly waitingSteps: readonly { id: string; kind: string }[];
  /**
   * The steps that the server refused, the oldest first, until `acknowledge`: also those of other windows, and from before a reload. The newest
   * 100 are stored. The event `state` says that they have changed.
   */
  readonly refusals: readonly RefusedEvent[];
  /** Whether the last attempt of this window to send steps got no response. */
  readonly isFailing: boolean;
  readonly canUndo: boolean;
  readonly canRedo: boolean;
  /** The number of what `undo` takes back next, as `Connection.undoNumber`. */
  readonly undoNumber: number;
  /** The visible tasks. The array and its rows never change; a row that did not change is the same object in the next array. */
  readonly rows: readonly Row<TaskData>[];
  readonly sections: Section<SectionData>[];
  /** Empty until the list is loaded. */
  readonly title: string;
  /** `null` until the list is loaded. `set` changes them. */
  readonly settings: Settings | null;
  /**
   * Where these tasks can be dropped, for a line that shows it. `shown` as in a drop. Throws a `Refusal` if a task does not exist, or if these
   * are not rows of the list in their order.
   */
  layout(tasks: string | readonly string[], shown?: readonly Row[]): RowLayout<TaskData>;
  /** The drags of other people. */
  readonly drags: { readonly others: OtherDrag[] };

  /** Calls the listener now (if the list is loaded) and after each change. Returns a function that ends this. */
  subscribe(listener: (change: Change<TaskData, SectionData>) => void): () => void;
  on(event: "change" | "state" | "drags", listener: () => void): () => void;
  /** A step broke a rule, or the server refused it: it was taken back. A step on a list that does not exist has the code `list_not_found`. */
  on(event: "refused", listener: (event: RefusedEvent) => void): () => void;

  // Each of these methods shows its result at once, and sends it later. It returns whether the rules allow it (`create` and
  // `createSection`: the new id, or null). If not, nothing changes, and `refused` has the reason.

  /** The end of a drag: tasks were dropped between rows. */
  drop(drop: Drop): boolean;
  move(tasks: string | readonly string[], to: Destination): boolean;
  /**
   * Moves tasks to another list: to a place in it, or after its tasks without a section. Pass the list itself to name a place between its
   * rows. The server does it, so this is not possible without a network. Returns whether the tasks were moved; if not, `refused` has the
   * reason.
   */
  moveToList(tasks: string | readonly string[], list: string, to?: Destination): Promise<boolean>;
  moveToList(tasks: string | readonly string[], list: List, to?: Destination | ShownPlace): Promise<boolean>;

  // A drag that others see, while it lasts. It changes nothing. It ends with a `drop`, with a `move` or `moveToList` of the same tasks,
  // and when the list is not `live` any more.

  /** A drag begins. Without a connection, and if a task does not exist, others do not see it. */
  lift(tasks: string | readonly string[]): void;
  /**
   * The dragged tasks would be dropped here. Call it as often as you like: the last place is sent, at most 20 times in a second. A
   * place that is not possible changes nothing.
   */
  hover(place: Destination | ShownPlace): void;
  /** The same with a place in another list. Pass the list itself to name a place between its rows. */
  hover(place: Destination, list: string): void;
  hover(place: Destination | ShownPlace, list: List): void;
  /** The drag has ended without a drop. After a drop, this does nothing. */
  cancelDrag(): void;

  create(task: NewTask<TaskData>, to?: Destination): string | null;
  update(task: string, set: TaskUpdate<TaskData>): boolean;
  /** Hides or shows the subtasks of a task. */
  collapse(task: string, collapsed?: boolean): boolean;
  delete(tasks: string | readonly string[]): boolean;
  createSection(title: string, position?: number, data?: SectionData): string | null;
  renameSection(section: string, title: string): boolean;
  /** `maxTasks`: null removes the section's own limit. */
  updateSection(
    section: string,
    set: { title?: string; data?: DataPatch<SectionData>; maxTasks?: number | null },
  ): boolean;
  moveSection(section: string, position: number): boolean;
  /** Deletes a section. Its tasks stay, without a section. */
  deleteSection(section: string): boolean;
  /** `data` is a patch, see `DataPatch`. */
  set(settings: Partial<Settings>): boolean;

  /**
   * Undoes what was done last in this window, also after a reload. Returns whether there is something. A move to another list, `sort`, `reverse`,
   * `removeDone`, `moveSectionToList` and `undoChange` are undone by the server. If it refuses, `refused` has the reason; if it can't be
   * reached, they can be undone later.
   */
  undo(): boolean;
  redo(): boolean;

  /** Sends the waiting steps now, and waits until they have their responses or the attempt has failed. */
  flush(): Promise<void>;
  /** Discards steps that wait, for example on a list that is `gone`. Nothing else discards them. Default: all of `waitingSteps`. */
  discardWaiting(steps?: readonly { id: string }[]): Promise<void>;
  /** Forgets refusals that the person has seen, in all windows. Default: all. */
  acknowledge(refusals?: readonly RefusedEvent[]): void;
  /** Stops listening. Waiting steps are still sent. `Connection.open` opens the list again. */
  close(): void;
}

export interface Change<TaskData = unknown, SectionData = unknown> {
  rows: readonly Row<TaskData>[];
  /** What leads from the previous rows to these; null at the first call. */
  delta: Delta | null;
  sections: Section<SectionData>[];
  settings: Settings;
  /** When the list was created and last changed, in RFC 3339 format. Absent if unknown. */
  times: { createdAt?: string; updatedAt?: string };
}

export interface Row<TaskData = unknown> {
  readonly id: string;
  readonly title: string;
  readonly done: boolean;
  readonly locked: boolean;
  /** Whether the setting `elementsOffset` locks the row. */
  readonly lockedByOffset: boolean;
  readonly collapsed: boolean;
  readonly data?: TaskData;
  /** When the server created the task and last changed it, in RFC 3339 format. Absent if unknown. */
  readonly createdAt?: string;
  readonly updatedAt?: string;
  /** When the task was done. Absent if it is not done, or if the server has not confirmed it yet. */
  readonly completedAt?: string;
  /** Who created the task, last changed it and completed it (`author` of `me`). Absent if unknown or not confirmed yet. */
  readonly createdBy?: string;
  readonly updatedBy?: string;
  readonly completedBy?: string;
  readonly section: string | null;
  readonly parent: string | null;
  /** The index among the siblings. */
  readonly position: number;
  readonly depth: number;
  /** The number of subtasks, without their subtasks. */
  readonly subtasks: number;
}

export interface Delta {
  /** Indices in the previous rows, in descending order. */
  removed: number[];
  /** Indices in the new rows, in ascending order. */
  inserted: number[];
  /** `from` is an index in the previous rows, `to` one in the new rows. */
  moved: { from: number; to: number }[];
  /** Indices in the new rows of rows whose values changed. */
  changed: number[];
}

export interface Section<SectionData = unknown> {
  id: string;
  title: string;
  data?: SectionData;
  /** The most top-level tasks; undefined: `maxTasksPerSection` of the list counts. */
  maxTasks?: number;
}

export interface Settings {
  title: string;
  /** The number of top-level tasks at the start that are locked. */
  elementsOffset: number;
  collapseSubElements: boolean;
  moves: "anywhere" | "siblings";
  /** The most levels of tasks, from 1 to 16; null: 16. */
  maxDepth: number | null;
  /** The most top-level tasks of a section; null: no limit. Tasks without a section are not limited. */
  maxTasksPerSection: number | null;
  /** The most direct subtasks of a task; null: no limit. */
  tasksPerParent: number | null;
  /** Any JSON of the app; null if there is none. A change is merged with it (RFC 7396). */
  data: unknown;
}

/** The tasks that are dropped: by their ids, or by their rows. Named by rows, they have the order of the rows. */
export type DropSubject =
  | { task: string }
  | { tasks: readonly string[] }
  | { row: number }
  | { rows: readonly number[] };

/**
 * A place between the rows. The moved rows and their visible subtasks are taken out; the rest has gaps. Numbers that are too large mean
 * the end.
 *
 * - `toRow`: the row that the first task has afterwards. At the border of two sections it stays with the row that it passes: the one
 *   above if it moves down, the one below if it moves up. `section` chooses another one.
 * - `to`: the same as an index path: the section, and the row in it.
 * - `toOffset`: the number of rows above the gap, counted with the moved rows. With `section`, only the rows of the section count.
 *
 * `level` is the depth of the tasks afterwards. Default: the lowest of their depths, or the nearest that is possible there.
 */
export type RowPlace = (
  | { toRow: number; section?: string | null }
  | { to: { section: string | null; row: number } }
  | { toOffset: number; section?: string | null }
) & { level?: number };

export type ShownPlace = RowPlace & {
  /** The rows that the person saw: the value of `rows` at that time, or some of these rows. Rows are counted in them. Default: the present rows. */
  shown?: readonly Row[];
};

export type Drop = DropSubject & ShownPlace;

/** A place between two rows of a section, or at one of its ends. */
export interface Gap {
  /** `null`: the tasks without a section. */
  section: string | null;
  /** The row that the first moved task has there, in the whole list. */
  row: number;
}

/** The visible rows without the moved ones, and the gaps between them. A `Gap` is a place for `drop`: `{ toRow: row, section }`. */
export class RowLayout<TaskData = unknown> {
  private constructor();
  /** The rows that stay, from top to bottom. */
  readonly rest: readonly Row<TaskData>[];
  /** All gaps, from top to bottom. */
  readonly gaps: Gap[];
  /** The gap of a place. Throws a `Refusal` if there is none. */
  gap(place: RowPlace): Gap;
  /** The levels at which the tasks can be dropped in a gap; null if there are none. Locked rows do not count. */
  levels(gap: Gap): { lowest: number; highest: number } | null;
  /** The place for `move`. Throws a `Refusal` if the rows beside the gap do not allow the level. */
  destination(gap: Gap, level?: number): Destination;
}

/** The first member that names something that exists decides, in this order. */
export interface Destination {
  /** `null`: there is no neighbor on this side. */
  after?: string | null;
  before?: string | null;
  parent?: string | null;
  section?: string | null;
  /** The index among the siblings, not counting the moved tasks. Default: the end. */
  position?: number;
}

export interface NewTask<TaskData = unknown> {
  id?: string;
  title: string;
  done?: boolean;
  locked?: boolean;
  collapsed?: boolean;
  data?: TaskData;
}

export interface TaskUpdate<TaskData = unknown> {
  title?: string;
  done?: boolean;
  locked?: boolean;
  data?: DataPatch<TaskData>;
}

/**
 * A change of data: members are added, changed and, if they are null, removed. `null` removes all data. Anything that is not an
 * object, such as an array, replaces the former value.
 */
export type DataPatch<Data> =
  | null
  | (Data extends readonly unknown[]
      ? Data
      : Data extends object
        ? { [Name in keyof Data]?: DataPatch<Data[Name]> }
        : Data);

export interface RefusedEvent {
  /**
   * The reason: a `code` of openapi.yaml, such as `invalid_body` for a value of a wrong type or size, `undo_conflict` if others have changed what
   * `undo` would restore, or `unreachable` if the step needs the server.
   */
  code: string;
  /** The reason as a sentence. */
  detail: string;
  /** The tasks that the step named. */
  tasks: string[];
  step: { id: string; kind: string };
}

export interface OtherDrag {
  drag: string;
  tasks: string[];
  /** The author, as in changes: the name of the token, or the subject of a signed token. Null if the server does not know it. */
  by: string | null;
  /** The `Client-Id` of the other client, which it chooses. */
  client: string | null;
  /** The name in the `Client-Id`: of a client with the option `name`. It proves nothing: prefer `by`. */
  name: string | null;
  /** Where the first task would be after a drop; null if it cannot be dropped there. */
  over: { list?: string; section: string | null; parent: string | null; position: number; row: number | null } | null;
}
