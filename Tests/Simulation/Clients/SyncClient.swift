import MicroHTTP
import RandomRuns
import ReorderClient
import ReorderEngine

/// A device that runs the client library's state machine.
final class SyncClient: Part {
    private let world: World
    private let list: String
    private var machine: SyncMachine?
    private var sendings: [Int: Sending] = [:]
    private var storage = DeviceStorage()
    private var made = 0
    private var life = 0
    private var nextEdit: UInt64 = 0

    init(_ name: String, _ world: World) {
        self.world = world
        list = Writer.list(world.scheduler.random.below(world.scenario.lists))
        super.init(name)
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
        machine?.advance(to: now)
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
        world.scheduler.tell("\(name) ends and starts again")
        for sending in sendings.values { sending.cancel() }
        sendings = [:]
        let kept =
            storage.synced
            + world.scheduler.random.below(storage.bytes.count - storage.synced + 1)
        storage = DeviceStorage(Array(storage.bytes.prefix(kept)))
        start()
    }

    private func edit() {
        guard let displayed = machine?.local?.displayed else { return }
        made += 1
        let tasks = displayed.tasks.map(\.id)
        let intent: Intent
        if tasks.isEmpty || world.scheduler.random.below(5) == 0 {
            let content = TaskContent(id: "\(name)-\(life)-\(made)", title: "by \(name)")
            intent = .create(content, at: Destination())
        } else {
            let task = tasks[world.scheduler.random.below(tasks.count)]
            let other = tasks[world.scheduler.random.below(tasks.count)]
            switch world.scheduler.random.below(4) {
            case 0: intent = .delete(task)
            case 1: intent = .update(task, TaskChanges(done: made % 2 == 0))
            default: intent = .move(MoveRequest(.task(task), to: Destination(after: other)))
            }
        }
        // A refused edit changes nothing.
        _ = try? machine?.apply(intent, id: "\(name)-\(life)-\(made)", at: now)
    }

    private func follow() {
        guard !world.isAway else { return }
        for effect in machine?.takeEffects() ?? [] {
            switch effect {
            case .start(let id, let request, let isWrite):
                if isWrite { storage.synced = storage.bytes.count }
                send(request, id)
            case .cancel(let id): sendings.removeValue(forKey: id)?.cancel()
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
        let life = life
        let sending = Sending(world.checker.attempt(intention), to: world.server(), world) {
            [weak self] response in self?.receive(response, id, life)
        }
        sendings[id] = sending
        sending.losesPieces = world.scenario.faults.contains(.proxy)
        sending.onEvents = { [weak self] bytes in
            self?.receive(
                bytes.map { .bytes($0) } ?? .end(isComplete: true), id, life)
        }
    }

    private func receive(_ response: Response?, _ id: Int, _ life: Int) {
        guard life == self.life else { return }
        guard let response else {
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

/// A file on a device.
///
/// `@unchecked Sendable`: one thread uses a whole simulation.
final class DeviceStorage: OutboxStorage, @unchecked Sendable {
    private(set) var bytes: [UInt8]
    /// The number of bytes that certainly survive a crash.
    var synced: Int

    init(_ bytes: [UInt8] = []) {
        self.bytes = bytes
        synced = bytes.count
    }

    func read() -> [UInt8] { bytes }

    func append(_ bytes: [UInt8]) { self.bytes += bytes }

    func cut(to count: Int) {
        bytes = Array(bytes.prefix(count))
        synced = min(synced, count)
    }

    func replace(with bytes: [UInt8]) {
        self.bytes = bytes
        synced = bytes.count
    }

    func sync() { synced = bytes.count }

    func close() {}
}
