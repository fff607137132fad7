import Foundation
import RandomRuns
import ReorderEngine
import ReorderJSON
import Simulation
import Testing

@testable import ReorderClient

/// Random operations of a device and of others, delivered late and in pieces.
@Suite struct LocalListTests {
    private static let steps = 100

    /// The device shows the server's list with the pending operations that are not in it, and so does a table view that replaces only
    /// the touched rows.
    ///
    /// - Parameter alwaysRebased: 0: the times of the person's own changes wait while others follow.
    @Test(arguments: [256, 0])
    func theDisplayedListIsTheServersWithThePendingOperations(_ alwaysRebased: Int) throws {
        for number in 0...RandomRun.operations(percent: 50) / Self.steps {
            var device = try DeviceUnderTest(
                seed: RandomRun.seed &+ UInt64(number), alwaysRebased)
            for step in 0..<Self.steps {
                let touched = device.step()
                let difference = device.difference(touched)
                try #require(difference == nil, "seed \(device.seed), step \(step)")
            }
        }
    }
}

/// A device's copy of a list, the server's list, and what is on its way between them.
private struct DeviceUnderTest {
    let seed: UInt64
    private(set) var local: LocalList
    private var server: ReorderableList
    private var version = 0
    private var random: SeededGenerator
    private var own = RandomCommands(name: "me")
    private var others = RandomCommands(name: "other")
    /// The changes that the device has not received yet.
    private var changes: [ChangeDocument] = []
    /// The number of operations in the current batch, and the version of its response.
    private var batch: (ids: [String], version: Int)?
    private var made = 0
    private var table: TableView

    init(seed: UInt64, _ alwaysRebased: Int) throws {
        self.seed = seed
        random = SeededGenerator(seed: seed)
        server = try ReorderableList(
            settings: ListSettings(title: "l"), sections: [(id: "s", title: "S")],
            tasks: (0..<8).map {
                .init(
                    content: TaskContent(id: "t\($0)", title: "t"), section: $0 < 5 ? nil : "s")
            })
        local = LocalList(base: server, at: SyncPoint(version: 0))
        local.alwaysRebased = alwaysRebased
        table = TableView(local.displayed)
    }

    /// Does something at random, and returns the rows that it affects.
    mutating func step() -> TouchedRows {
        switch random.below(100) {
        case 0..<35: return edit()
        case 35..<60: editElsewhere()
        case 60..<75: return deliver()
        case 75..<85: return send()
        case 85..<93: return settle()
        case 93..<95: return local.updatePending { $0.discardWaiting() }
        case 95..<97: return adopt()
        case 97..<99: return refuse()
        default: return fetch()
        }
        return .operations([])
    }

    /// Makes an operation, or a step of several.
    private mutating func edit() -> TouchedRows {
        made += 1
        let count = random.chance(30) ? 2 + random.below(2) : 1
        var touched = TouchedRows.operations([])
        for index in 0..<count {
            let command = own.next(on: local.displayed, &random)
            let id = count == 1 ? "\(made)" : "\(made).\(index)"
            guard let applied = try? local.applying([command], id: id) else { continue }
            touched.add(local.add(applied))
        }
        return touched
    }

    private mutating func editElsewhere() {
        // Often a setting that decides which of the pending operations are possible.
        let command =
            random.chance(30)
            ? Command.settings(
                SettingsUpdate(
                    moves: random.chance(50) ? .siblings : .anywhere,
                    tasksPerParent: random.chance(50) ? .set(1 + random.below(3)) : .remove))
            : others.next(on: server, &random)
        change([command])
    }

    /// The server does what is possible.
    private mutating func change(_ commands: [Command], opID: String? = nil) {
        let at = Date(timeIntervalSince1970: Double(version))
        let former = server
        server.changeStamp = ChangeStamp(time: Int64(version) * 1_000)
        var operations: [ListOperation] = []
        do {
            operations = try Self.apply(commands, to: &server)
        } catch {
            return server = former
        }
        guard !operations.isEmpty else { return }
        version += 1
        changes.append(
            ChangeDocument(
                version: version, at: at, client: nil, opID: opID, operations: operations))
    }

