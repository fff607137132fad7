import ReorderEngine
import ReorderJSON

/// The body that makes a task: what it is, and where it goes.
struct CreateTaskBody {
    private var task = TaskForm()
    private var place = DestinationMembers()

    init() {}

    init(from reader: inout JSONReader) throws(JSONTypeError) {
        try reader.beginObject()
        while let name = reader.nextMember() {
            guard try read(name, from: &reader) else { throw reader.unknownMember() }
        }
    }

    /// Reads the value of a member, where it is one of these.
    mutating func read(
        _ name: JSONName, from reader: inout JSONReader
    ) throws(JSONTypeError) -> Bool {
        if try place.read(name, from: &reader) { return true }
        return try task.read(name, from: &reader)
    }

    /// What the members read so far make; `reader` is where they ended.
    func content(
        _ reader: borrowing JSONReader, makeID: () -> String
    ) throws(JSONTypeError) -> TaskContent {
        guard let title = task.title else { throw reader.missingMember("title") }
        return task.content(id: task.id ?? makeID(), title: title)
    }

    var destination: Destination { place.destination ?? Destination() }
}
