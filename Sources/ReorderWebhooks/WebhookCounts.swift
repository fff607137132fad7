import Synchronization

/// The numbers of the webhooks and of this server's attempts.
package struct WebhookMetrics: Sendable, Equatable {
    package var active = 0
    package var disabled = 0
    package var delivered = 0
    package var failed = 0
    package var receivers: [Receiver] = []

    package struct Receiver: Sendable, Equatable {
        package var webhook: String
        package var host: String
        /// The failed attempts for its current event.
        package var failedAttempts: Int
    }
}

/// Counts for the metrics.
final class WebhookCounts: Sendable {
    private let state = Mutex(WebhookMetrics())

    var metrics: WebhookMetrics { state.withLock(\.self) }

    func add(failed: Bool) {
        state.withLock { metrics in
            if failed { metrics.failed += 1 } else { metrics.delivered += 1 }
        }
    }

    func set(_ webhooks: [Webhook]) {
        let active = webhooks.count { $0.progress.isEnabled }
        let receivers = webhooks.map {
            WebhookMetrics.Receiver(
                webhook: $0.id, host: $0.receiver, failedAttempts: $0.progress.failedAttempts)
        }
        state.withLock { metrics in
            metrics.active = active
            metrics.disabled = webhooks.count - active
            metrics.receivers = receivers
        }
    }
}
