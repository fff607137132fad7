import Foundation
import ReorderEngine
import ReorderJSON

/// A list in the bin: it was deleted, and can be restored until it expires.
public struct DeletedList: Sendable, Equatable {
    /// The list's id.
    public var id: String
    /// The displayed title.
    public var title: String
    /// The version of the deletion.
    public var version: Int
    /// The number of tasks.
    public var count: Int
    /// When the list was deleted.
    public var deletedAt: Date
    /// When the server deletes the content.
    public var expiresAt: Date
}

/// Deleting and restoring whole lists. These calls need the network, and are sent once: after
/// `unreachable`, the server may have applied the request.
extension ReorderClient {
    /// Deletes a list for all clients. The server keeps the content in its bin for some days, 30 by
    /// default. On devices that show the list, it is ``ConnectionStatus/gone``. Operations that are
    /// waiting to be sent are refused.
    ///
    /// - Parameter isPermanent: whether to delete the content at once. Then the list may also be in the
    ///   bin already.
    /// - Throws: `invalid` if the id is malformed; `listNotFound`; `unauthorized`, also if the token
    ///   does not allow it; `unreachable`, also if the server asks to try again later.
    public func deleteList(_ id: String, isPermanent: Bool = false) async throws(ClientError) {
        try check(id)
        let target = "/lists/\(id)" + (isPermanent ? "?permanent=true" : "")
        let (status, _) = try await response(to: ClientRequest(method: "DELETE", target: target))
        guard status != 204 else { return }
        throw Self.error(of: status)
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
        var lists: [DeletedList] = []
        var cursor: String?
        repeat {
            let target = "/bin?limit=\(pageLimit)" + (cursor.map { "&cursor=\($0)" } ?? "")
            let (status, body) = try await response(
                to: ClientRequest(method: "GET", target: target))
            guard status == 200 else { throw Self.error(of: status) }
            guard let page = try? BinPage(json: body) else { throw .unreachable }
            lists += page.lists
            cursor = page.cursor
        } while cursor != nil
        return lists
    }

    /// Restores a list from the bin, with its settings, sections and tasks. If the list is open on
    /// this device, it is fetched at once.
    ///
    /// - Throws: `invalid` if the id is malformed, or the list is larger than the server allows;
    ///   `listNotFound` if the list is not in the bin; `refused` with `idTaken` and the id of the list
    ///   if the list exists, or if another list has one of its tasks; `unauthorized`, also if the token
    ///   does not allow it; `unreachable`, also if the server asks to try again later.
    public func restoreList(_ id: String) async throws(ClientError) {
        try check(id)
        let (status, body) = try await response(
            to: ClientRequest(method: "POST", target: "/lists/\(id)/restore"))
        switch status {
        case 201: openList(id)?.retryNow()
        case 409:
            let problem = ServerProblem(json: body)
            throw problem.code == "id_taken" ? .refused(.idTaken(id)) : .invalid(problem.detail)
        default: throw Self.error(of: status)
        }
    }

    /// Creates an empty list, unless it exists.
    func createList(_ id: String, title: String) async throws(ClientError) {
        var writer = JSONWriter()
        writer.beginObject()
        writer.name("id")
        writer.string(id)
        writer.name("title")
        writer.string(title)
        writer.endObject()
        let request = ClientRequest(
            method: "POST", target: "/lists", headers: [("Content-Type", "application/json")],
            body: writer.bytes)
        let (status, body) = try await response(to: request)
        guard status != 201, ServerProblem(json: body).code != "id_taken" else { return }
        throw Self.error(of: status)
    }

    private func check(_ id: String) throws(ClientError) {
        guard Identifier.isValid(id) else { throw .invalid(Identifier.rule) }
    }

    private static func error(of status: Int) -> ClientError {
        switch status {
        case 401, 403: .unauthorized
        case 404: .listNotFound
        default: .unreachable
        }
    }
}

private struct BinPage {
    var lists: [DeletedList] = []
    var cursor: String?

    init(json: [UInt8]) throws {
        var reader = JSONReader(try JSONText(checking: json, maximumDepth: FormLimits.nesting))
        try reader.beginObject()
        while let name = reader.nextMember() {
            switch name {
            case "lists":
                try reader.beginArray()
                while reader.nextElement() { lists.append(try Self.list(from: &reader)) }
            case "cursor": cursor = try reader.readStringOrNull()
            default: reader.skip()
            }
        }
    }

    private static func list(from reader: inout JSONReader) throws(JSONTypeError) -> DeletedList {
        var list = DeletedList(
            id: "", title: "", version: 0, count: 0, deletedAt: .distantPast,
            expiresAt: .distantPast)
        try reader.beginObject()
        while let name = reader.nextMember() {
            switch name {
            case "id": list.id = try reader.readString()
            case "title": list.title = try reader.readString()
            case "version": list.version = try reader.readCount()
            case "count": list.count = try reader.readCount()
            case "deletedAt": list.deletedAt = try time(from: &reader)
            case "expiresAt": list.expiresAt = try time(from: &reader)
            default: reader.skip()
            }
        }
        return list
    }

    private static func time(from reader: inout JSONReader) throws(JSONTypeError) -> Date {
        let text = try reader.readString()
        guard let milliseconds = Timestamp.parse(text) else {
            throw reader.invalid("This is not a time.")
        }
        return Date(timeIntervalSince1970: Double(milliseconds) / 1_000)
    }
}
