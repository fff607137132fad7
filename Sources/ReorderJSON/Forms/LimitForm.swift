import ReorderEngine

// The limits that a list sets itself.

extension JSONReader {
    /// Reads a limit of a list; null means no limit.
    mutating func readLimit(atMost most: Int = .max) throws(JSONTypeError) -> Int? {
        if readNull() { return nil }
        let limit = try readInt()
        guard 1...most ~= limit else {
            let range = most == .max ? "1 or more" : "from 1 to \(most)"
            throw invalid("The number must be \(range), or null.")
        }
        return limit
    }
}

extension JSONWriter {
    /// Writes a limit of a list; nothing if there is none.
    mutating func limit(_ member: JSONName, _ limit: Int?) {
        guard let limit else { return }
        name(of: member)
        int(limit)
    }

    /// Writes a changed limit; null removes it.
    mutating func limit(_ member: JSONName, _ update: LimitUpdate?) {
        guard let update else { return }
        name(of: member)
        if let limit = update.limit { int(limit) } else { null() }
    }
}
