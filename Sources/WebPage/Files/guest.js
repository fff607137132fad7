// A guest: somebody who opened a link. The page shows this list only, and asks once for a name, which the history shows.
import { access, currentLink, setToken } from "./access.js";
import { textsOf, typedIn } from "./drafts.js";
import { words } from "./language.js";
import { storeName, storedName } from "./name.js";
import { rights } from "./rights.js";
import { sharedTexts } from "./storage.js";

const askedKey = "reorderd name asked";

export const isGuest = currentLink() !== null;

/** Whether there is another place for the tasks, or for the section, of a list. */
export function hasOtherPlaces(list, isSection = false) {
  return !isGuest || (!isSection && list.sections.length > 0);
}

export class Guest {
  #page;
  #asking;

  /**
   * @param page the list's page
   * @param asking the form that asks for a name
   * @param ended what is shown instead of the page after the link has ended
   */
  constructor(page, asking, ended) {
    this.#page = page;
    this.#asking = asking;
    document.body.dataset.guest = isGuest;
    if (!isGuest) return;
    access.addEventListener("ended", () => this.#end(ended), { once: true });
    rights.addEventListener("changed", () => this.#ask());
    this.#ask();
    asking.addEventListener("submit", (event) => {
      event.preventDefault();
      const { value } = asking.elements.name;
      if (value.trim() !== "") this.#asked();
      storeName(value);
    });
    asking.addEventListener("click", ({ target }) => {
      if (target.closest("[data-part=noName]")) this.#asked();
    });
  }

  #ask() {
    const wasAsked = storedName() !== "" || sharedTexts.get(askedKey) !== null;
    this.#asking.hidden = wasAsked || !rights.mayWriteAny;
  }

  #asked() {
    sharedTexts.set(askedKey, "yes");
    this.#asking.hidden = true;
  }

  #end(ended) {
    const { session } = this.#page;
    const part = (name) => ended.querySelector(`[data-part=${name}]`);
    document.body.dataset.view = "ended"; // what is being typed is no change any more: it is kept as text
    this.#page.hide();
    for (const dialog of document.querySelectorAll("dialog[open]")) dialog.close();
    const waiting = session?.waiting ?? 0;
    const texts = session
      ? [...session.waitingSteps.map(typedIn).filter(Boolean), ...textsOf(session.id)]
      : [];
    document.title = words.guest.ended;
    part("ask").textContent = words.guest.ask(rights.linkMaker);
    part("unsent").textContent = words.guest.unsent(waiting);
    part("unsent").hidden = waiting === 0;
    part("typed").hidden = texts.length === 0;
    part("typed").lastElementChild.value = texts.join("\n");
    part("leave").addEventListener("click", () => setToken(null), { once: true });
    ended.hidden = false;
    this.#page.notify(words.guest.ended, { isQuiet: true });
    ended.focus();
  }
}
