import Foundation
import ReorderEngine
import ReorderJSON

extension ReorderClient {
    /// The changes of a list, newest first, with the titles that the tasks had then. Changes that wait
    /// to be sent are not in it. It needs the network.
    ///
    /// - Parameters:
    ///   - before: ``HistoryPage/before`` of the page before; nil: the newest changes.
    ///   - limit: the maximum number of changes, 1 to 100.
    /// - Throws: `invalid` if the id is malformed, or `before` is not of this list; `listNotFound`;
    ///   `unauthorized`; `unreachable`, also if the server asks to try again later.
    public func history(
        of list: String, before: String? = nil, limit: Int = 50
    ) async throws(ClientError) -> HistoryPage {
        try await send(
            APICall(
                method: "GET", path: ["lists", list, "changes"],
                query: ["order=desc", "limit=\(max(1, min(limit, 100)))"]
                    + (before.map { ["before=\($0.inQuery)"] } ?? [])
            ) { try HistoryPage(json: $0.body) })
    }

    /// Undoes a change of the history, also of another person. It needs the network. What waits in an open list is sent first, because the
    /// change may be undone only after it. The request is sent once: after `unreachable`, the server may have undone the change. Devices
    /// that show the list get it as a change.
    ///
    /// - Returns: the version of the undo, which can be undone, too; nil if nothing has changed.
    /// - Throws: `invalid` with the reason if later changes prevent it; `listNotFound`; `unauthorized`,
    ///   also if the token does not allow it; `unreachable`, also if the server asks to try again later.
    @discardableResult
    public func undo(_ change: PastChange, of list: String) async throws(ClientError) -> Int? {
        try await undo(of: list) { $0.member("version", change.id) }
    }

    /// Undoes the change that led to a version of a list, such as a sort. Otherwise like ``undo(_:of:)``.
    @discardableResult
    public func undo(version: Int, of list: String) async throws(ClientError) -> Int? {
        try await undo(of: list) { $0.member("version", version) }
    }

    /// Undoes the change that led to a version, unless the server has another store by now.
    func undo(_ point: SyncPoint, of list: String) async throws(ClientError) -> Int? {
        guard point.epoch != nil else { return try await undo(version: point.version, of: list) }
        return try await undo(of: list) { $0.member("version", point.token) }
    }

    private func undo(
        of list: String, _ form: @escaping (inout JSONWriter) -> Void
    ) async throws(ClientError) -> Int? {
        try await send(
            APICall(method: "POST", path: ["lists", list, "undo"], form: form) {
                try $0.changedVersion()
            }, flushing: [list])
    }
}
