import ReorderAuth
import ReorderService

extension ListPatterns {
    /// The ranges of ids after an id; nil means all lists.
    package func ranges(after id: String?) -> [ListIDRange]? {
        runs?.filter { $0.isAnyAfter(id) }.map { run in
            ListIDRange(after: run.lowerBound, isOne: !run.isPrefix) { run.contains($0) }
        }
    }
}
