import Foundation
import ReorderEngine
import ReorderJSON

/// A list in the bin: it was deleted, and can be restored until it expires.
public struct DeletedList: Sendable, Equatable {
    /// The list's id.
    public var id: String
    /// The displayed title.
    public var title: String
    /// When the server deletes the content.
    public var expiresAt: Date
}

/// Deleting, restoring and copying whole lists, and copying tasks. These calls need the network, and are sent once: after
/// `unreachable`, the server may have applied the request.
extension ReorderClient {
    /// Deletes a list for all clients. The server keeps the content in its bin for some days, 30 by
    /// default. On devices that show the list, it is ``ListPhase/notFound``. Operations that are
    /// waiting to be sent wait until the list exists again, or until ``LiveList/discardWaiting()``.
    ///
    /// - Parameter isPermanent: whether to delete the content at once. Then the list may also be in the
    ///   bin already. A token needs the scope `purge` for it.
    /// - Throws: `invalid` if the id is malformed; `listNotFound`; `unauthorized`, also if the token
    ///   does not allow it; `unreachable`, also if the server asks to try again later.
    public func deleteList(_ id: String, isPermanent: Bool = false) async throws(ClientError) {
        try Self.check(id)
        let target = "/lists/\(id)" + (isPermanent ? "?permanent=true" : "")
        try await send(ClientRequest(method: "DELETE", target: target)) { try $0.expectNoContent() }
    }

    /// Returns the lists in the bin that the client may change, in the order of their ids. O(lists), with
    /// a request for each 1,000 lists.
    ///
    /// - Throws: `unauthorized`, also if the token does not allow changes; `unreachable`, also if the
    ///   server asks to try again later.
    public func deletedLists() async throws(ClientError) -> [DeletedList] {
        try await deletedLists(pageLimit: 1_000)
    }

    func deletedLists(pageLimit: Int) async throws(ClientError) -> [DeletedList] {
        try await allPages("/bin?limit=\(pageLimit)", items: "lists", DeletedList.read)
    }

    /// Restores a list from the bin, with its settings, sections and tasks. Tasks whose ids another list
    /// has by then get new ids. If the list is open on this device, it is fetched at once.
    ///
    /// - Returns: the new ids of these tasks, by the former ones.
    /// - Throws: `invalid` if the id is malformed, or the list is larger than the server allows;
    ///   `listNotFound` if the list is not in the bin; `refused` with `idTaken` and the id of the list
    ///   if the list exists; `unauthorized`, also if the token does not allow it; `unreachable`, also if the
    ///   server asks to try again later.
    @discardableResult
    public func restoreList(_ id: String) async throws(ClientError) -> [TaskID: TaskID] {
        try Self.check(id)
        let request = ClientRequest(method: "POST", target: "/lists/\(id)/restore")
        let restored = try await create(id, request)
        openRunner(id)?.retryNow()
        return restored.newIds ?? [:]
    }

    /// Copies a list, with its settings, sections and tasks. The tasks of the copy have new ids, and
    /// the time of the copy. Operations of this device that the server does not have yet are not in it.
    ///
    /// - Parameters:
    ///   - copy: the id of the new list.
    ///   - title: the title of the new list; nil: the same title.
    /// - Throws: `invalid` if an id is malformed, or the title or the list is larger than the server
    ///   allows; `listNotFound`; `refused` with `idTaken` if the new list exists; `unauthorized`, also if
    ///   the token does not allow it; `unreachable`, also if the server asks to try again later.
    public func copyList(
        _ id: String, as copy: String, title: String? = nil
    ) async throws(ClientError) {
        try Self.check(id)
        try Self.check(copy)
        if let title { try InputValidation.title(title) }
        let members = [("id", copy)] + (title.map { [("title", $0)] } ?? [])
        try await create(copy, .post("/lists/\(id)/copy", members))
    }

    /// Copies a task with its subtasks: directly after the task, or to the end of another list. The
    /// copies have the time of the copy. Operations of this device that the server does not have yet
    /// are not in them. A device that shows the list gets the copy as a change.
    ///
    /// - Parameters:
    ///   - copy: the id of the new task. Its subtasks get ids from the server.
    ///   - list: the list that receives the copy; nil: the list of the task.
    /// - Throws: `invalid` if an id is malformed, or the list would be larger than the server allows;
    ///   `refused` with `taskNotFound`, or with `idTaken` if the new task exists; `listNotFound` if the
    ///   other list does not exist; `unauthorized`, also if the token does not allow it; `unreachable`,
    ///   also if the server asks to try again later.
    public func copyTask(
        _ task: TaskID, as copy: TaskID, toList list: String? = nil
    ) async throws(ClientError) {
        try Self.check(task)
        try Self.check(copy)
        let members = [("id", copy)] + (list.map { [("toList", $0)] } ?? [])
        _ = try await send(
            .post("/tasks/\(task)/copy", members),
            refusal: { problem in
                switch problem.code {
                case "task_not_found": .refused(.taskNotFound(task))
                case "id_taken": .refused(.idTaken(copy))
                default: nil
                }
            }, { try $0.version() })
    }

    /// The items of all pages.
    ///
    /// - Parameters:
    ///   - target: the first page, with a query.
    ///   - member: the member with the items.
    func allPages<Item>(
        _ target: String, items member: StaticString,
        _ read: (inout JSONReader) throws(JSONTypeError) -> Item
    ) async throws(ClientError) -> [Item] {
        var items: [Item] = []
        var cursor: String?
        repeat {
            let request = ClientRequest(
                method: "GET", target: target + (cursor.map { "&cursor=\($0)" } ?? ""))
            let page = try await send(request) {
                try ResponsePage(json: $0.body, items: member, read)
            }
            items += page.items
            cursor = page.cursor
        } while cursor != nil
        return items
    }

    /// Sends a request that creates something with this id.
    @discardableResult
    func create(_ id: String, _ request: ClientRequest) async throws(ClientError) -> CreatedList {
        try await send(
            request, refusal: { $0.code == "id_taken" ? .refused(.idTaken(id)) : nil },
            { try JSONDecoder().decode(CreatedList.self, from: Data($0.body)) })
    }

    static func check(_ id: String) throws(ClientError) {
        guard Identifier.isValid(id) else { throw .invalid(Identifier.rule) }
    }
}

/// The members of a response to the creation of a list that the client uses.
struct CreatedList: Decodable {
    let version: Int
    /// The new ids of tasks that came back from the bin, by the former ones.
    let newIds: [TaskID: TaskID]?
}

extension DeletedList {
    fileprivate static func read(from reader: inout JSONReader) throws(JSONTypeError) -> DeletedList
    {
        var list = DeletedList(id: "", title: "", expiresAt: .distantPast)
        try reader.beginObject()
        while let name = reader.nextMember() {
            switch name {
            case "id": list.id = try reader.readString()
            case "title": list.title = try reader.readString()
            case "expiresAt": list.expiresAt = try Date(from: &reader)
            default: reader.skip()
            }
        }
        return list
    }
}

extension Date {
    /// Reads a time in RFC 3339 format.
    init(from reader: inout JSONReader) throws(JSONTypeError) {
        let text = try reader.readString()
        guard let milliseconds = Timestamp.parse(text) else {
            throw reader.invalid("This is not a time.")
        }
        self.init(timeIntervalSince1970: Double(milliseconds) / 1_000)
    }
}
