import Foundation
import MicroHTTP
import RandomRuns
import ReorderClient
import ReorderEngine
import ReorderJSON
import ReorderService

/// A device that runs the client library's state machine.
final class SyncClient: Part {
    private let world: World
    private let list: String
    private var machine: SyncMachine?
    private var sendings: [Int: Sending] = [:]
    private var storage = DeviceStorage()
    private var commands: RandomCommands
    private var made = 0
    private var life = 0
    private var nextEdit: UInt64 = 0
    /// The disk of the device is full until this time.
    private var fullUntil: UInt64 = 0
    private var operations = DeviceOperations()
    /// The operations that were sent, and those in requests with a response.
    private var sent: Set<String> = []
    private var answered: Set<String> = []
    /// The operations that waited when the device was last looked at.
    private var waiting: Set<String> = []
    private var table: TableView?
    private var refusalChanges = 0

    init(_ name: String, _ world: World) {
        self.world = world
        list = Writer.list(world.scheduler.random.below(world.scenario.lists))
        commands = RandomCommands(name: name)
        super.init(name)
        rests = true
        start()
        world.scheduler.add(self)
    }

    /// Whether everything is sent and received.
    var isInSync: Bool {
        let journal = world.checker.journal
        guard let list = journal.lists[list]?.list, let local = machine?.local else {
            // A deleted list is shown in its last state.
            return journal.lists[self.list]?.list == nil
        }
        return local.pending.isEmpty && local.version == journal.version(self.list)
            && local.epoch == journal.epoch && local.displayed == list
    }

    var state: String {
        "\(name) \(list) v\(machine?.local?.version ?? 0) of v\(world.checker.journal.version(list)), "
            + "\(machine?.local?.pending.count ?? 0) pending"
    }

    private var now: Double { Double(world.scheduler.now) / 1e9 }

    private func start() {
        life += 1
        let seed = world.scheduler.random.next()
        machine = try? SyncMachine(
            list: list, storage: storage, newClient: name, random: SeededGenerator(seed: seed))
        refusalChanges = 0
        nextEdit = world.scheduler.now
        due = world.scheduler.now
    }

    /// The device loses its network for some time, or has it again.
    func setAway(_ isAway: Bool) {
        guard isAway else {
            nextEdit = world.scheduler.now
            due = world.scheduler.now
            return
        }
        for (id, sending) in sendings.sorted(by: { $0.key < $1.key }) {
            sendings[id] = nil
            sending.cancel()
            machine?.receive(.end(isComplete: false), of: id, at: now)
        }
        due = .max
    }

    override func step() {
        guard !world.isAway else { return }
        if storage.isFull, world.isEnding || world.scheduler.now >= fullUntil {
            storage.isFull = false
        } else if world.has(.full, percent: pending.isEmpty ? 2 : 20) {
            let milliseconds = UInt64(world.scheduler.random.below(4_000))
            fullUntil = world.scheduler.now + milliseconds * Scheduler.millisecond
            storage.isFull = true
        }
        machine?.advance(to: now)
        let waitsOnFullDisk = storage.isFull && !pending.isEmpty
        if !world.isEnding, waitsOnFullDisk, world.has(.crash, percent: 40) { crash() }
        if !world.isEnding, world.scheduler.now >= nextEdit {
            if world.has(.crash, percent: 2) {
                crash()
            } else {
                edit()
            }
            let pause = UInt64(world.scheduler.random.below(3_000)) * Scheduler.millisecond
            nextEdit = world.scheduler.now + pause
        }
        follow()
    }

    /// The app ends; bytes that were not synced may be lost.
    private func crash() {
        noteChanges()
        if storage.isFull, !waiting.isEmpty {
            world.checker.reach("a device with a full disk ends while steps wait")
        }
        world.scheduler.tell("\(name) ends and starts again")
        for sending in sendings.values { sending.cancel() }
        sendings = [:]
        let kept =
            storage.synced
            + world.scheduler.random.below(storage.bytes.count - storage.synced + 1)
        storage = DeviceStorage(Array(storage.bytes.prefix(kept)))
        let before = pending
        start()
        // Operations are synced before they are sent, so only unsent ones can be lost.
        let lost = before.subtracting(pending)
        if !lost.isDisjoint(with: sent.subtracting(answered)) {
            world.checker.fail("a sent operation survives a crash", "\(name): \(lost.sorted())")
        }
        operations.remove(lost)
        waiting = pending
        let ids = machine?.local?.pending.map(\.id) ?? []
        if ids.count != waiting.count {
            world.checker.fail("a step waits once", "\(name): \(ids)")
        }
        table = nil
    }

    private var pending: Set<String> { Set(machine?.local?.pending.map(\.id) ?? []) }

    private func edit() {
        guard let displayed = machine?.local?.displayed else { return }
        made += 1
        let id = "\(name)-\(life)-\(made)"
        // Some edits are steps of several operations.
        let count = world.scheduler.random.chance(20) ? 2 + world.scheduler.random.below(3) : 1
        for index in 0..<count {
            let command = commands.next(
                on: machine?.local?.displayed ?? displayed, &world.scheduler.random)
            edit(command, id: count == 1 ? id : "\(id).\(index)")
        }
        machine?.advance(to: now)
    }

    private func edit(_ command: Command, id: String) {
        // A refused edit changes nothing.
        let step = try? machine?.perform([command], id: id, at: now, sends: false)
        guard step != nil, let operation = machine?.local?.pending.last else { return }
        let text = String(decoding: operation.json(), as: UTF8.self)
        operations.add(id, text, operation.command)
    }

