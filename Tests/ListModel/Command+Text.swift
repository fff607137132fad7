import ReorderEngine
import ReorderJSON

// Requests and their parts as JSON text.

extension Command {
    /// The op of a batch.
    package func text(id: String? = nil) -> String {
        var writer = JSONWriter()
        writer.command(self, opID: id)
        return String(decoding: writer.bytes, as: UTF8.self)
    }
}

// Members of an object, without its braces.

extension MoveRequest {
    package var members: String { text { $0.members(of: self) } }
}

extension MoveRequest.Subject {
    package var members: String { text { $0.members(of: self) } }
}

extension Destination {
    package var members: String { text { $0.members(of: self) } }
    /// Its members after others.
    package var furtherMembers: String { members.isEmpty ? "" : ",\(members)" }
}

extension TaskContent {
    package var members: String { text { $0.members(of: self) } }
}

extension TaskUpdate {
    package var members: String { text { $0.members(of: self) } }
}

extension SettingsUpdate {
    package var members: String { text { $0.members(of: self) } }
}

private func text(_ write: (inout JSONWriter) -> Void) -> String {
    var writer = JSONWriter()
    writer.beginObject()
    write(&writer)
    writer.endObject()
    return String(decoding: writer.bytes.dropFirst().dropLast(), as: UTF8.self)
}
