import ArgumentParser
import Dispatch
import Foundation
import ReorderService
import Synchronization

/// The writes of an import. Many run at once, so one sync makes many of them durable.
final class ImportWriter {
    /// The maximum number of concurrent writes. A large list is written alone, to limit the memory.
    private static let atOnce = 64
    private static let largeCount = 10_000

    private let offline: OfflineStore
    private let free = DispatchSemaphore(value: 0)
    private let failed = FirstFailure()
    /// Each write blocks a thread until it is durable.
    private let threads = DispatchQueue(label: "import", attributes: .concurrent)

    init(offline: OfflineStore) {
        self.offline = offline
        // It starts at 0, because a semaphore must not be destroyed while it is below its initial
        // value.
        for _ in 0..<Self.atOnce { free.signal() }
    }

    /// Starts a write; throws if an earlier one failed.
    func write(_ request: WriteRequest, count: Int) throws {
        let share = count > Self.largeCount ? Self.atOnce : 1
        for _ in 0..<share { free.wait() }
        try throwError()
        threads.async { [service = offline.service, free, failed] in
            do throws(ServiceError) {
                let answer = try service.write(request)
                Self.printLine(
                    "\(answer.created ? "created" : "replaced") \(answer.list), "
                        + "version \(answer.version), \(count) \(count == 1 ? "task" : "tasks")")
            } catch {
                failed.note("list \(request.list): \(error.reason)")
            }
            for _ in 0..<share { free.signal() }
        }
    }

    func reportUnchanged(_ id: String) {
        Self.printLine("unchanged \(id)")
    }

    /// Waits for all writes.
    func finish() throws {
        for _ in 0..<Self.atOnce { free.wait() }
        try throwError()
    }

    private func throwError() throws {
        if let reason = failed.reason { throw failure(reason, EX_IOERR) }
    }

    /// Writes whole lines, because several threads call it.
    private static func printLine(_ line: String) {
        try? FileHandle.standardOutput.write(contentsOf: Data("\(line)\n".utf8))
    }
}

/// The reason of the first failed write.
private final class FirstFailure: Sendable {
    private let first = Mutex<String?>(nil)

    var reason: String? { first.withLock { $0 } }

    func note(_ reason: String) {
        first.withLock { $0 = $0 ?? reason }
    }
}
