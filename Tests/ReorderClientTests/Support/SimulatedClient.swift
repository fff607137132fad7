import RandomRuns
import ReorderEngine
import Testing

@testable import ReorderClient

/// One device: a machine, its storage, and a table view that applies the deltas.
struct SimulatedClient {
    let name: String
    private(set) var storage: MemoryStorage
    var machine: SyncMachine
    /// The number of starts. Events for an earlier one are ignored.
    private(set) var life = 0
    /// The time of the next scheduled wake-up.
    var wakesAt: Double?
    /// All requests fail before this time.
    var offlineUntil = 0.0
    private(set) var refused: [Refused] = []
    /// The user's operations that no crash lost, in the form in which they are sent.
    private(set) var operations: [String: [UInt8]] = [:]
    private var made = 0
    /// The table view's rows, and the state that they display.
    private var rows: [ListTask] = []
    private var shown: ReorderableList?

    init(name: String, seed: UInt64) throws {
        self.name = name
        storage = MemoryStorage()
        machine = try Self.machine(name, storage, seed)
    }

    private static func machine(
        _ name: String, _ storage: MemoryStorage, _ seed: UInt64
    ) throws -> SyncMachine {
        try SyncMachine(
            list: "l", storage: storage, newClient: name, random: SeededGenerator(seed: seed))
    }

    var displayed: ReorderableList? { machine.local?.displayed }
    var pendingCount: Int { machine.local?.pending.count ?? 0 }

    /// Returns the machine's effects, and updates the table view.
    mutating func takeEffects() -> [SyncMachine.Effect] {
        refused += machine.takeRefusals()
        let touched = machine.takeTouched()
        if let displayed {
            if let shown {
                let delta = RowDelta(from: shown, to: displayed, touched: touched)
                rows = delta.applied(to: rows) { displayed.task(atRow: $0) ?? rows[0] }
            } else {
                rows = displayed.tasks(fromRow: 0, limit: displayed.rowCount)
            }
            shown = displayed
        }
        return machine.takeEffects()
    }

    /// Whether the table view displays the list's rows. Deltas do not report times.
    var showsItsRows: Bool {
        guard let displayed else { return true }
        return displayed.rowCount == rows.count
            && zip(rows, displayed.tasks(fromRow: 0, limit: rows.count)).allSatisfy { old, new in
                var content = old.content
                content.times = new.content.times
                return content == new.content && old.depth == new.depth
                    && old.subtasks == new.subtasks
            }
    }

    /// Performs a user's operation.
    ///
    /// - Throws: if the list's rules refuse it.
    mutating func perform(_ intent: Intent, at now: Double) throws {
        made += 1
        let id = "\(name).\(life).\(made)"
        guard try machine.apply(intent, id: id, at: now) else { return }
        operations[id] = machine.local?.pending.last.map { SyncMachine.json($0) }
    }

    /// The device crashes: bytes that were not synced may survive completely, in part or not at
    /// all.
    mutating func end(_ random: inout SeededGenerator) throws {
        let file = storage.bytes
        let kept = storage.synced + random.below(file.count - storage.synced + 1)
        let before = Set(machine.local?.pending.map(\.id) ?? [])
        storage = MemoryStorage(Array(file.prefix(kept)))
        life += 1
        wakesAt = nil
        machine = try Self.machine(name, storage, random.next())
        let lost = before.subtracting(machine.local?.pending.map(\.id) ?? [])
        // Operations are synced before they are sent, so only unsent ones can be lost.
        for id in lost { operations[id] = nil }
        shown = nil
    }
}
