import MicroHTTP
import RandomRuns

/// A client that reads lists, tasks, the index, or changes.
final class Reader: Part {
    enum Kind {
        /// Reads anything, at times with the tag of an earlier document.
        case any
        /// Reads one list several times in short order.
        case repeating
        /// Waits for changes.
        case poller
    }

    private let world: World
    private let kind: Kind
    /// The list to read again, and how often.
    private var again: (list: String, count: Int)?
    private var count = 0
    private var sending: Sending?
    /// The last tag and document of each list.
    private var copies: [String: (tag: String, digest: UInt64)] = [:]
    private var tokens: [String: Token] = [:]

    init(_ name: String, _ world: World, _ kind: Kind = .any) {
        self.world = world
        self.kind = kind
        super.init(name)
        wait()
        world.scheduler.add(self)
    }

    var isIdle: Bool { sending == nil }

    private func wait() {
        let milliseconds = UInt64(world.scheduler.random.below(again == nil ? 200 : 10))
        due = world.scheduler.now + milliseconds * Scheduler.millisecond
    }

    override func step() {
        guard !world.isEnding, !world.isAway else { return }
        let intention =
            switch kind {
            case .any: read()
            case .repeating: readAgain()
            case .poller: poll()
            }
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
        let since = tokens[list] ?? Token(0, epoch: nil)
        let wait = world.scheduler.random.below(3) * 10
        let intention = Intention(
            "\(name).\(count)", .readChanges, .get,
            "/lists/\(list)/changes?since=\(since.text)&limit=5&wait=\(wait)", list: list)
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

    private func readAgain() -> Intention {
        count += 1
        let list =
            again?.list ?? Writer.list(world.scheduler.random.below(world.scenario.lists))
        let left = (again?.count ?? 6) - 1
        again = left > 0 ? (list, left) : nil
        return Intention("\(name).\(count)", .readList, .get, "/lists/\(list)", list: list)
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
            copies[list] = (tag, Journal.digest(response.body))
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
