import ReorderJSON

/// The lists that a client may see: all, or those whose ids fit a pattern.
///
/// A pattern is an id, or the beginning of one with `*` behind it. There is no other place for a `*`:
/// so the lists that fit stand together in the order of ids, and an index of them is read without
/// looking at any other.
package struct ListPatterns: Sendable, Equatable {
    /// Ids from a first one on, in the order of their bytes.
    package struct Run: Sendable, Equatable {
        /// The id, or what the ids begin with.
        package var start: String
        package var isPrefix: Bool

        package func contains(_ list: String) -> Bool {
            isPrefix ? list.utf8.starts(with: start.utf8) : list == start
        }

        /// Comes before all ids of the run, and after all others that do.
        package var lowerBound: String {
            // No id has a character after the tilde.
            guard let last = start.utf8.last else { return "" }
            return String(decoding: start.utf8.dropLast() + [last - 1, 0x7F], as: UTF8.self)
        }

        /// Whether an id of the run can come after another id; after `nil` any does.
        package func isAnyAfter(_ id: String?) -> Bool {
            guard let id else { return true }
            return start > id || isPrefix && contains(id)
        }
    }

    /// In the order of their ids, none of which is in two; `nil`: all lists.
    package let runs: [Run]?

    package static let all = ListPatterns(runs: nil)
    /// The most patterns that a client may have: a page of the index looks once for each.
    package static let maximumCount = 100
    package static let rule = """
        A pattern is a list's id, or the beginning of one with * behind it; there are 1 to \
        \(maximumCount) of them.
        """

    private init(runs: [Run]?) {
        self.runs = runs
    }

    /// `nil` where one is no pattern, or there are none or too many.
    package init?(_ patterns: [String]) {
        guard (1...Self.maximumCount).contains(patterns.count) else { return nil }
        var runs: [Run] = []
        for pattern in patterns {
            let isPrefix = pattern.utf8.last == UInt8(ascii: "*")
            // Of bytes: what stands before the star could be one character with it.
            let start = String(Substring(isPrefix ? pattern.utf8.dropLast() : pattern.utf8[...]))
            guard start.utf8.allSatisfy(Identifier.isByte),
                start.utf8.count <= Identifier.maximumBytes,
                isPrefix || !start.isEmpty
            else { return nil }
            runs.append(Run(start: start, isPrefix: isPrefix))
        }
        guard !runs.contains(where: { $0.isPrefix && $0.start.isEmpty }) else {
            self.runs = nil
            return
        }
        // Of two that begin alike the wider one comes first, and has the other.
        runs.sort {
            $0.start == $1.start ? $0.isPrefix && !$1.isPrefix : $0.start < $1.start
        }
        self.runs = runs.reduce(into: []) { kept, run in
            if kept.last?.contains(run.start) != true { kept.append(run) }
        }
    }

    /// Whether a list is one of them. Complexity: O(number of patterns).
    package func allow(_ list: String) -> Bool {
        runs?.contains { $0.contains(list) } ?? true
    }
}
