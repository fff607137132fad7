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
        for list in folder.waitingLists() where openRunner(list) == nil {
            // It is released at once, so the runner ends when everything is sent.
            _ = try? openNow(list)
        }
    }

    /// Sends what waits in open lists, at once.
    ///
    /// - Returns: whether nothing waits any more; false after a failure.
    @discardableResult
    public func flush() async -> Bool {
        var isSent = true
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

    /// Whether opening the list takes less time than a frame: it is open, or its file is small.
    func isQuickToOpen(_ list: String) -> Bool {
        guard memory == nil, openRunner(list) == nil else { return true }
        let path = folder.file(of: list).path(percentEncoded: false)
        let size = try? FileManager.default.attributesOfItem(atPath: path)[.size] as? Int
        return size ?? 0 < 128 << 10
    }
}
