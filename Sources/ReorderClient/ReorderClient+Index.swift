import ReorderEngine
import ReorderJSON

/// A list on the server, without its tasks.
public struct ListSummary: Sendable, Equatable {
    /// The list's id.
    public var id: String
    /// The displayed title.
    public var title: String
    /// The number of tasks, including hidden ones.
    public var count: Int
}

/// Which lists there are. These calls need the network.
extension ReorderClient {
    /// The lists that the client may read, in the order of their ids. O(lists), with a request for each
    /// 1,000 lists.
    ///
    /// - Throws: `unauthorized`; `unreachable`, also if the server asks to try again later.
    public func lists() async throws(ClientError) -> [ListSummary] {
        try await items(of: ["lists"], "lists", ListSummary.read)
    }

    /// Creates an empty list.
    ///
    /// - Throws: `invalid` if the id is malformed, or the title is too long; `refused` with `idTaken` if the
    ///   list exists; `unauthorized`, also if the token does not allow it; `unreachable`, also if the
    ///   server asks to try again later.
    public func createList(_ id: String, title: String) async throws(ClientError) {
        try InputValidation.id(id)
        try InputValidation.title(title)
        _ = try await send(
            APICall(
                method: "POST", path: ["lists"], refusals: [.idTaken(id)],
                form: { writer in
                    writer.member("id", id)
                    writer.member("title", title)
                }
            ) { try $0.version() })
    }
}

extension ListTask {
    /// The id of the list that this task stands for, if it is an entry of an index of lists: the member
    /// `list` of its `data`. nil for a folder.
    package var entryList: String? { content.reference("list") }
}

extension ListSummary {
    static func read(from reader: inout JSONReader) throws(JSONTypeError) -> ListSummary {
        var list = ListSummary(id: "", title: "", count: 0)
        try reader.beginObject()
        while let name = reader.nextMember() {
            switch name {
            case "id": list.id = try reader.readString()
            case "title": list.title = try reader.readString()
            case "count": list.count = try reader.readCount()
            default: reader.skip()
            }
        }
        return list
    }
}
