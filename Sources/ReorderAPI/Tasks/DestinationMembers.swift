import ReorderEngine
import ReorderJSON

/// The members for a destination, in a move or a new task.
struct DestinationMembers {
    var after: TaskID?
    var before: TaskID?
    var section = Member<SectionID>.absent
    var parent = Member<TaskID>.absent
    var position: Int?

    /// Reads a member if it is part of a destination.
    mutating func read(
        _ name: JSONName, from reader: inout JSONReader
    ) throws(JSONTypeError) -> Bool {
        switch name {
        case "after": after = try reader.readReference()
        case "before": before = try reader.readReference()
        case "section": section = try reader.readReferenceOrNull().map { .value($0) } ?? .null
        case "parent": parent = try reader.readReferenceOrNull().map { .value($0) } ?? .null
        case "position": position = try reader.readCount()
        default: return false
        }
        return true
    }

    /// nil if no member was given.
    var destination: Destination? {
        let place = place
        guard after != nil || before != nil || place != nil else { return nil }
        return Destination(after: after, before: before, place: place)
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
