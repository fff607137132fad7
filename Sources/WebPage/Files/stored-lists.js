// The lists that the browser stores, so that the sidebar shows them without a network.

const key = "reorderd lists";
const mostStored = 1000;

export function storedLists() {
  try {
    return JSON.parse(localStorage.getItem(key)) ?? [];
  } catch {
    return [];
  }
}

export function storeLists(lists) {
  const wanted = lists.slice(0, mostStored).map(({ id, title, open }) => ({ id, title, open }));
  try {
    if (wanted.length === 0) localStorage.removeItem(key);
    else localStorage.setItem(key, JSON.stringify(wanted));
  } catch {
    // Without storage, the lists are shown when the server responds.
  }
}
