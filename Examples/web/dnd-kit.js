function onDragEnd({ active, over }) {
  if (!over) return;
  const rowOf = (id) => rows.findIndex((row) => row.id === id);
  const [from, to] = [rowOf(active.id), rowOf(over.id)];
  list.drop({ task: active.id, toOffset: to > from ? to + 1 : to, shown: rows });
}
