import RandomRuns
import ReorderEngine
import Testing

@testable import ReorderClient

/// One device: a machine, its storage, and a table view that follows the deltas.
struct SimulatedClient {
    let name: String
    private(set) var storage: MemoryStorage
    var machine: SyncMachine
    /// Counts the starts: what belongs to an earlier one comes too late.
    private(set) var life = 0
    /// When the world wakes it next.
    var wakesAt: Double?
    /// No request gets through before.
    var offlineUntil = 0.0
    private(set) var refused: [Refused] = []
    /// The operations that the person did and that no sudden end took with it, as they are sent.
    private(set) var operations: [String: [UInt8]] = [:]
    private var made = 0
    /// What the table view shows, and what it was told last.
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

    var displayed: ReorderableList? { machine.model?.displayed }
    var pendingCount: Int { machine.model?.pending.count ?? 0 }

    /// What the machine has to say is taken, and the table view follows.
    mutating func takeActions() -> [SyncMachine.Action] {
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
        return machine.takeActions()
    }

    /// Whether the table view shows the rows that the list has.
    var showsItsRows: Bool {
        guard let displayed else { return true }
        return displayed.rowCount == rows.count
            && zip(rows, displayed.tasks(fromRow: 0, limit: rows.count)).allSatisfy { old, new in
                old.content == new.content && old.depth == new.depth
                    && old.subtasks == new.subtasks
            }
    }

    /// The person does something.
    ///
    /// - Throws: where the list's rules say no.
    mutating func perform(_ intent: Intent, at now: Double) throws {
        made += 1
        let id = "\(name).\(life).\(made)"
        guard try machine.perform(intent, id: id, at: now) else { return }
        operations[id] = machine.model?.pending.last.map { SyncMachine.json($0) }
    }

    /// The device fails at this moment: what was not synced may be there, in part or not at all.
    mutating func end(_ random: inout SeededGenerator) throws {
        let file = storage.bytes
        let kept = storage.synced + random.below(file.count - storage.synced + 1)
        let before = Set(machine.model?.pending.map(\.id) ?? [])
        storage = MemoryStorage(Array(file.prefix(kept)))
        life += 1
        wakesAt = nil
        machine = try Self.machine(name, storage, random.next())
        let lost = before.subtracting(machine.model?.pending.map(\.id) ?? [])
        // Those settled are synced before they are sent, so that only unsent ones can be lost.
        for id in lost { operations[id] = nil }
        shown = nil
    }
}
