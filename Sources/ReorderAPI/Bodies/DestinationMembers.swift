import ReorderEngine
import ReorderJSON

/// The members for a destination, in a move or a new task.
struct DestinationMembers {
    static let members: [StaticString] = ["after", "before", "section", "parent", "position"]

    private var after = Member<TaskID>.absent
    private var before = Member<TaskID>.absent
    var section = Member<SectionID>.absent
    private var parent = Member<TaskID>.absent
    private var position: Int?

    /// Whether a member was given.
    var isEmpty: Bool {
        after == .absent && before == .absent && section == .absent && parent == .absent
            && position == nil
    }

    /// Reads a member if it is part of a destination.
    mutating func read(
        _ name: JSONName, from reader: inout JSONReader
    ) throws(JSONTypeError) -> Bool {
        switch name {
        // null: the task has no neighbor on this side.
        case "after": after = try Self.member(from: &reader)
        case "before": before = try Self.member(from: &reader)
        case "section": section = try Self.member(from: &reader)
        case "parent": parent = try Self.member(from: &reader)
        case "position": position = try reader.readCount()
        default: return false
        }
        return true
    }

    private static func member(
        from reader: inout JSONReader
    ) throws(JSONTypeError) -> Member<String> {
        try reader.readReferenceOrNull().map { .value($0) } ?? .null
    }

    /// nil if no member was given, or only neighbors that are null.
    var destination: Destination? {
        let place = place
        guard after.value != nil || before.value != nil || place != nil else { return nil }
        return Destination(after: after.value, before: before.value, place: place)
    }

    private var place: Destination.Place? {
        switch (parent, section) {
        case (.value(let parent), _): .init(.subtasks(of: parent), position: position)
        case (_, .value(let section)): .init(.section(section), position: position)
        case (_, .null): .init(.section(nil), position: position)
        case (.null, .absent): .init(.topLevel, position: position)
        case (.absent, .absent): position.map { .init(.own, position: $0) }
        }
    }
}
