import Foundation
import RandomRuns
import ReorderEngine

@testable import ReorderClient

/// A person with a device: the client as apps have it, behind a network of its own.
///
/// Unchecked: its own task alone uses it while it lives, the test alone before and after.
final class ConvergenceDevice: @unchecked Sendable {
    let name: String
    let proxy: CuttingProxy
    private(set) var list: SyncedList
    /// The operations that were taken, in order.
    private(set) var operations: [PendingOperation] = []
    /// What it is called in the changes that it makes.
    let identity: String
    private(set) var reopenings = 0
    private let storage: URL
    private var random: SeededGenerator
    private var intents: RandomIntents
    private var made = 0

    init(_ name: String, server: Int, folder: URL, seed: UInt64) async throws {
        self.name = name
        random = SeededGenerator(seed: seed)
        proxy = try CuttingProxy(server: server, seed: random.next())
        intents = RandomIntents(name: name)
        storage = folder.appending(path: name)
        list = try await Self.open(storage, proxy.port)
        identity = list.runner.read(\.client)
    }

    private static func open(_ storage: URL, _ port: Int) async throws -> SyncedList {
        guard let url = URL(string: "http://127.0.0.1:\(port)") else { throw URLError(.badURL) }
        return try await ReorderClient(server: url, storage: storage).list("l")
    }

    /// Does so many things, and has bad luck in between.
    ///
    /// - Parameter pauseSeconds: between two of them, on average.
    func live(operations count: Int, pauseSeconds: Double) async throws {
        while operations.count < count {
            try await Task.sleep(for: .seconds(seconds(0...(2 * pauseSeconds))))
            act()
            switch random.below(1_000) {
            case 0..<12: try await goOffline()
            case 12..<18: try await reopen()
            default: break
            }
        }
    }

    private func seconds(_ range: ClosedRange<Double>) -> Double {
        Double.random(in: range, using: &random)
    }

    private func goOffline() async throws {
        proxy.setOnline(false)
        for _ in 0..<random.below(20) {
            try await Task.sleep(for: .seconds(seconds(0.01...0.4)))
            act()
        }
        proxy.setOnline(true)
        if random.chance(50) { list.retryNow() }
    }

    /// The app ends in the midst of it, and starts again on what is on the disk.
    private func reopen() async throws {
        list.close()
        list = try await Self.open(storage, proxy.port)
        reopenings += 1
    }

    /// Does something that changes what is shown. What the rules forbid is not counted.
    private func act() {
        made += 1
        let id = "\(name)-\(made)"
        let intent = marked(intents.next(on: list.snapshot, &random), id)
        let operation = list.runner.update { machine, now -> PendingOperation? in
            guard (try? machine.perform(intent, id: id, at: now)) == true else { return nil }
            return machine.model?.pending.last
        }
        if let operation { operations.append(operation) }
    }

    /// Titles that occur once in the world, so that what was done twice would be seen.
    private func marked(_ intent: Intent, _ id: String) -> Intent {
        switch intent {
        case .update(let task, let changes) where changes.title != nil:
            return .update(task, TaskChanges(title: id))
        case .renameSection(let section, _): return .renameSection(section, title: id)
        case .settings(let update) where update.title != nil:
            return .settings(SettingsUpdate(title: id))
        default: return intent
        }
    }
}
