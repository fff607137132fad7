import MicroHTTP
import RandomRuns

/// A client that changes lists in every way, one request at a time, and repeats some of the
/// requests that got no response.
final class Writer: Part {
    private let world: World
    private var requests: RandomWrites
    private var sending: Sending?
    /// The request to repeat.
    private var pending: Intention?
    /// Requests with keys that can be repeated after an absence.
    private var applied: [Intention] = []

    init(_ name: String, _ world: World) {
        self.world = world
        requests = RandomWrites(
            name, lists: world.scenario.lists, tasks: world.scenario.tasks,
            seed: world.scheduler.random.next())
        super.init(name)
        rests = true
        wait()
        world.scheduler.add(self)
    }

    static func list(_ index: Int) -> String { "l\(index)" }

    var isIdle: Bool { sending == nil && (pending == nil || world.isEnding) }

    /// Whether it waits for no response.
    var isSilent: Bool { sending == nil }

    /// The client is back after an absence. It may repeat a request that was applied before.
    func comeBack() {
        if world.scheduler.random.below(2) == 0, !applied.isEmpty {
            pending = applied[world.scheduler.random.below(applied.count)]
        }
        wait()
    }

    private func wait() {
        let random = world.scheduler.random.below(10)
        let milliseconds = random == 0 ? 2_000 : random < 5 ? 100 : 5
        due =
            world.scheduler.now
            + UInt64(world.scheduler.random.below(milliseconds)) * Scheduler.millisecond
    }

    override func step() {
        guard !world.isAway else { return }
        guard world.scheduler.now >= world.restUntil else {
            due = world.restUntil + UInt64(world.scheduler.random.below(20)) * Scheduler.millisecond
            return
        }
        world.restAtTimes()
        if world.isEnding { pending = nil }
        guard !world.isEnding || pending != nil else { return }
        let anyServer = world.server()
        let hangs = anyServer.process?.hangs ?? false
        let staged = world.disk?.staged ?? []
        let intention =
            pending
            ?? requests.next(
                world.checker.journal, at: hangs ? .hang : staged.isEmpty ? nil : .staging(staged))
        pending = nil
        // An impatient client repeats a request while the first one is still running. A server refuses
        // a second request with the key of a running one, but another server does not.
        let isRepeatable = intention.isOnce && (!intention.hasKey || world.servers.count > 1)
        let isImpatient = world.scheduler.random.below(isRepeatable ? (hangs ? 1 : 4) : 20) == 0
        let impatience = isRepeatable ? 1 + UInt64(world.scheduler.random.below(20)) : 20
        let server = intention.server ?? anyServer
        if let list = intention.list { world.changes(list, on: server) }
        sending = Sending(
            world.checker.attempt(intention), to: server, world,
            patience: isImpatient ? impatience * Scheduler.millisecond : 200 * Scheduler.second
        ) { [weak self] response in self?.receive(response, intention, from: server) }
    }

    private func receive(
        _ response: Response?, _ intention: Intention, from server: SimulatedServer
    ) {
        sending = nil
        wait()
        guard let response else { return retry(intention) }
        if response.status == 503 || response.status == 409, intention.isOnce {
            let code = ResponseFacts(response).code
            if response.status == 503 || code == "request_in_progress" { return retry(intention) }
        }
        requests.learn(ResponseFacts(response), intention, from: server)
        guard intention.isOnce, (200..<300).contains(response.status) else { return }
        if world.scheduler.random.below(6) == 0 {
            // The client has lost the response and sends the request again.
            pending = intention
        }
        applied.append(intention)
        if applied.count > 20 { applied.removeFirst() }
    }

    private func retry(_ intention: Intention) {
        guard intention.attempts.count < 6, intention.isOnce, !world.isEnding else { return }
        pending = intention
    }
}
