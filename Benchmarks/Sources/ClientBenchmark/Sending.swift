import Foundation

@testable import ReorderClient

/// Measures how long the client takes to send what a person has done without a network, and to open its file.
enum Sending {
    static func measure(with server: URL) async throws {
        print("seconds".padding(40) + " operations      open      send   open afterwards")
        try await Workload(server: server).measure("renames", count: 4_172) { list, ids, count in
            for number in 0..<count {
                try list.update(ids[number % ids.count], TaskChanges(title: "New \(number)"))
            }
        }
        try await Workload(server: server).measure(
            "deletions of two rows, and their undo", count: 1_043
        ) { list, ids, count in
            for number in 0..<count {
                let first = 2 * number % ids.count
                let tasks = ids[first..<(first + 2)]
                guard let step = try list.perform(tasks.map { .delete($0) }) else { continue }
                _ = try list.undo(step.reversal)
            }
        }
    }
}

private struct Workload {
    let server: URL
    let list = UUID().uuidString.lowercased()
    let folder = URL.temporaryDirectory.appending(path: "sending-\(UUID().uuidString)")

    private func open(_ server: URL) async throws -> SyncedList {
        try await ReorderClient(server: server, storage: folder).list(list)
    }

    func measure(
        _ name: String, count: Int,
        _ act: (SyncedList, _ tasks: [TaskID], _ count: Int) throws -> Void
    ) async throws {
        defer { try? FileManager.default.removeItem(at: folder) }
        let maker = ReorderClient(server: server, storage: folder)
        try await maker.createList(list, title: "L")
        let first = try await open(server)
        // A store has each id once.
        let tasks = (0..<2_500).map { "\(list)-\($0)" }
        for (number, task) in tasks.enumerated() { try first.create("Task \(number)", id: task) }
        try await settle(first)
        first.close()

        guard let nowhere = URL(string: "http://127.0.0.1:9") else { return }
        let offline = try await open(nowhere)
        try act(offline, tasks, count)
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
        let times = [opened - start, sent - opened, openedAgain - beforeAgain]
        print(
            name.padding(40) + String(format: "%11d", operations)
                + String(format: "%10.3f%10.3f%18.3f", arguments: times.map { $0 / .seconds(1) }))
        fflush(nil)
    }

    /// Waits until the list of the server has everything.
    private func settle(_ list: SyncedList) async throws {
        while !list.runner.read({ $0.local?.pending.isEmpty == true }) {
            try await Task.sleep(for: .milliseconds(2))
        }
        guard list.unacknowledgedRefusals.isEmpty else { throw ClientError.closed }
    }
}
