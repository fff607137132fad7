import Foundation
import MicroHTTP
import RandomRuns
import ReorderEngine
import ReorderJSON
import Testing

@testable import ReorderClient

/// A device whose disk, network and server have troubles, and what must come of its steps. Nothing is sent or received before the test
/// says so. Time stands still.
struct TroubledDevice {
    private(set) var storage = MemoryStorage()
    private(set) var machine: SyncMachine
    let server: RestorableServer
    private(set) var requests: [(id: Int, request: ClientRequest)] = []

    // What is known of the steps and their operations, each of which creates a task.
    private(set) var steps = 0
    private(set) var titles: [String: String] = [:]
    /// Those that may be sent: they have no response and no change, as the device knows it.
    private(set) var open: Set<String> = []
    /// Those with a response, whose change has not arrived.
    private(set) var answered: Set<String> = []
    /// Those that the server has, and those whose change has arrived.
    private var (applied, arrived): (Set<String>, Set<String>) = ([], [])
    private(set) var refused: Set<String> = []
    /// Those of which the file lacks what has happened last, and those of them whose response it has.
    private var (unstored, unstoredChanges): (Set<String>, Set<String>) = ([], [])
    /// Whether the file lacks anything.
    private(set) var lacksRecords = false
    /// Those that a restore has taken from the list after they had arrived.
    private(set) var lost: Set<String> = []
    /// Whether the file is being rewritten.
    private(set) var isRewriting = false
    private(set) var backup: (count: Int, applied: Set<String>)?

    struct Difference: Error { let text: String }

    init() throws {
        let list = { (tasks: [TaskID]) in
            try ReorderableList(
                settings: ListSettings(title: ""), sections: [],
                tasks: tasks.map { .init(content: TaskContent(id: $0, title: $0)) })
        }
        server = try RestorableServer([
            "l": list(["a", "b"]), "other": list((0..<9).map { "taken\($0)" }),
        ])
        machine = try Self.machine(storage)
        hold()
        try receive()
    }

    static func machine(_ storage: MemoryStorage) throws -> SyncMachine {
        try SyncMachine(
            list: "l", storage: storage, newClient: "me", random: SeededGenerator(seed: 1))
    }

    /// Nothing is sent, and changes are asked for by polls.
    private mutating func hold() {
        machine.writing = .waiting(until: .infinity)
        machine.pollsUntil = .infinity
        machine.outbox.historyBytes = 4_000
    }

    private mutating func update<Value>(
        _ body: (inout SyncMachine) throws -> Value
    ) rethrows -> Value {
        let count = storage.bytes.count
        defer {
            // What could not be stored precedes what is stored.
            if storage.bytes.count > count { forgetUnstored() }
            for effect in machine.takeEffects() {
                switch effect {
                case .start(let id, let request, _): requests.append((id, request))
                case .cancel(let id): requests.removeAll { $0.id == id }
                case .rewriteFile: if !isRewriting { machine.rewriteFile() }
                }
            }
        }
        return try body(&machine)
    }

    // MARK: Steps

    /// What the person wants next: two tasks. Made again, they have other ids.
    ///
    /// - Parameter isRefused: whether another list has the id of the last one.
    private func commands(isRefused: Bool = false) -> [Command] {
        (0..<2).map { index in
            let id = isRefused && index == 1 ? "taken\(steps)" : UUID().uuidString
            return .create(TaskContent(id: id, title: "\(steps).\(index)"), at: Destination())
        }
    }

    private mutating func note(step ids: [String]) {
        for (index, id) in ids.enumerated() { titles[id] = "\(steps).\(index)" }
        open.formUnion(ids)
        steps += 1
    }

    /// The person makes a step, and makes it again when the disk has room.
    mutating func make(isRefused: Bool = false) throws {
        while true {
            do {
                let commands = commands(isRefused: isRefused)
                let step = try update { try $0.perform(commands, at: 0) }
                return note(step: step?.ids ?? [])
            } catch {
                guard storage.isFull else { throw error }
                try check()
                storage.appendsLeft = nil
            }
        }
    }

    /// The app ends while it stores a step, of which it has written some bytes. The person makes it again.
    mutating func makeTorn() throws {
        let count = storage.bytes.count
        let former = (unstored, unstoredChanges, lacksRecords)
        _ = try update { [commands = commands()] in try $0.perform(commands, at: 0) }
        // What could not be stored before precedes the step, so the file lacks it too.
        (unstored, unstoredChanges, lacksRecords) = former
        try restart(Array(storage.bytes.prefix(count + 20)))
        try make()
    }

    /// Extensions have made two steps, of which the app takes over as many as the disk has room for, and all of them later.
    ///
    /// - Parameter meanwhile: what happens before the disk has room.
    mutating func adopt(
        appendsLeft: Int?, meanwhile: (inout Self) throws -> Void = { _ in }
    ) throws {
        var inbox: [PendingOperation] = []
        for _ in 0..<2 {
            let step = PendingOperation.step(of: commands())
            inbox += step
            steps += 1
            for operation in step {
                guard case .create(let task, _) = operation.command else { continue }
                titles[operation.id] = task.title
            }
        }
        storage.appendsLeft = appendsLeft
        for _ in 0..<2 {
            do {
                defer { open.formUnion(inbox.map(\.id).filter { id in has(id) }) }
                try update { try $0.adopt(inbox, at: 0) }
            } catch {
                guard storage.isFull else { throw error }
            }
            try check()
            try meanwhile(&self)
            storage.appendsLeft = nil
        }
    }

    private func has(_ id: String) -> Bool {
        machine.local?.waiting.contains { $0.id == id } ?? false
    }

