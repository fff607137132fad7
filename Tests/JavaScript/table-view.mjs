// A table view that applies the differences between rows.

/** The rows of a table view that follows a difference. It shows the old values of rows that are not in `changed`. */
export function follow(before, after, { removed, inserted, moved, changed }) {
  const table = [...before];
  const leaving = [...removed, ...moved.map(({ from }) => from)].sort((a, b) => b - a);
  for (const index of leaving) table.splice(index, 1);
  const coming = [
    ...inserted.map((to) => [to, after[to]]),
    ...moved.map(({ from, to }) => [to, before[from]]),
  ].sort(([a], [b]) => a - b);
  for (const [to, row] of coming) table.splice(to, 0, row);
  for (const index of changed) table[index] = after[index];
  return table;
}
