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
            let start = zip(rows, others).prefix { $0 == $1 }.count
            let most = Swift.min(rows.count, others.count) - start
            let end = zip(rows.reversed(), others.reversed()).prefix(most).prefix { $0 == $1 }.count
            for row in others[start..<others.count - end] { before[row.id] = row }
            after += rows[start..<rows.count - end]
        }
        for row in former.values.joined() { before[row.id] = row }
        return after.filter { row in before[row.id].map { $0 != row } ?? false }.map(\.id)
    }
}
