// Each place at which the page can drop rows of small lists, compared with a plain array of rows (Tests/JavaScript/model.mjs).

/**
 * @param folder the address of the page's modules
 * @param share see `lists`
 * @returns the number of places, or a fault
 */
export async function run(folder, share) {
  const { List, perform, takeBack } = await import(`${folder}client.js`);
  const { Lift } = await import(`${folder}places.js`);
  const { withAdders } = await import(`${folder}row.js`);
  const { expected, takeOut } = await import("/tests/model.mjs");
  const { documentOf, lists, subjects, textOf, variants } = await import("/tests/small-lists.mjs");
  const isResult = (text) => text.endsWith(" ");
  const shown = (tree) =>
    textOf(
      tree
        .rows()
        .map((row) => row.task && rowOf(row))
        .filter(Boolean),
    );
  const rowOf = ({ task, depth, section }) => ({ id: task.id, depth, section: section.id });
  let count = 0;
  for (const outline of lists(share)) {
    for (const variant of variants(outline)) {
      const tree = new List(documentOf(variant.outline, variant.settings));
      const rows = withAdders(tree.rows());
      for (const subject of subjects(outline)) {
        const ids = subject.map((index) => outline[index].id);
        const lift = new Lift(tree, rows, ids, ids[0]);
        const taken = takeOut(variant.outline, subject);
        if (lift.refusal) {
          if (isResult(expected(variant, taken, 0)[0][1]))
            return `${ids} of ${textOf(outline)} are locked`;
          continue;
        }
        for (let index = 0; index <= lift.rest.length; index += 1) {
          const isAdder = (row) => row?.kind === "adder";
          const end = isAdder(lift.rest[index - 1]) ? index - 1 : index;
          const inRest = lift.rest.slice(0, end).filter((row) => !isAdder(row)).length;
          const [, ...results] = expected(variant, taken, inRest);
          const possible = results.filter(([, text]) => isResult(text));
          for (let depth = 0; depth <= 4; depth += 1) {
            const far = ([level]) => Math.abs(level - depth);
            const nearest = Math.min(...possible.map(far));
            const wanted = possible.filter((result) => far(result) === nearest);
            const place = lift.place(index, depth);
            // The blank is above the row that adds tasks.
            if (place.index !== end) {
              const what = JSON.stringify({ ...variant, ids, index, depth });
              return `${what}: at row ${place.index}, not ${end}`;
            }
            let is = place.code;
            if (!place.code) {
              const { back } = perform(tree, lift.step(place));
              is = shown(tree);
              takeBack(tree, back);
            }
            const isRight = wanted.some(([level, text]) => level === place.depth && text === is);
            const isRefused = possible.length === 0 && place.code !== null;
            if (!isRight && !isRefused) {
              const what = JSON.stringify({ ...variant, ids, index, depth });
              return `${what}: ${is} at ${place.depth}, not ${wanted}`;
            }
            count += 1;
          }
        }
      }
    }
  }
  return count;
}
