import ReorderJSON

/// The lists that a client may access: all, or those whose ids match a pattern.
///
/// A pattern is an id, or a prefix followed by `*`. A `*` is only allowed at the end, so matching
/// lists are adjacent in the order of ids, and a page of the index can be read without scanning
/// other lists.
package struct ListPatterns: Sendable, Equatable {
    /// A range of ids, in the order of their bytes.
    package struct Run: Sendable, Equatable {
        /// The id, or the prefix.
        package var start: String
        package var isPrefix: Bool

        package func contains(_ list: String) -> Bool {
            isPrefix ? list.utf8.starts(with: start.utf8) : list == start
        }

        /// Whether all ids in the other range are in this one.
        fileprivate func includes(_ other: Run) -> Bool {
            isPrefix
                ? other.start.utf8.starts(with: start.utf8)
                : !other.isPrefix && start == other.start
        }

        /// Less than all ids in the range, and greater than all ids before the range.
        package var lowerBound: String {
            // `~` is the greatest character in ids.
            guard let last = start.utf8.last else { return "" }
            return String(decoding: start.utf8.dropLast() + [last - 1, 0x7F], as: UTF8.self)
        }

        /// Whether an id in the range can come after the given id; always true for nil.
        package func isAnyAfter(_ id: String?) -> Bool {
            guard let id else { return true }
            return start > id || isPrefix && contains(id)
        }
    }

    /// In the order of ids, without overlaps; nil: all lists; empty: none.
    package let runs: [Run]?

    package static let all = ListPatterns(runs: nil)
    package static let none = ListPatterns(runs: [])
    /// The maximum number of patterns: a page of the index needs one query for each.
    package static let maximumCount = 100

    private init(runs: [Run]?) {
        self.runs = runs
    }

    /// Why patterns are not valid, as a sentence without their texts; nil if they are valid.
    package static func fault(of patterns: [String]) -> String? {
        guard (1...maximumCount).contains(patterns.count) else {
            return "It has \(patterns.count) patterns; 1 to \(maximumCount) are allowed."
        }
        return patterns.firstIndex { Run(pattern: $0) == nil }.map {
            "Pattern \($0 + 1) is neither a list's id nor a prefix followed by *."
        }
    }

    /// Returns nil if a pattern is malformed, or the number of patterns is not allowed.
    package init?(_ patterns: [String]) {
        guard (1...Self.maximumCount).contains(patterns.count) else { return nil }
        var runs: [Run] = []
        for pattern in patterns {
            guard let run = Run(pattern: pattern) else { return nil }
            runs.append(run)
        }
        self.init(joining: runs)
    }

    /// The lists that match at least one of these patterns.
    init(unionOf all: [ListPatterns]) {
        var runs: [Run] = []
        for lists in all {
            guard let more = lists.runs else {
                self = .all
                return
            }
            runs += more
        }
        self.init(joining: runs)
    }

    private init(joining runs: [Run]) {
        guard !runs.contains(where: { $0.isPrefix && $0.start.isEmpty }) else {
            self.runs = nil
            return
        }
        // Of two runs with the same start, the prefix comes first, and includes the other run.
        let sorted = runs.sorted {
            $0.start == $1.start ? $0.isPrefix && !$1.isPrefix : $0.start < $1.start
        }
        self.runs = sorted.reduce(into: []) { kept, run in
            if kept.last?.contains(run.start) != true { kept.append(run) }
        }
    }

    /// The patterns as text; nil for all lists.
    package var patterns: [String]? { runs?.map { $0.isPrefix ? $0.start + "*" : $0.start } }

    /// The patterns of the lists that match both. They may match no list.
    package func intersection(_ other: ListPatterns) -> ListPatterns {
        guard let runs else { return other }
        guard let others = other.runs else { return self }
        return ListPatterns(
            runs: runs.flatMap { run in
                others.compactMap { other in
                    run.includes(other) ? other : other.includes(run) ? run : nil
                }
            })
    }

    /// Whether all lists that match the other patterns match these.
    package func includes(_ other: ListPatterns) -> Bool { intersection(other) == other }

    /// Whether a list matches. Complexity: O(number of patterns).
    package func allow(_ list: String) -> Bool {
        runs?.contains { $0.contains(list) } ?? true
    }
}

extension ListPatterns.Run {
    /// Returns nil if the pattern is malformed.
    fileprivate init?(pattern: String) {
        let isPrefix = pattern.utf8.last == UInt8(ascii: "*")
        // By bytes, because the star can form one character with the text before it.
        let start = String(Substring(isPrefix ? pattern.utf8.dropLast() : pattern.utf8[...]))
        guard start.utf8.allSatisfy(Identifier.isByte),
            start.utf8.count <= Identifier.maximumBytes,
            isPrefix || !start.isEmpty
        else { return nil }
        self.init(start: start, isPrefix: isPrefix)
    }
}
