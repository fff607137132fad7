import ReorderEngine
import ReorderJSON

/// The body that creates a task: its content and its destination.
struct CreateTaskBody {
    static let members: [StaticString] =
        ["id", "title", "collapsed", "locked", "done", "data"] + DestinationMembers.members

    private var task = TaskForm()
    private var place = DestinationMembers()

    init() {}

    init(from reader: inout JSONReader) throws(JSONTypeError) {
        try reader.beginObject()
        while let name = reader.nextMember() {
            guard try read(name, from: &reader) else {
                throw reader.unknownMember(allowed: Self.members)
            }
        }
    }

    /// Reads a member if it is part of this body.
    mutating func read(
        _ name: JSONName, from reader: inout JSONReader
    ) throws(JSONTypeError) -> Bool {
        if try place.read(name, from: &reader) { return true }
        return try task.read(name, from: &reader)
    }

    /// The content from the members that were read; `reader` is at the end of the object.
    func content(
        _ reader: borrowing JSONReader, makeID: () -> String
    ) throws(JSONTypeError) -> TaskContent {
        guard let title = task.title else { throw reader.missingMember("title") }
        return task.content(id: task.id ?? makeID(), title: title)
    }

    var destination: Destination { place.destination ?? Destination() }
}
