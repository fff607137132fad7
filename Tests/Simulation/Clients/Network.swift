import MicroHTTP

/// A request on its way to a server and back.
final class Sending {
    private let world: World
    let attempt: Attempt
    private var exchange: ServerExchange?
    private(set) var stream: ServerStream?
    private var reply: ((Response?) -> Void)?
    private var timeout: Delivery?
    /// The bytes of an event stream that have arrived before its head.
    private var early: [(bytes: [UInt8]?, epoch: String, tokenHasEnded: Bool)] = []
    /// Whether a proxy on the way loses pieces of an event stream.
    var losesPieces = false
    /// The bytes of an event stream, and nil at its end.
    var onEvents: ([UInt8]?) -> Void = { _ in }
    /// The epoch of the server when it sent the bytes that `onEvents` gets.
    private(set) var epoch = ""
    /// Whether the token of the request had ended when the server sent them.
    private(set) var tokenHasEnded = false

    /// Sends a request.
    ///
    /// - Parameters:
    ///   - patience: after this time the client gives up.
    ///   - reply: called once, with the response, or with nil if none arrives.
    init(
        _ attempt: Attempt, to server: SimulatedServer, _ world: World,
        patience: UInt64 = 200 * Scheduler.second, _ reply: @escaping (Response?) -> Void
    ) {
        self.world = world
        self.attempt = attempt
        self.reply = reply
        let scheduler = world.scheduler
        scheduler.tell(
            "\(attempt.tag) sends to \(server.name): \(attempt.intention.method.rawValue) "
                + attempt.intention.target.prefix { $0 != "?" || !attempt.intention.hasTicket }
                + " \(attempt.intention.body.prefix(240))")
        let isLost = world.has(.network, percent: 2)
        after(latency(), "request") { [weak self] in
            guard let self, self.reply != nil else { return }
            guard !isLost, let process = server.process else { return self.end(nil) }
            exchange = process.accept(attempt) { [weak self] response in
                self?.arrives(response, from: process)
            }
            if exchange == nil { self.end(nil) }
        }
        timeout = after(patience, "timeout") { [weak self] in self?.cancel() }
    }

    private func latency() -> UInt64 {
        UInt64(world.scheduler.random.below(5_000)) * 1_000
    }

    @discardableResult private func after(
        _ delay: UInt64, _ name: String, _ body: @escaping () -> Void
    ) -> Delivery {
        let scheduler = world.scheduler
        let delivery = Delivery(name, at: scheduler.now + delay, scheduler, body)
        scheduler.add(delivery)
        return delivery
    }

    private func arrives(_ response: Response?, from process: ServerProcess) {
        exchange = nil
        let isLost = world.has(.network, percent: 3)
        if !isLost, let stream = response?.stream {
            self.stream = ServerStream(
                stream, process, world.scheduler,
                onBytes: { [weak self] bytes in self?.arrives(bytes, process.epoch) },
                onEnd: { [weak self] in self?.arrives(nil, process.epoch) })
        }
        after(latency(), "response") { [weak self] in self?.end(isLost ? nil : response) }
    }

    private func arrives(_ bytes: [UInt8]?, _ epoch: String) {
        if losesPieces, bytes != nil, world.has(.proxy, percent: 25) { return }
        let token = attempt.intention.access?.token
        let hasEnded = token.map { world.checker.hasEnded($0, for: attempt) } ?? false
        early.append((bytes, epoch, hasEnded))
        if reply == nil { passEvents() }
    }

    private func passEvents() {
        let arrived = early
        early = []
        for (bytes, epoch, tokenHasEnded) in arrived {
            (self.epoch, self.tokenHasEnded) = (epoch, tokenHasEnded)
            onEvents(bytes)
        }
    }

    private func end(_ response: Response?) {
        guard let reply else { return }
        self.reply = nil
        if let timeout { world.scheduler.remove(timeout) }
        if let response { world.checker.receives(response, attempt) }
        reply(response)
        passEvents()
    }

    /// The client gives up.
    func cancel() {
        exchange?.cancel()
        exchange = nil
        stream?.cancel()
        stream = nil
        end(nil)
    }
}
