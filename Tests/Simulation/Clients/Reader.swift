import MicroHTTP
import RandomRuns
import ReorderJSON

/// A client that reads lists, tasks, the index, or changes.
final class Reader: Part, WaitingClient {
    enum Kind {
        /// Reads anything, at times with the tag of an earlier document.
        case any
        /// Reads one list several times in short order, often while it is being changed.
        case repeating
        /// Waits for changes.
        case poller
    }

    private let world: World
    private let kind: Kind
    /// What to read again, where, and how often.
    private var again: (list: String, form: Form, server: SimulatedServer, count: Int)?
    private var count = 0
    private var sending: Sending?
    /// The last tag and document of each target.
    private var copies: [String: (tag: String, digest: UInt64)] = [:]
    private var tokens: [String: Token] = [:]

    init(_ name: String, _ world: World, _ kind: Kind = .any) {
        self.world = world
        self.kind = kind
        super.init(name)
        rests = kind != .poller
        wait()
        world.scheduler.add(self)
    }

    var isIdle: Bool { sending == nil }

    var lackedChange: LackedChange? {
        let journal = world.checker.journal
        guard kind == .poller, let attempt = sending?.attempt,
            attempt.restores == world.checker.restores, let list = attempt.intention.list,
            let since = attempt.intention.since, since.isOf(journal.epoch),
            since.version < journal.version(list)
        else { return nil }
        return LackedChange(list: list, version: since.version + 1, state: attempt.tag)
    }

    private func wait() {
        let random = world.scheduler.random.below(10)
        let limit = again == nil ? (kind == .repeating ? 2_000 : 200) : random < 3 ? 60 : 10
        let milliseconds = UInt64(world.scheduler.random.below(limit))
        due = world.scheduler.now + milliseconds * Scheduler.millisecond
    }

    /// Begins to read a list that another client is changing.
    func follow(_ list: String, on server: SimulatedServer) {
        guard kind == .repeating, again == nil, isIdle, !world.isEnding, !world.isAway,
            world.scheduler.random.chance(40)
        else { return }
        again = (list, form(), server, 4)
        due = world.scheduler.now + UInt64(world.scheduler.random.below(8)) * Scheduler.millisecond
    }

    override func step() {
        guard !world.isEnding, !world.isAway else { return }
        let server = again?.server ?? world.server()
        let intention =
            switch kind {
            case .any: read()
            case .repeating: readAgain()
            case .poller: poll()
            }
        let attempt = world.checker.attempt(intention)
        let isImpatient = world.scheduler.random.below(20) == 0
        sending = Sending(
            attempt, to: server, world,
            patience: isImpatient ? 50 * Scheduler.millisecond : 200 * Scheduler.second
        ) { [weak self] response in self?.receive(response, intention) }
    }

    private func poll() -> Intention {
        count += 1
        let list = world.list()
        let since = tokens[list] ?? Token(0, epoch: nil)
        let wait = world.scheduler.isPaused ? 10 : world.scheduler.random.below(3) * 10
        let intention = Intention(
            "\(name).\(count)", .readChanges, .get,
            "/lists/\(list)/changes?since=\(since.text)&limit=5&wait=\(wait)", list: list)
        intention.since = since
        return intention
    }

    private func read() -> Intention {
        count += 1
        let random = world.scheduler.random.below(100)
        if random < 10 { return Intention("\(name).\(count)", .readTask, .get, "/tasks/\(task())") }
        if random < 15 { return Intention("\(name).\(count)", .readIndex, .get, "/lists?limit=2") }
        if random < 22 { return history() }
        let intention = read(world.list(), form())
        if let copy = copies[intention.target], random < 60 {
            intention.headers.append(("If-None-Match", copy.tag))
            intention.copy = copy
        }
        return intention
    }

    /// Reads some changes in the form for people, also of deleted lists.
    private func history() -> Intention {
        let list = Writer.list(world.scheduler.random.below(world.scenario.lists))
        let journal = world.checker.journal
        let isEarlier = world.scheduler.random.chance(60)
        let before = 1 + world.scheduler.random.below(journal.version(list) + 1)
        let page = isEarlier ? "&before=\(Token(before, epoch: journal.epoch).text)" : ""
        return Intention(
            "\(name).\(count)", .readHistory, .get,
            "/lists/\(list)/changes?order=desc&limit=20\(page)", list: list, action: "history")
    }

    private func readAgain() -> Intention {
        count += 1
        var reading = again ?? (world.list(), form(), world.server(), 4)
        reading.count -= 1
        again = reading.count > 0 ? reading : nil
        return read(reading.list, reading.form)
    }

    /// A task that usually exists.
    private func task() -> String {
        let holders = world.checker.journal.holders
        let existing = (0..<world.scenario.tasks).map { "t\($0)" }.filter { holders[$0] != nil }
        if !existing.isEmpty, world.scheduler.random.chance(90) {
            return existing[world.scheduler.random.below(existing.count)]
        }
        return "t\(world.scheduler.random.below(world.scenario.tasks))"
    }

    /// A part of a list and a coding.
    private struct Form {
        var window = ListDocument.Window()
        var isCompressed = false

        var query: String {
            var parts = window.isVisibleOnly ? ["visible=true"] : []
            if window.offset > 0 { parts.append("offset=\(window.offset)") }
            if let limit = window.limit { parts.append("limit=\(limit)") }
            return parts.isEmpty ? "" : "?\(parts.joined(separator: "&"))"
        }
    }

    private func form() -> Form {
        // Only a few forms, so that different requests often need the same cached response.
        switch world.scheduler.random.below(10) {
        case 0..<6: Form()
        case 6, 7: Form(isCompressed: true)
        case 8: Form(window: .init(isVisibleOnly: true, limit: 6))
        default: Form(window: .init(offset: 2, limit: 5))
        }
    }

    private func read(_ list: String, _ form: Form) -> Intention {
        let intention = Intention(
            "\(name).\(count)", .readList, .get, "/lists/\(list)\(form.query)", list: list)
        intention.window = form.window
        if form.isCompressed { intention.headers.append(("Accept-Encoding", "gzip")) }
        return intention
    }

    /// The client is back after an absence.
    func comeBack() { wait() }

    private func receive(_ response: Response?, _ intention: Intention) {
        sending = nil
        wait()
        guard let response, let list = intention.list else { return }
        switch intention.kind {
        case .readList:
            guard response.status == 200, let tag = response.headers["ETag"] else { return }
            copies[intention.target] = (tag, Journal.digest(response.plainBody))
        case .readChanges:
            let facts = ResponseFacts(response)
            if response.status == 410 {
                tokens[list] = facts.version.map { Token($0, epoch: facts.epoch) }
            }
            guard response.status == 200 else { return }
            // The last change of the page.
            let text = String(decoding: response.body, as: UTF8.self)
            var since = intention.since?.version ?? 0
            while text.contains("{\"version\":\(since + 1),\"at\"") { since += 1 }
            tokens[list] = Token(since, epoch: facts.epoch)
        default: break
        }
    }
}
