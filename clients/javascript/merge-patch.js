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

const itemsIn = (value) => (Array.isArray(value) ? value : []);

/**
 * A patch with which a person adds and removes items of arrays, whatever others have done with the arrays.
 * @param items `add` and `remove` by the names of the members
 */
export function patchOfItems(data, items) {
  const patch = Object.entries(items).map(([name, { add, remove }]) => {
    const left = itemsIn(data?.[name]).filter((item) => !remove.includes(item));
    const after = [...left, ...add.filter((item) => !left.includes(item))];
    return [name, after.length > 0 ? after : null];
  });
  return Object.fromEntries(patch);
}

/** What a person adds and removes who makes `after` of the arrays in `before`. @returns as for `patchOfItems`; null if that is nothing */
export function itemsBetween(before, after, names) {
  const items = names.map((name) => {
    const [former, latter] = [itemsIn(before?.[name]), itemsIn(after?.[name])];
    const add = latter.filter((item) => !former.includes(item));
    return [name, { add, remove: former.filter((item) => !latter.includes(item)) }];
  });
  const isChange = items.some(([, { add, remove }]) => add.length + remove.length > 0);
  return isChange ? Object.fromEntries(items) : null;
}

const isObject = (value) => value !== null && typeof value === "object" && !Array.isArray(value);
