// Random choices that a seed repeats.

/** The seed of this run; `REORDERD_SEED` repeats another one. */
export const seed = Number(process.env.REORDERD_SEED ?? Date.now() % 1_000_000);

/** Functions that choose: the `next` number from 0 to 1, one from 0 and `below` a limit, whether something happens with a `chance`, and one of an array. */
export function randomOf(first) {
  let state = first;
  const next = () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
  const below = (limit) => Math.floor(next() * limit);
  return {
    next,
    below,
    chance: (part) => next() < part,
    pick: (array) => array[below(array.length)],
  };
}
