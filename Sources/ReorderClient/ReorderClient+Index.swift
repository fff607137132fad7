import ReorderEngine
import ReorderJSON

/// A list on the server, without its tasks.
public struct ListSummary: Sendable, Equatable {
    /// The list's id.
    public var id: String
    /// The displayed title.
    public var title: String
    /// The list's last version.
    package var version: Int
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
        try await lists(pageLimit: 1_000)
    }

    func lists(pageLimit: Int) async throws(ClientError) -> [ListSummary] {
        try await allPages("/lists?limit=\(pageLimit)", items: "lists", ListSummary.read)
    }

    /// Those of the named lists that exist and that the client may read, by their ids: for example the
    /// lists that the tasks of an index stand for (`ListTask.entryList`). One request for each 100 ids.
    ///
    /// - Throws: `invalid` if an id is malformed; `unauthorized`; `unreachable`, also if the server asks
    ///   to try again later.
    package func lists(_ ids: some Sequence<String>) async throws(ClientError)
        -> [String: ListSummary]
    {
        let ids = Array(Set(ids))
        for id in ids { try Self.check(id) }
        var found: [String: ListSummary] = [:]
        for start in stride(from: 0, to: ids.count, by: 100) {
            let names = ids[start..<min(start + 100, ids.count)].joined(separator: ",")
            for list in try await allPages("/lists?ids=\(names)", items: "lists", ListSummary.read)
            {
                found[list.id] = list
            }
        }
        return found
    }

    /// Creates an empty list.
    ///
    /// - Throws: `invalid` if the id is malformed, or the title is too long; `refused` with `idTaken` if the
    ///   list exists; `unauthorized`, also if the token does not allow it; `unreachable`, also if the
    ///   server asks to try again later.
    public func createList(_ id: String, title: String) async throws(ClientError) {
        try Self.check(id)
        try InputValidation.title(title)
        try await create(id, .post("/lists", [("id", id), ("title", title)]))
    }
}

extension ListTask {
    /// The id of the list that this task stands for, if it is an entry of an index of lists: the member
    /// `list` of its `data`. nil for a folder.
    package var entryList: String? { content.reference("list") }
}

extension ListSummary {
    fileprivate static func read(from reader: inout JSONReader) throws(JSONTypeError) -> ListSummary
    {
        var list = ListSummary(id: "", title: "", version: 0, count: 0)
        try reader.beginObject()
        while let name = reader.nextMember() {
            switch name {
            case "id": list.id = try reader.readString()
            case "title": list.title = try reader.readString()
            case "version": list.version = try reader.readCount()
            case "count": list.count = try reader.readCount()
            default: reader.skip()
            }
        }
        return list
    }
}
