// The gaps of a layout (`RowLayout`) between shown rows. Among these are also headers of sections, and rows that add tasks.

/**
 * The gaps between the rows that stay while others are dragged. O(rows)
 * @param rest the shown rows that stay
 * @param sectionOf the id of the section that a row belongs to or begins; undefined if the row does not say it
 * @param isInLayout whether the layout has a row
 * @returns the gap before each row, and the one after the last row
 */
export function gapsBetween(rest, sectionOf, isInLayout) {
  const gaps = [{ section: null, row: 0 }];
  let { section, row } = gaps[0];
  for (const one of rest) {
    section = sectionOf(one) ?? section;
    if (isInLayout(one)) row += 1;
    gaps.push({ section, row });
  }
  return gaps;
}
