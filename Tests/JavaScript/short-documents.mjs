// The short documents and outlines of Tests/Fixtures/README.md, and the client's steps for the operations of a batch.

/** The document of `GET /lists/l`. */
export function documentOf({ sections = [], tasks = [], ...list }) {
  return {
    id: "l",
    title: "List",
    elementsOffset: 0,
    collapseSubElements: false,
    moves: "anywhere",
    ...list,
    sections: sections.map((section) => ({ title: section.id, ...section })),
    tasks: tasks.map((task) => ({ title: task.id, section: null, parent: null, ...task })),
  };
}

/** Such as `a! b+(b1 b2*) #s c=Tea`. */
export function outlineOf(tree) {
  const titled = ({ id, title }) => (title === id ? "" : `=${title}`);
  const texts = (tasks) =>
    tasks.map((task) => {
      const { id, collapsed, locked, done, children } = task;
      const flags = `${collapsed ? "+" : ""}${locked ? "!" : ""}${done ? "*" : ""}`;
      const inside = children.length > 0 ? `(${texts(children).join(" ")})` : "";
      return `${id}${flags}${titled(task)}${inside}`;
    });
  return tree.containers
    .flatMap((section) => [
      ...(section.id === null ? [] : [`#${section.id}`]),
      ...texts(section.children),
    ])
    .join(" ");
}

const placeNames = ["after", "before", "parent", "section", "position"];

/** The step of the client that sends an operation. */
export function stepOf({ op, opId, ...operation }) {
  const { task, tasks = [task], section, title, data } = operation;
  const to = Object.fromEntries(
    placeNames.flatMap((name) => (name in operation ? [[name, operation[name]]] : [])),
  );
  switch (op) {
    case "move":
      return { kind: "move", tasks, to };
    case "create": {
      const content = Object.entries(operation).filter(([name]) => !placeNames.includes(name));
      return { kind: "create", task: Object.fromEntries(content), to };
    }
    case "collapse":
      return { kind: "collapse", task, collapsed: operation.collapsed ?? true };
    case "delete":
      return { kind: "delete", tasks };
    case "section-update":
      return { kind: "section-rename", section, title, data };
    case "section-delete":
      return { kind: "section-delete", section };
    default:
      return { kind: op, ...operation };
  }
}
