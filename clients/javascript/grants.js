// What a token allows.

const writing = ["write", "purge", "admin"];

/** The patterns of the lists that may be changed: ids, or the beginning of ids followed by `*`. */
export function writablePatterns({ grants }) {
  return grants.flatMap(({ scope, lists }) => (writing.includes(scope) ? lists : []));
}

/**
 * @param me the response of `me()`
 * @returns whether a list may be changed
 */
export function mayWrite(me, list) {
  return writablePatterns(me).some((pattern) =>
    pattern.endsWith("*") ? list.startsWith(pattern.slice(0, -1)) : list === pattern,
  );
}
