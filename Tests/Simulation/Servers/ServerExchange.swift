import MicroHTTP

/// A request at a server, handled by the real router and handlers.
final class ServerExchange: Part {
    let attempt: Attempt
    let began: UInt64
    private let process: ServerProcess
    private let world: World
    private let exchange: InProcessExchange
    private var reply: ((Response?) -> Void)?
    private let wakeFlag = WakeFlag()
    private var isClientGone = false
    /// How often the handler was called.
    private var turns = 0
    /// The number of commits when it was last called.
    private var knownCommits: Int
    /// A request that waits for other work is resumed a few times.
    private static let mostTurns = 2_000

    init(
        _ attempt: Attempt, _ process: ServerProcess, _ router: Router, _ world: World,
        _ reply: @escaping (Response?) -> Void
    ) {
        self.attempt = attempt
        self.process = process
        self.world = world
        self.reply = reply
        attempt.arrive()
        attempt.process = process
        world.checker.arrives(attempt)
        attempt.durable = world.checker.journal.lists.mapValues(\.version)
        began = world.scheduler.now
        knownCommits = world.medium.commitCount
        let scheduler = world.scheduler
        var request = attempt.request
        _ = router.authenticate?(&request)
        exchange = InProcessExchange(
            request, router, uptime: { Scheduler.second + scheduler.now }
        ) { [wakeFlag] in wakeFlag.wake() }
        super.init("\(process.name) request")
        wakeFlag.onWake = { [weak self] in self?.wake() }
        due = scheduler.now
        scheduler.add(self)
    }

    /// The event loop can be busy with other requests.
    private func wake() {
        let limit = world.scheduler.random.chance(50) ? 20 : 1
        let milliseconds = UInt64(world.scheduler.random.below(limit))
        due = min(due, world.scheduler.now + milliseconds * Scheduler.millisecond)
    }

    override func step() {
        wakeFlag.isWoken = false
        defer { knownCommits = world.medium.commitCount }
        turns += 1
        if turns > Self.mostTurns {
            world.checker.fail("a request is resumed only when something has arrived", attempt.tag)
        }
        let proceeded = exchange.proceed()
        // The process may have ended meanwhile.
        guard !process.isDead else { return }
        guard let response = proceeded else {
            // The last change before a pause is often one that was made while a long poll began to wait.
            if exchange.deadline != nil, world.medium.commitCount > knownCommits {
                world.pauseAtTimes(percent: 80)
            }
            let isEnding = isClientGone || !process.isAccepting
            if isEnding, !exchange.isTimeOver, exchange.deadline != nil { return endWaiting() }
            let deadline = exchange.deadline.map { max($0 - Scheduler.second, world.scheduler.now) }
            // The end of its time is handled only once.
            due =
                wakeFlag.isWoken
                ? world.scheduler.now : exchange.isTimeOver ? .max : deadline ?? .max
            return
        }
        world.scheduler.note(UInt64(response.status))
        // New tokens and tickets are not the same in each run.
        let isSecret = response.headers["Cache-Control"] == "no-store"
        if response.stream == nil, !isSecret { world.scheduler.note(response.body) }
        world.scheduler.tell(
            "\(process.name) answers \(attempt.tag): \(response.status) "
                + (isSecret ? "" : String(decoding: response.body.prefix(160), as: UTF8.self)))
        world.checker.sends(response, to: attempt)
        let reply = end()
        process.checkRest()
        reply?(response)
    }

    /// The client closes its connection. As in production, only a long poll ends.
    func cancel() {
        reply = nil
        isClientGone = true
        endWaiting()
    }

    /// Ends a long poll.
    func endWaiting() {
        guard exchange.deadline != nil else { return }
        exchange.endWaiting()
        due = world.scheduler.now
    }

    /// The connection breaks, because the process ends.
    func breakConnection() { end()?(nil) }

    private func end() -> ((Response?) -> Void)? {
        let reply = reply
        self.reply = nil
        attempt.isAtServer = false
        world.scheduler.remove(self)
        process.remove(self)
        exchange.state = nil
        wakeFlag.onWake = {}
        return reply
    }
}

/// Whether a part was woken.
///
/// `@unchecked Sendable`: one thread uses a whole simulation.
final class WakeFlag: Wakeable, @unchecked Sendable {
    var isWoken = false
    var onWake: () -> Void = {}

    func wake() {
        isWoken = true
        onWake()
    }
}

/// An open event stream at a server.
final class ServerStream: Part {
    private let process: ServerProcess
    private let scheduler: Scheduler
    private var source: (any EventSource)?
    private let wakeFlag = WakeFlag()
    private let onBytes: ([UInt8]) -> Void
    private let onEnd: () -> Void
    /// Wakes the stream.
    private var watch: (any Sendable)?

    /// - Parameters:
    ///   - onBytes: receives the bytes of each piece.
    ///   - onEnd: called if the stream ends.
    init(
        _ stream: EventStream, _ process: ServerProcess, _ scheduler: Scheduler,
        onBytes: @escaping ([UInt8]) -> Void, onEnd: @escaping () -> Void
    ) {
        self.process = process
        self.scheduler = scheduler
        self.onBytes = onBytes
        self.onEnd = onEnd
        source = stream.source
        super.init("\(process.name) stream")
        wakeFlag.onWake = { [weak self, scheduler] in self?.due = scheduler.now }
        watch = stream.topic.watch { [wakeFlag] in wakeFlag.wake() }
        due = scheduler.now
        scheduler.add(self)
        process.add(self)
    }

    override func step() {
        wakeFlag.isWoken = false
        guard let piece = source?.next(wakeFlag) else { return }
        switch piece {
        case .bytes(let bytes):
            due = scheduler.now
            scheduler.note(Array(bytes.text))
            onBytes(Array(bytes.text))
        case .nothing:
            if wakeFlag.isWoken { return due = scheduler.now }
            if let seconds = source?.secondsLeft(), seconds < 1e6 {
                due = scheduler.now + UInt64(max(0, seconds) * 1e9) + Scheduler.millisecond
            }
        case .end: breakConnection()
        }
    }

    /// The client has gone.
    func cancel() {
        guard source != nil else { return }
        (source, watch) = (nil, nil)
        wakeFlag.onWake = {}
        scheduler.remove(self)
        process.remove(self)
    }

    func breakConnection() {
        guard source != nil else { return }
        cancel()
        onEnd()
    }
}
