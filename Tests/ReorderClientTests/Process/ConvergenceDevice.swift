import Foundation
import RandomRuns
import ReorderEngine
import ReorderJSON
import Simulation

@testable import ReorderClient

/// A user with a device: the client as in an app, with a network of its own.
///
/// Unchecked: only its own task uses it while that task runs; only the test uses it before and
/// after.
final class ConvergenceDevice: @unchecked Sendable {
    let name: String
    let proxy: CuttingProxy
    private(set) var list: SyncedList
    /// The accepted operations, in order.
    private(set) var operations: [PendingOperation] = []
    private(set) var reopenings = 0
    private let storage: URL
    private var random: SeededGenerator
    private var commands: RandomCommands
    private var made = 0

    init(_ name: String, server: Int, folder: URL, seed: UInt64) async throws {
        self.name = name
        random = SeededGenerator(seed: seed)
        proxy = try CuttingProxy(server: server, seed: random.next())
        commands = RandomCommands(name: name)
        storage = folder.appending(path: name)
        list = try await Self.open(storage, proxy.port)
    }

    private static func open(_ storage: URL, _ port: Int) async throws -> SyncedList {
        guard let url = URL(string: "http://127.0.0.1:\(port)") else { throw URLError(.badURL) }
        return try await ReorderClient(server: url, storage: storage).list("l")
    }

    /// Performs operations, with network failures and restarts in between.
    ///
    /// - Parameter pauseSeconds: the average pause between two operations.
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
        if random.chance(50) { list.runner.retryNow() }
    }

    /// The app ends abruptly, and starts again from its files.
    private func reopen() async throws {
        list.close()
        list = try await Self.open(storage, proxy.port)
        reopenings += 1
    }

    /// Performs an operation that changes the list, or a step of several. Operations refused by the rules are not
    /// counted.
    private func act() {
        let snapshot = list.snapshot
        if random.chance(10) {
            let step = (0..<(2 + random.below(3))).map { _ in commands.next(on: snapshot, &random) }
            operations += list.runner.update { machine, now in
                let step = try? machine.perform(step, at: now)
                return (machine.local?.pending ?? []).suffix(step?.ids.count ?? 0)
            }
            return
        }
        made += 1
        let id = "\(name)-\(made)"
        let command = commands.next(on: snapshot, &random)
        let operation = list.runner.update { machine, now -> PendingOperation? in
            guard (try? machine.perform([command], id: id, at: now)) != nil else { return nil }
            return machine.local?.pending.last
        }
        if let operation { operations.append(operation) }
    }
}