    /// Shows the list in the table view.
    private func show() {
        let touched = machine?.takeTouched() ?? .all
        guard let displayed = machine?.local?.displayed else { return }
        if table == nil { table = TableView(displayed) }
        if let difference = table?.show(displayed, touched: touched) {
            world.checker.fail("a table view shows the rows", "\(name): \(list), \(difference)")
        }
    }

    /// Checks at the end that each operation of the user is in the journal or was refused. On a
    /// deleted list they can wait until it exists again.
    func checkEnd() {
        guard world.checker.journal.lists[list]?.list != nil else { return }
        if let difference = operations.difference(world.checker) {
            world.checker.fail("no operation is lost", "\(name): \(difference)")
        }
    }

    /// Operations wait no longer, because the device has received their changes or their refusal.
    private func noteChanges() {
        let ended = waiting.subtracting(pending)
        waiting = pending
        operations.receiveChanges(ended.filter(world.checker.hasChange))
    }

    private func follow() {
        show()
        noteChanges()
        if let machine, machine.refusalChanges != refusalChanges {
            refusalChanges = machine.refusalChanges
            operations.report(machine.refusals.map(\.id))
        }
        guard !world.isAway else { return }
        for effect in machine?.takeEffects() ?? [] {
            switch effect {
            case .start(let id, let request, let isWrite):
                if isWrite { storage.synced = storage.bytes.count }
                send(request, id)
            case .cancel(let id): sendings.removeValue(forKey: id)?.cancel()
            case .rewriteFile: machine?.rewriteFile()
            }
        }
        var next = world.isEnding ? UInt64.max : nextEdit
        if let deadline = machine?.nextDeadline, deadline.isFinite {
            next = min(next, UInt64(max(0, deadline) * 1e9) + 1)
        }
        due = max(next, world.scheduler.now)
    }

    private func receive(_ event: TransportEvent, _ id: Int, _ life: Int) {
        guard life == self.life else { return }
        machine?.receive(event, of: id, at: now)
        if let local = machine?.local, local.epoch == world.checker.journal.epoch {
            world.checker.shows(list, local.version, name)
        }
        follow()
    }

    private func send(_ request: ClientRequest, _ id: Int) {
        let method = HTTPMethod(rawValue: request.method)
        let kind: Intention.Kind = request.target.contains("/events") ? .events : .sync
        let intention = Intention(
            "\(name).\(life).\(id)", kind, method, request.target,
            String(decoding: request.body, as: UTF8.self), list: list)
        for (name, value) in request.headers { intention.headers.append((name, value)) }
        let ids = ids(in: intention.body)
        sent.formUnion(ids)
        if !ids.isEmpty {
            guard let commands = operations.commands(of: ids, in: intention.body) else {
                return world.checker.fail("an operation is sent as it was made", "\(name): \(ids)")
            }
            intention.decision = .batch(commands, form(of: intention.body))
            intention.operations = ids
        }
        let life = life
        let attempt = world.checker.attempt(intention)
        let sending = Sending(attempt, to: world.server(), world) { [weak self] response in
            guard let self else { return }
            let response = pass(response)
            if let response, response.isOfServer, self.life == life {
                operations.receive(
                    status: response.status, response.plainBody, to: ids,
                    after: attempt.answeredAfter)
                if response.status == 200 { answered.formUnion(ids) }
            }
            receive(response, id, life)
        }
        sendings[id] = sending
        sending.losesPieces = world.scenario.faults.contains(.proxy)
        sending.onEvents = { [weak self] bytes in
            self?.receive(
                bytes.map { .bytes($0) } ?? .end(isComplete: true), id, life)
        }
    }

    /// What proxies and login pages answer. A device must send the request again after each of them.
    private static let foreign = [
        200, 204, 302, 400, 401, 403, 404, 405, 407, 408, 409, 410, 413, 422, 425, 429, 500, 502,
        503, 504,
    ]

    /// The response that arrives. At times something on the way sends its own one instead.
    private func pass(_ response: Response?) -> Response? {
        guard let response, response.stream == nil, world.has(.proxy, percent: 10) else {
            return response
        }
        let index = world.scheduler.random.below(Self.foreign.count)
        var page = Response(status: Self.foreign[index], body: Array("<p>Welcome</p>".utf8))
        page.headers.add("Content-Type", "text/html")
        return page
    }

    private func form(of body: String) -> Batch.Form {
        guard let steps = ParsedJSON.object(Array(body.utf8))?["steps"] as? [[Any]] else {
            return .separate
        }
        var end = 0
        return .steps(
            steps.map { step in
                defer { end += step.count }
                return end..<end + step.count
            })
    }

    /// The ids of a batch's operations.
    private func ids(in body: String) -> [String] {
        body.components(separatedBy: "\"opId\":\"").dropFirst().map {
            String($0.prefix { $0 != "\"" })
        }
    }

    private func receive(_ response: Response?, _ id: Int, _ life: Int) {
        guard life == self.life else { return }
        guard let response else {
            // At times the device does not notice that the connection is broken.
            if world.has(.network, percent: 20) { return }
            sendings[id] = nil
            return receive(.end(isComplete: false), id, life)
        }
        var headers: [String: String] = [:]
        for field in response.headers.fields { headers[field.name.lowercased()] = field.value }
        receive(.head(status: response.status, headers: headers), id, life)
        guard response.stream == nil else { return }
        receive(.bytes(response.body), id, life)
        sendings[id] = nil
        receive(.end(isComplete: true), id, life)
    }
}

extension Response {
    /// Whether the server has sent it.
    fileprivate var isOfServer: Bool { headers["Content-Type"]?.hasPrefix("text/html") != true }
}
