import ArgumentParser
import DequeModule
import Foundation
import ReorderService

/// The writes of an import. Many wait at once, so one commit makes many of them durable.
final class ImportWriter {
    /// The maximum number of lists that wait, and of their tasks: they are in memory. A list with
    /// more tasks waits alone.
    private static let maximumLists = 1_000
    private static let maximumTasks = 100_000

    private struct Write {
        var list: String
        var count: Int
    }

    private var requests: BlockingWrites
    private var writes: Deque<Write> = []
    /// The number of tasks of the lists in `writes`.
    private var tasks = 0
    private var firstFailure: ExitCode?

    init(offline: OfflineStore) {
        requests = BlockingWrites(offline.service)
    }

    /// Starts a write; throws if an earlier one failed.
    func write(_ request: WriteRequest, count: Int) throws {
        while writes.count == Self.maximumLists
            || !writes.isEmpty && tasks + count > Self.maximumTasks
        { finishFirst() }
        if firstFailure != nil { try finish() }
        writes.append(Write(list: request.list, count: count))
        tasks += count
        requests.start(request)
    }

    func reportUnchanged(_ id: String) {
        printLine("unchanged \(id)")
    }

    /// Waits for all writes; throws if one of them failed.
    func finish() throws {
        while !writes.isEmpty { finishFirst() }
        if let firstFailure { throw firstFailure }
    }

    private func finishFirst() {
        let write = writes.removeFirst()
        tasks -= write.count
        do throws(ServiceError) {
            let answer = try requests.finishFirst()
            printLine(
                "\(answer.created ? "created" : "replaced") \(answer.list), version "
                    + "\(answer.version), \(write.count) \(write.count == 1 ? "task" : "tasks")")
        } catch {
            let exit = failure("list \(write.list): \(error.reason)", EX_IOERR)
            firstFailure = firstFailure ?? exit
        }
    }

    private func printLine(_ line: String) {
        try? FileHandle.standardOutput.write(contentsOf: Data("\(line)\n".utf8))
    }
}
