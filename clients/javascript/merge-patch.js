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
    if (!isEqual(former.get(name), value))
      patch.push([name, patchBetween(former.get(name), value)]);
    former.delete(name);
  }
  for (const name of former.keys()) patch.push([name, null]);
  return Object.fromEntries(patch);
}

/** Whether two JSON values are equal. The order of members makes no difference: the undo of a removal puts a member at the end. */
export function isEqual(one, other) {
  if (!(one instanceof Object && other instanceof Object)) return one === other;
  const names = Object.keys(one);
  return (
    Array.isArray(one) === Array.isArray(other) &&
    names.length === Object.keys(other).length &&
    names.every((name) => Object.hasOwn(other, name) && isEqual(one[name], other[name]))
  );
}

const isObject = (value) => value !== null && typeof value === "object" && !Array.isArray(value);
