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
        try await send(
            APICall(
                method: "DELETE", path: ["lists", id], query: isPermanent ? ["permanent=true"] : []
            ) { try $0.expectNoContent() })
    }

    /// Returns the lists in the bin that the client may change, in the order of their ids. O(lists), with
    /// a request for each 1,000 lists.
    ///
    /// - Throws: `unauthorized`, also if the token does not allow changes; `unreachable`, also if the
    ///   server asks to try again later.
    public func deletedLists() async throws(ClientError) -> [DeletedList] {
        try await items(of: ["bin"], "lists", DeletedList.read)
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
        let restored = try await send(
            APICall(method: "POST", path: ["lists", id, "restore"], refusals: [.idTaken(id)]) {
                try JSONDecoder().decode(RestoredList.self, from: Data($0.body))
            })
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
        try InputValidation.id(copy)
        if let title { try InputValidation.title(title) }
        _ = try await send(
            APICall(
                method: "POST", path: ["lists", id, "copy"], refusals: [.idTaken(copy)],
                form: { writer in
                    writer.member("id", copy)
                    writer.member("title", title)
                }
            ) { try $0.version() })
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
        try InputValidation.id(copy)
        _ = try await send(
            APICall(
                method: "POST", path: ["tasks", task, "copy"],
                refusals: [.taskNotFound(task), .idTaken(copy)],
                form: { writer in
                    writer.member("id", copy)
                    writer.member("toList", list)
                }
            ) { try $0.version() })
    }
}

private struct RestoredList: Decodable {
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
