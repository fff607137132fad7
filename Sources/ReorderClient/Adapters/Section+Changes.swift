import ReorderEngine

extension [LiveList.Section] {
    /// The rows that were there before, and look different now. O(rows), but it looks up only those between the first and the last
    /// changed row of a section.
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
            let most = Swift.min(rows.count, others.count)
            var start = 0
            while start < most, rows[start] == others[start] { start += 1 }
            var (end, otherEnd) = (rows.count, others.count)
            while end > start, otherEnd > start, rows[end - 1] == others[otherEnd - 1] {
                (end, otherEnd) = (end - 1, otherEnd - 1)
            }
            for row in others[start..<otherEnd] { before[row.id] = row }
            after += rows[start..<end]
        }
        for row in former.values.joined() { before[row.id] = row }
        return after.filter { row in before[row.id].map { $0 != row } ?? false }.map(\.id)
    }
}
