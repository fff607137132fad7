import ReorderWebhooks

/// The connections of a server to the receivers of webhooks. Requests and responses are lost at times.
///
/// `@unchecked Sendable`: one thread uses a whole simulation.
final class WebhookLine: WebhookTransport, @unchecked Sendable {
    private weak var process: ServerProcess?
    private let world: World
    private var isStopped = false

    init(_ process: ServerProcess, _ world: World) {
        self.process = process
        self.world = world
    }

    func send(_ message: WebhookMessage, _ done: @escaping @Sendable (WebhookOutcome) -> Void) {
        let isLost = world.has(.network, percent: 3)
        after { [self] in
            var outcome = WebhookOutcome.failure("The connection broke.")
            let receiver = world.receiver(of: message)
            if !isLost { outcome = receiver?.receive(message) ?? .response(410) }
            if world.has(.network, percent: 3) { outcome = .failure("The connection broke.") }
            if case .response(200..<300, _) = outcome {
                receiver?.isFailing = false
            } else {
                receiver?.isFailing = true
            }
            after { [self, outcome] in
                if !isStopped, process?.isDead == false { done(outcome) }
            }
        }
    }

    func stop() { isStopped = true }

    private func after(_ body: @escaping () -> Void) {
        let latency = UInt64(world.scheduler.random.below(20_000)) * 1_000
        world.scheduler.add(
            Delivery("webhook", at: world.scheduler.now + latency, world.scheduler, body))
    }
}
