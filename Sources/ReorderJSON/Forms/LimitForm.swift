import ReorderEngine

// The limits that a list sets itself.

extension JSONReader {
    /// Reads a limit of a list; null means no limit.
    package mutating func readLimit(atMost most: Int = .max) throws(JSONTypeError) -> Int? {
        if readNull() { return nil }
        let limit = try readInt()
        guard 1...most ~= limit else {
            let range = most == .max ? "1 or more" : "from 1 to \(most)"
            throw invalid("The number must be \(range), or null.")
        }
        return limit
    }

    /// Reads the most levels of a list; null means no limit.
    package mutating func readMaxDepth() throws(JSONTypeError) -> Int? {
        try readLimit(atMost: ReorderableList.maximumLevels)
    }
}

extension JSONWriter {
    /// Writes a limit of a list; nothing if there is none.
    package mutating func limit(_ member: StaticString, _ limit: Int?) {
        guard let limit else { return }
        name(member)
        int(limit)
    }

    /// Writes the limits of an update; null removes a limit.
    package mutating func limits(_ update: SettingsUpdate) {
        limit("maxDepth", update.maxDepth)
        limit("maxTasksPerSection", update.maxTasksPerSection)
        limit("tasksPerParent", update.tasksPerParent)
    }

    /// Writes a changed limit; null removes it.
    package mutating func limit(_ member: StaticString, _ update: LimitUpdate?) {
        guard let update else { return }
        name(member)
        if let limit = update.limit { int(limit) } else { null() }
    }
}
