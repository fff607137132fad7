// JSON merge patches (RFC 7396): requests change `data` with them. Null means no value.

/** The data after a patch. */
export function merged(data, patch) {
  if (!isObject(patch)) return patch;
  const members = new Map(isObject(data) ? Object.entries(data) : []);
  for (const [name, value] of Object.entries(patch)) {
    if (value === undefined) continue; // it is not sent
    if (value === null) members.delete(name);
    else members.set(name, merged(members.get(name), value));
  }
  return Object.fromEntries(members);
}

/** A patch that makes `after` of `before`. No patch can set a member to null: this one removes it. */
export function patchBetween(before, after) {
  if (!isObject(before) || !isObject(after)) return after;
  const former = new Map(Object.entries(before));
  const patch = [];
  for (const [name, value] of Object.entries(after)) {
    if (JSON.stringify(former.get(name)) !== JSON.stringify(value))
      patch.push([name, patchBetween(former.get(name), value)]);
    former.delete(name);
  }
  for (const name of former.keys()) patch.push([name, null]);
  return Object.fromEntries(patch);
}

const isObject = (value) => value !== null && typeof value === "object" && !Array.isArray(value);
