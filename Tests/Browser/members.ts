// Compiled by the test, so it checks client.d.ts; run by the test, so it checks that the client has what client.d.ts says.
import {
  type Connection,
  type List,
  type Row,
  Problem,
  Unauthorized,
  Unreachable,
  connect,
  makeID,
} from "../../clients/javascript/client.js";

/** The compiler requires every member of the type here, and no other; the value is the member's type when the program runs. */
type Members<Type> = { [Name in keyof Required<Type>]: string };

const connectionMembers: Members<Connection> = {
  clientID: "string",
  open: "function",
  list: "function",
  sendPending: "function",
  search: "function",
  watchLists: "function",
  lists: "function",
  forget: "function",
  reconnect: "function",
  send: "function",
  on: "function",
};

const listMembers: Members<List> = {
  id: "string",
  state: "string",
  version: "number",
  waiting: "number",
  isFailing: "boolean",
  canUndo: "boolean",
  canRedo: "boolean",
  rows: "object",
  sections: "object",
  layout: "function",
  drags: "object",
  subscribe: "function",
  on: "function",
  drop: "function",
  move: "function",
  moveToList: "function",
  create: "function",
  update: "function",
  collapse: "function",
  delete: "function",
  createSection: "function",
  renameSection: "function",
  updateSection: "function",
  moveSection: "function",
  deleteSection: "function",
  set: "function",
  undo: "function",
  redo: "function",
  flush: "function",
  close: "function",
};

const rowMembers: Members<Row> = {
  id: "string",
  title: "string",
  done: "boolean",
  locked: "boolean",
  lockedByOffset: "boolean",
  collapsed: "boolean",
  data: "undefined",
  createdAt: "string",
  updatedAt: "string",
  completedAt: "undefined",
  section: "object",
  parent: "object",
  position: "number",
  depth: "number",
  subtasks: "number",
};

function check(value: object, members: Record<string, string>): string[] {
  return Object.entries(members)
    .filter(([name, type]) => typeof value[name as keyof typeof value] !== type)
    .map(([name]) => name);
}

async function run(): Promise<string[]> {
  const lists = connect({ storage: "memory", name: "Types" });
  const list = await lists.open("typed");
  const faults = [...check(lists, connectionMembers), ...check(list, listMembers), ...check(list.rows[0], rowMembers)];

  // The results have the types that client.d.ts states.
  const id: string | null = list.create({ title: "made", done: true }, { after: list.rows[0].id });
  const isUpdated: boolean = list.update(id ?? "", { title: "renamed" });
  const section: string | null = list.createSection("Section", 0);
  const isMoved: boolean = list.move([id ?? ""], { section, position: 0 }) && list.collapse(list.rows[0].id);
  const { gaps, rest } = list.layout(id ?? "");
  if (gaps.length !== rest.length + 2) faults.push("layout");
  const isDropped: boolean = list.drop({ task: id ?? "", toRow: gaps[0].row, section: null }) && list.drop({ rows: [0], to: { section: null, row: 0 }, level: 0 });
  const isDone: boolean = list.undo() && list.redo();
  const isElsewhere: Promise<boolean> = list.moveToList("no such task", "no such list");
  if (![isUpdated, isMoved, isDropped, isDone].every((one) => one === true)) faults.push("a step");
  if ((await isElsewhere) !== false) faults.push("moveToList");
  const stop: () => void = list.subscribe(({ rows, delta, sections, settings }) => {
    if (delta !== null || rows.length !== 3 || sections[0]?.title !== "Section") faults.push("subscribe");
    if (settings.moves !== "anywhere" || settings.elementsOffset !== 0) faults.push("settings");
  });
  stop();
  const [other] = list.drags.others;
  const whose: string | null | undefined = other?.name;
  if (whose !== undefined) faults.push("drags");
  try {
    await lists.send("GET", "/lists/no%20such%20list");
    faults.push("no problem");
  } catch (error) {
    if (!(error instanceof Problem) || error.status !== 404 || error.code === undefined) faults.push("Problem");
  }
  if (!(Unauthorized.prototype instanceof Unreachable) || makeID().length !== 36) faults.push("classes");

  // Each of these lines must be an error.
  // @ts-expect-error: no place
  const nowhere = () => list.drop({ task: "a" });
  // @ts-expect-error: no task
  const nothing = () => list.drop({ toRow: 0 });
  // @ts-expect-error: rows never change
  const forbidden = () => list.rows.push(list.rows[0]);
  // @ts-expect-error: an unknown member
  const unknown = () => list.update("a", { name: "b" });
  // @ts-expect-error: a state that does not exist
  const wrong = () => list.state === "online";
  // @ts-expect-error: an event that does not exist
  const event = () => list.on("moved", () => {});
  void [nowhere, nothing, forbidden, unknown, wrong, event];
  return faults;
}

run().then(
  (faults) => {
    document.title = `faults: ${faults.join(", ") || "none"}`;
  },
  (error) => {
    document.title = `error: ${error.stack}`;
  },
);
