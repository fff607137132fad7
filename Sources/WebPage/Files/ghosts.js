// Ghosts: the places where other people would drop the tasks that they drag.
//
// A ghost is a mark on the edge between two rows. It lies above the rows, so it never moves them.
import { depthOf, isInside, sectionKey } from "./client.js";
import { element } from "./icons.js";
import { rights } from "./rights.js";

export class Ghosts {
  #rows;
  #layer;
  #shown = new Map();

  /** @param layer the element above the rows */
  constructor(rows, layer) {
    this.#rows = rows;
    this.#layer = layer;
  }

  /** @param drags from `visibleDrags` */
  show(drags) {
    const gone = new Set(this.#shown.keys());
    for (const { drag, task, index, depth, person, name } of drags) {
      gone.delete(drag);
      const shown = this.#shown.get(drag) ?? this.#make(drag);
      shown.index = index;
      shown.mark.dataset.depth = depth;
      shown.mark.style.setProperty("--depth", depth);
      shown.mark.style.setProperty("--hue", hueOf(person));
      shown.mark.firstChild.textContent = name === null ? task.title : `${name}: ${task.title}`;
    }
    for (const drag of gone) {
      this.#shown.get(drag).mark.remove();
      this.#shown.delete(drag);
    }
    this.place();
  }

  /** Called when the rows have other positions. */
  place() {
    for (const { mark, index } of this.#shown.values()) {
      mark.style.transform = this.#rows.edge(index);
    }
  }

  #make(drag) {
    const title = element("span", { className: "title", dir: "auto" });
    const shown = { mark: element("div", { className: "ghost" }, title), index: 0 };
    this.#layer.append(shown.mark);
    this.#shown.set(drag, shown);
    return shown;
  }
}

/** The drags of others over a visible place of the list of a page: the place, and the first dragged task. */
export function visibleDrags(others, page) {
  const { list } = page;
  const found = [];
  for (const { drag, tasks, over, by, client, name } of others) {
    const nodes = tasks.map((task) => list.tasks.get(task)).filter(Boolean);
    const place = over && !over.list && nodes.length > 0 && placeOf(page, nodes, over);
    if (!place) continue;
    const whose = { person: by ?? client, name: rights.nameOf({ by, name }) };
    found.push({ drag, ...whose, task: nodes[0], ...place });
  }
  return found;
}

/** The place between the rows for a drop of these tasks; null if it is their current place, or hidden. */
function placeOf(page, nodes, { section, parent: above, position }) {
  const { list, plain: rows } = page;
  const parent = above === null ? list.section(section) : list.tasks.get(above);
  if (!parent || nodes.some((node) => isInside(parent, node))) return null;
  if (nodes.every((node, index) => parent.children[position + index] === node)) return null;
  const depth = parent.isSection ? 0 : depthOf(parent) + 1;
  const staying = parent.children.filter((child) => !nodes.includes(child));
  const rowOf = (key) => page.indexOf(key);
  const next = staying.slice(position).find(({ id }) => rowOf(id) >= 0);
  if (next) return { index: rowOf(next.id), depth };
  const before = staying.at(-1) ?? parent;
  if (before.isSection && before.id === null) return { index: 0, depth };
  let index = rowOf(before.isSection ? sectionKey(before.id) : before.id);
  if (index < 0 || (before === parent && before.collapsed)) return null;
  index += 1;
  while (before !== parent && rows[index]?.task && rows[index].depth > depth) index += 1;
  return { index, depth };
}

/** A color for each person, as an angle. */
function hueOf(text) {
  let hash = 0;
  for (const character of text ?? "") hash = (hash * 31 + character.codePointAt(0)) % 360;
  return hash;
}
