import ReorderEngine

extension JSONWriter {
    /// The maximum size of the members with a task's authors.
    static func authorMembersBytes(_ stamps: TaskStamps) -> Int {
        bytes(stamps.createdBy) + bytes(stamps.updatedBy) + bytes(stamps.completedBy)
    }

    private static func bytes(_ author: String?) -> Int {
        author.map { $0.utf8.count * maximumEscapedBytes + nameBytes } ?? 0
    }

    /// The size of the longest member without its value, and of the quotes.
    private static let nameBytes = #","completedBy":"""#.utf8.count
}

extension UnsafeMutablePointer<UInt8> {
    /// Writes a member with an author.
    mutating func write(_ name: StaticString, author: String) {
        write(name)
        write(quotedOrNull: author)
    }
}
