import Foundation

/// What waits to be sent.
extension ReorderClient {
    /// The number of operations that wait to be sent, in lists that are open or were opened by ``sendWaiting()``. O(open lists).
    var waitingCount: Int {
        runners.withLock { Array($0.values) }.reduce(0) { $0 + $1.read { $0.status.pending } }
    }

    /// Sends the operations that an earlier run of the app has left, also of lists that nobody opens. O(bytes of all files).
    func sendWaiting() {
        guard memory == nil else { return }
        var isComplete = true
        for list in folder.waitingLists() where openRunner(list) == nil {
            // It is released at once, so the runner ends when everything is sent.
            if (try? openNow(list)) == nil { isComplete = false }
        }
        unopened.withLock { $0.hasLists = !isComplete }
    }

    /// What could not be opened to be sent.
    struct Unopened {
        /// Whether a list of an earlier run could not be opened.
        var hasLists = false
        /// The sizes of the inboxes whose operations could not be taken over.
        var inboxes: [String: Int] = [:]
    }

    /// Opens what waits and could not be opened before, for example because another process had the file. It waits for the disk.
    func openWaiting() {
        let hasLists = unopened.withLock { unopened in
            unopened.inboxes = [:]
            return unopened.hasLists
        }
        if hasLists { sendWaiting() }
        _ = openInboxes()
    }

    /// Takes over the operations of extensions, also of lists that are not open. It waits for the disk. After a failure, an inbox is tried
    /// again when it has grown, or after `openWaiting()`.
    ///
    /// - Returns: the lists, which end when they are released and everything is sent; nil if an inbox could not be emptied.
    func openInboxes() -> [SyncedList]? {
        guard memory == nil, !isSignedOut else { return [] }
        let failed = unopened.withLock(\.inboxes)
        var lists: [SyncedList] = []
        var left: [String: Int] = [:]
        for (id, size) in folder.inboxes() {
            if failed[id] != size, let list = try? openNow(id), list.runner.takeInbox() {
                lists.append(list)
            } else {
                left[id] = size
            }
        }
        unopened.withLock { [left] in $0.inboxes = left }
        return left.isEmpty ? lists : nil
    }

    /// Sends what waits in open lists and in the inboxes of extensions, at once.
    ///
    /// - Returns: whether nothing waits any more; false after a failure, and after signing out.
    @discardableResult
    public func flush() async -> Bool {
        guard !isSignedOut else { return false }
        unopened.withLock { $0.inboxes = [:] }
        let lists = openInboxes()
        defer { withExtendedLifetime(lists) {} }
        var isSent = lists != nil && !unopened.withLock(\.hasLists)
        for runner in runners.withLock({ Array($0.values) }) {
            if await !runner.flush() { isSent = false }
        }
        return isSent
    }

    /// Sends what waits in these lists, if they are open, before a request that depends on it.
    ///
    /// - Throws: `unreachable` if something still waits.
    func flush(_ lists: [String]) async throws(ClientError) {
        for list in lists {
            guard let runner = openRunner(list) else { continue }
            guard await runner.flush() else { throw .unreachable }
        }
    }

    /// Whether opening the list takes less time than a frame: its rows are few, or its file is small.
    func isQuickToOpen(_ list: String) -> Bool {
        guard memory == nil else { return true }
        if let runner = openRunner(list) { return runner.read { $0.shown?.rowCount ?? 0 } < 1_000 }
        let path = folder.file(of: list).path(percentEncoded: false)
        let size = try? FileManager.default.attributesOfItem(atPath: path)[.size] as? Int
        return size ?? 0 < 128 << 10
    }
}