    // MARK: The network and the disk

    mutating func whileFull(_ body: (inout Self) throws -> Void) rethrows {
        storage.isFull = true
        try body(&self)
        storage.isFull = false
    }

    /// Sends all steps that wait.
    mutating func send(losesResponse: Bool = false) throws {
        update { machine in
            machine.writing = .waiting(until: 0)
            machine.advance(to: 0)
        }
        defer { hold() }
        guard let request = take({ $0.method == "POST" }) else { return }
        let ids = String(decoding: request.request.body, as: UTF8.self)
            .matches(of: /"opId":"([\w.-]+)"/).map { String($0.output.1) }
        if Set(ids).count < ids.count { throw Difference(text: "sent twice in \(ids)") }
        if !open.isSuperset(of: ids) {
            throw Difference(text: "sent again: \(Set(ids).subtracting(open).sorted())")
        }
        let response = server.respond(to: request.request)
        let results = try BatchResponse(json: response.body, count: ids.count)
        let kept = Set(zip(ids, results.problems).filter { $1 == nil }.map(\.0))
        applied.formUnion(kept)
        let isOfBase = response.headers["ETag"]?.contains(machine.local?.epoch ?? "") == true
        receive(losesResponse ? nil : response, of: request.id)
        // A response of a restored server is not that of the list's past.
        guard isOfBase, !losesResponse else { return }
        open.subtract(ids)
        answered.formUnion(kept.subtracting(arrived))
        refused.formUnion(Set(ids).subtracting(kept))
        note(ids)
    }

    /// Receives everything that the server has.
    mutating func receive() throws {
        for _ in 0..<9 {
            update { machine in
                if case .waiting = machine.reading { machine.reading = .waiting(until: 0) }
                machine.advance(to: 0)
            }
            guard let request = take({ $0.method == "GET" }) else { break }
            let epoch = machine.local?.epoch
            let response = server.respond(to: request.request)
            receive(response, of: request.id)
            if request.request.target.contains("/changes?") {
                guard response.status == 200 else { continue }
                note(arrived: applied.subtracting(arrived), isChange: true)
                if String(decoding: response.body, as: UTF8.self).contains(#""changes":[]"#) {
                    return
                }
            } else {
                if epoch == machine.local?.epoch {
                    note(arrived: answered, isChange: false)
                } else {
                    open.formUnion(answered)
                    note(Array(answered))
                    answered = []
                }
                // Those without a response wait: nothing says that the document has them.
                arrived = applied
            }
        }
        throw Difference(text: "there is always something new")
    }

    private mutating func note(arrived ids: Set<String>, isChange: Bool) {
        if isChange { open.subtract(ids) }
        if storage.isFull {
            unstoredChanges.formUnion(answered.intersection(ids).subtracting(unstored))
        }
        answered.subtract(ids)
        arrived.formUnion(ids)
        note(Array(ids))
    }

    /// Something has happened to operations.
    private mutating func note(_ ids: [String]) {
        guard storage.isFull else { return }
        unstored.formUnion(ids)
        lacksRecords = true
    }

    private mutating func take(
        _ isMeant: (ClientRequest) -> Bool
    ) -> (id: Int, request: ClientRequest)? {
        requests.lastIndex { isMeant($0.request) }.map { requests.remove(at: $0) }
    }

    /// - Parameter response: nil: it is lost.
    private mutating func receive(_ response: Response?, of id: Int) {
        update { machine in
            guard let response else {
                return machine.receive(.end(isComplete: false), of: id, at: 0)
            }
            let fields = response.headers.fields.map { ($0.name.lowercased(), $0.value) }
            let headers = Dictionary(fields, uniquingKeysWith: { first, _ in first })
            machine.receive(.head(status: response.status, headers: headers), of: id, at: 0)
            machine.receive(.bytes(response.body), of: id, at: 0)
            machine.receive(.end(isComplete: true), of: id, at: 0)
        }
    }

    // MARK: The app and its file

    /// The app ends and starts again.
    ///
    /// - Parameter bytes: what is left of its file.
    mutating func restart(_ bytes: [UInt8]? = nil) throws {
        storage = MemoryStorage(bytes ?? storage.bytes)
        machine = try Self.machine(storage)
        requests = []
        hold()
        // Without a record of their response or change they wait again.
        open.formUnion(unstored.subtracting(unstoredChanges))
        arrived.subtract(unstored)
        answered.subtract(unstored)
        answered.formUnion(unstoredChanges)
        refused.subtract(unstored)
        forgetUnstored()
    }

    private mutating func forgetUnstored() {
        (unstored, unstoredChanges, lacksRecords) = ([], [], false)
    }

    /// The file, which is mostly history, is rewritten while other things happen.
    ///
    /// - Parameter before: happens before the new file is written.
    mutating func rewrite(
        before: (inout Self) throws -> Void = { _ in }, after: (inout Self) throws -> Void
    ) throws {
        isRewriting = true
        defer { isRewriting = false }
        update { $0.appendRecord(.change(Array(repeating: 0, count: 10_000))) }
        let file = try #require(machine.beginRewriting()?.file)
        try before(&self)
        let isPrepared = (try? storage.prepare(file)) != nil
        try after(&self)
        machine.endRewriting(preparedBytes: isPrepared ? file.count : nil)
    }

    // MARK: The server's store

    mutating func backUp() { backup = (server.backup, applied) }

    mutating func restore() throws {
        guard let backup else { return }
        try server.restore(backup.count)
        lost.formUnion(
            arrived.subtracting(backup.applied).subtracting(open).subtracting(answered))
        applied = backup.applied
    }
}