    /// Applies a step. There must be room for its tasks only at its end.
    private static func apply(
        _ step: [Command], to list: inout ReorderableList
    ) throws -> [ListOperation] {
        _ = try LocalList(base: list, at: SyncPoint(version: 0)).applying(step, id: "")
        list.checksLimits = false
        defer { list.checksLimits = true }
        return try step.flatMap { try $0.apply(to: &list).operations }
    }

    private mutating func deliver() -> TouchedRows {
        let count = min(changes.count, 1 + random.below(3))
        let arriving = Array(changes.prefix(count))
        changes.removeFirst(count)
        return local.receive(arriving).1
    }

    private mutating func send() -> TouchedRows {
        guard batch == nil, !local.waiting.isEmpty else { return .operations([]) }
        var rest = local.waiting[...]
        var ids: [String] = []
        for _ in 0...random.below(4) where !rest.isEmpty {
            let step = rest.prefix(PendingOperation.stepLength(in: rest))
            change(step.map(\.command), opID: step.first?.id)
            ids += step.map(\.id)
            rest = rest[step.endIndex...]
        }
        batch = (ids, version)
        return .operations([])
    }

    private mutating func settle() -> TouchedRows {
        guard let batch else { return .operations([]) }
        self.batch = nil
        let versions = batch.ids.map { ($0, batch.version) }
        return local.updatePending { $0.answer(Dictionary(uniqueKeysWithValues: versions)) }
    }

    /// Takes over an operation that was made on the server's list, perhaps one that is impossible here.
    private mutating func adopt() -> TouchedRows {
        made += 1
        let adopted = PendingOperation(id: "\(made)", command: own.next(on: server, &random))
        guard let stored = try? PendingOperation(json: adopted.json()) else {
            return .operations([])
        }
        return .operations(local.restore([stored]))
    }

    /// The server refuses a step that waits and is not on its way.
    private mutating func refuse() -> TouchedRows {
        guard batch == nil, let first = local.waiting.randomElement(using: &random) else {
            return .operations([])
        }
        let step = local.waiting.filter {
            $0.id == first.id || $0.step != nil && $0.step == first.step
        }
        return local.updatePending { $0.remove(Set(step.map(\.id))) }
    }

    /// Fetches the server's list.
    private mutating func fetch() -> TouchedRows {
        changes = []
        _ = local.replaceBase(server, at: SyncPoint(version: version))
        return .all
    }

    /// The first difference from what the device must show; nil means none.
    mutating func difference(_ touched: TouchedRows) -> String? {
        var expected = local.base
        expected.changeStamp = nil
        var rest = local.pending[...]
        while !rest.isEmpty {
            let step = rest.prefix(PendingOperation.stepLength(in: rest))
            let former = expected
            do {
                _ = try Self.apply(step.map(\.command), to: &expected)
            } catch {
                expected = former
            }
            rest = rest[step.endIndex...]
        }
        for operation in local.pending {
            let json = operation.json()
            let stored = (try? PendingOperation(json: json)).map { $0.json() }
            if stored != json { return "an operation as it is stored" }
        }
        let hasTimes = local.pending.count <= local.alwaysRebased
        if hasTimes ? local.displayed != expected : !local.displayed.looks(like: expected) {
            return "the displayed list"
        }
        if changes.isEmpty {
            if local.base != server { return "the server's list" }
            if local.pending.count > local.waiting.count { return "an answered step" }
        }
        return table.show(local.displayed, touched: touched)
    }
}

extension ReorderableList {
    /// Whether both lists are equal, except for times.
    fileprivate func looks(like other: ReorderableList) -> Bool {
        let withoutTimes = { (list: ReorderableList) in
            list.tasks.map { task in
                var task = task
                task.content.stamps = TaskStamps()
                return task
            }
        }
        return settings == other.settings && sections == other.sections
            && withoutTimes(self) == withoutTimes(other)
    }
}
