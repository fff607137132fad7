import ReorderEngine

extension [LiveList.Section] {
    /// The rows that were there before, and look different now. O(n / 256) for n rows, and O(k) for the k rows between the first and the
    /// last changed row of a section.
    func changedRows(since old: [LiveList.Section]) -> [TaskID] {
        var former: [SectionID?: LiveList.Rows] = [:]
        for section in old { former[section.id] = section.rows }
        var before: [TaskID: LiveList.Row] = [:]
        var after: [LiveList.Row] = []
        for section in self {
            let (rows, others) = (
                section.rows, former.removeValue(forKey: section.id) ?? LiveList.Rows()
            )
            // Rows that are shared with the array before cost little here.
            guard rows != others else { continue }
            let (start, end, otherEnd) = rows.difference(from: others)
            for row in others[start..<otherEnd] { before[row.id] = row }
            after += rows[start..<end]
        }
        for row in former.values.joined() { before[row.id] = row }
        return after.filter { row in before[row.id].map { $0 != row } ?? false }.map(\.id)
    }
}
