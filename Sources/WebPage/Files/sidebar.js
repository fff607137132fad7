// The parts of the sidebar that are of use: for the lists that exist, and for what the token allows.
import { words } from "./language.js";
import { indexID } from "./list-order.js";
import { rights } from "./rights.js";

const { lists } = words;

export class Sidebar {
  #nav;

  constructor(nav) {
    this.#nav = nav;
  }

  /** @param hasLists whether there are lists, as far as the page knows */
  show(hasLists) {
    const mayCreate = rights.newListID() !== null;
    const mayOrder = rights.mayWrite(indexID);
    const form = this.#nav.querySelector("form");
    form.hidden = !mayCreate;
    const { title } = form.elements;
    title.placeholder = hasLists ? lists.new : lists.first;
    title.ariaLabel = hasLists ? lists.newTitle : lists.firstTitle;
    this.#nav.dataset.order = mayOrder;
    if (!hasLists && mayCreate && document.activeElement === document.body) title.focus();
    const parts = {
      welcome: !hasLists && mayCreate,
      sample: !hasLists && mayCreate,
      noLists: !hasLists && !mayCreate,
      import: mayCreate,
      search: hasLists,
      due: hasLists,
      newFolder: hasLists && mayOrder,
      name: hasLists && rights.mayWriteAny,
      bin: rights.mayOwnAny,
    };
    for (const [name, isShown] of Object.entries(parts))
      this.#nav.querySelector(`[data-part=${name}]`).hidden = !isShown;
  }
}
