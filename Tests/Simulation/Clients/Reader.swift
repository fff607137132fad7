import MicroHTTP
import RandomRuns

/// A client that reads lists, tasks, the index, or changes.
final class Reader: Part {
    private let world: World
    private let isPoller: Bool
    private var count = 0
    private var sending: Sending?
    /// The last tag and document of each list.
    private var copies: [String: (tag: String, digest: UInt64)] = [:]
    private var versions: [String: Int] = [:]

    init(_ name: String, _ world: World, isPoller: Bool = false) {
        self.world = world
        self.isPoller = isPoller
        super.init(name)
        wait()
        world.scheduler.add(self)
    }

    var isIdle: Bool { sending == nil }

    private func wait() {
        due =
            world.scheduler.now + UInt64(world.scheduler.random.below(200)) * Scheduler.millisecond
    }

    override func step() {
        guard !world.isEnding else { return }
        let intention = isPoller ? poll() : read()
        let attempt = world.checker.attempt(intention)
        let isImpatient = world.scheduler.random.below(20) == 0
        sending = Sending(
            attempt, to: world.server(), world,
            patience: isImpatient ? 50 * Scheduler.millisecond : 200 * Scheduler.second
        ) { [weak self] response in self?.receive(response, intention) }
    }

    private func poll() -> Intention {
        count += 1
        let list = Writer.list(world.scheduler.random.below(world.scenario.lists))
        let since = versions[list] ?? 0
        let wait = world.scheduler.random.below(3) * 10
        let intention = Intention(
            "\(name).\(count)", .readChanges, .get,
            "/lists/\(list)/changes?since=\(since)&limit=5&wait=\(wait)", list: list)
        intention.since = since
        return intention
    }

    private func read() -> Intention {
        count += 1
        let random = world.scheduler.random.below(100)
        let list = Writer.list(world.scheduler.random.below(world.scenario.lists))
        if random < 10 {
            let task = world.scheduler.random.below(world.scenario.tasks)
            return Intention("\(name).\(count)", .readTask, .get, "/tasks/t\(task)")
        }
        if random < 15 { return Intention("\(name).\(count)", .readIndex, .get, "/lists?limit=2") }
        let intention = Intention("\(name).\(count)", .readList, .get, "/lists/\(list)", list: list)
        if let copy = copies[list], random < 60 {
            intention.headers.append(("If-None-Match", copy.tag))
            intention.copy = copy
        }
        return intention
    }

    private func receive(_ response: Response?, _ intention: Intention) {
        sending = nil
        wait()
        guard let response, let list = intention.list else { return }
        switch intention.kind {
        case .readList:
            guard response.status == 200, let tag = response.headers["ETag"] else { return }
            copies[list] = (tag, Journal.digest(response.body))
        case .readChanges:
            if response.status == 410 { versions[list] = ResponseFacts(response).version }
            guard response.status == 200 else { return }
            // The last change of the page.
            let text = String(decoding: response.body, as: UTF8.self)
            var since = intention.since ?? 0
            while text.contains("{\"version\":\(since + 1),\"at\"") { since += 1 }
            versions[list] = since
        default: break
        }
    }
}

/// A client that follows a list over event streams.
final class StreamWatcher: Part {
    private let world: World
    private let list: String
    private var count = 0
    private var sending: Sending?
    private var isOpen = false
    private var version = 0
    private var isGone = false

    init(_ name: String, _ world: World) {
        self.world = world
        list = Writer.list(world.scheduler.random.below(world.scenario.lists))
        super.init(name)
        due = 0
        world.scheduler.add(self)
    }

    private func wait() {
        due =
            world.scheduler.now + UInt64(world.scheduler.random.below(500)) * Scheduler.millisecond
    }

    override func step() {
        if isOpen {
            // Breaks the connection at times.
            guard !world.isCalm else { return }
            if world.scheduler.random.below(8) == 0 {
                sending?.cancel()
                sending = nil
                isOpen = false
            }
            wait()
            return
        }
        guard sending == nil else { return }
        count += 1
        let intention = Intention(
            "\(name).\(count)", .events, .get, "/lists/\(list)/events", list: list)
        intention.headers.append(("Last-Event-ID", "\(version)"))
        let sending = Sending(world.checker.attempt(intention), to: world.server(), world) {
            [weak self] response in self?.receive(response)
        }
        self.sending = sending
        sending.onEvents = { [weak self, weak sending] bytes in
            guard let self, let sending, self.sending === sending else { return }
            self.receive(bytes)
        }
    }

    private func receive(_ response: Response?) {
        if response?.stream != nil, sending?.stream != nil {
            isOpen = true
        } else {
            sending = nil
            isGone = response?.status == 404
        }
        wait()
    }

    private func receive(_ bytes: [UInt8]?) {
        guard let bytes else {
            world.scheduler.tell("\(name) loses its stream")
            sending = nil
            isOpen = false
            return wait()
        }
        let text = String(decoding: bytes, as: UTF8.self)
        for event in text.split(separator: "\n\n") {
            var id: Int?
            var type = ""
            var data = ""
            for line in event.split(separator: "\n") {
                if line.hasPrefix("id: ") { id = Int(line.dropFirst(4)) }
                if line.hasPrefix("event: ") { type = String(line.dropFirst(7)) }
                if line.hasPrefix("data: ") { data = String(line.dropFirst(6)) }
            }
            receive(type, id, data)
        }
    }

    private func receive(_ type: String, _ id: Int?, _ data: String) {
        world.scheduler.tell("\(name) gets \(type) \(id ?? 0)")
        guard let id else { return }
        world.checker.shows(list, id, name)
        switch type {
        case "change":
            isGone = false
            if id != version + 1 {
                world.checker.fail(
                    "a stream misses and repeats nothing", "\(name): v\(id) after v\(version)")
            }
            if world.checker.journal.lists[list]?.changes[id] != Array(data.utf8) {
                world.checker.fail("an event is a change of the journal", "\(name): v\(id)")
            }
            version = id
        case "refetch": version = id
        case "deleted": isGone = true
        default: break
        }
    }

    /// Checks at the end that it has received everything.
    func checkEnd() {
        let last = world.checker.journal.version(list)
        if isOpen, version < last, world.scenario.lists > 0 {
            world.checker.fail(
                "a stream receives every change", "\(name): \(list) v\(version) of v\(last)")
        }
    }
}
