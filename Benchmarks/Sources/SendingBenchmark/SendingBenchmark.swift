import Foundation

@testable import ReorderClient

/// Measures how long the Swift client takes to send what a person has done without a network, and to open its file.
///
///     sending-benchmark URL
@main struct SendingBenchmark {
    static func main() async throws {
        guard let text = CommandLine.arguments.dropFirst().first, let server = URL(string: text)
        else {
            return print("sending-benchmark URL OF A SERVER")
        }
        print("| what waits | operations | open | send | open afterwards |")
        print("|---|--:|--:|--:|--:|")
        try await Workload(server: server).measure("renames", count: 4_172) { list, count in
            for number in 0..<count {
                try list.update("t\(number % Workload.rows)", TaskChanges(title: "New \(number)"))
            }
        }
        try await Workload(server: server).measure(
            "deletions of two rows, and their undo", count: 1_043
        ) { list, count in
            for number in 0..<count {
                let tasks = (0..<2).map { "t\((2 * number + $0) % Workload.rows)" }
                guard let step = try list.perform(tasks.map { .delete($0) }) else { continue }
                _ = try list.undo(step.plan)
            }
        }
    }
}

private struct Workload {
    static let rows = 2_500

    let server: URL
    let list = "b-\(UUID().uuidString.lowercased())"
    let folder = URL.temporaryDirectory.appending(path: "sending-\(UUID().uuidString)")

    private func open(_ server: URL) async throws -> SyncedList {
        try await ReorderClient(server: server, storage: folder).list(list)
    }

    func measure(
        _ name: String, count: Int, _ act: (SyncedList, _ count: Int) throws -> Void
    ) async throws {
        defer { try? FileManager.default.removeItem(at: folder) }
        let maker = ReorderClient(server: server, storage: folder)
        try await maker.createList(list, title: "L")
        let first = try await open(server)
        for number in 0..<Self.rows { try first.create("Task \(number)", id: "t\(number)") }
        try await settle(first)
        first.close()

        guard let nowhere = URL(string: "http://127.0.0.1:9") else { return }
        let offline = try await open(nowhere)
        try act(offline, count)
        let operations = offline.waitingCount
        offline.close()

        let clock = ContinuousClock()
        let start = clock.now
        let sending = try await open(server)
        let opened = clock.now
        try await settle(sending)
        let sent = clock.now
        sending.close()
        let beforeAgain = clock.now
        let again = try await open(server)
        let openedAgain = clock.now
        again.close()
        print(
            "| \(name) | \(operations) | \(text(opened - start)) | \(text(sent - opened)) "
                + "| \(text(openedAgain - beforeAgain)) |")
    }

    /// Waits until the list of the server has everything.
    private func settle(_ list: SyncedList) async throws {
        while !list.runner.read({ $0.local?.pending.isEmpty == true }) {
            try await Task.sleep(for: .milliseconds(2))
        }
    }

    private func text(_ duration: Duration) -> String {
        let seconds = duration / .seconds(1)
        return "\((seconds * 1_000).rounded() / 1_000) s"
    }
}
