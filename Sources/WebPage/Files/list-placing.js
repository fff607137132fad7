// The places of a list in the sidebar, one after the other.

/** The next place up (-1) or down (1) of what `Lists.lift` returned; undefined if there is none. */
export function nextPlace({ start, places }, direction) {
  const distance = ({ index, depth }) => index - start.index || start.depth - depth;
  const further = places.filter((place) => direction * distance(place) > 0);
  return further.at(direction > 0 ? 0 : -1);
}
