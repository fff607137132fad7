import Synchronization

/// The numbers of the webhooks and of this server's attempts.
package struct WebhookMetrics: Sendable, Equatable {
    package var active = 0
    package var disabled = 0
    package var delivered = 0
    package var failed = 0
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
        state.withLock { metrics in
            metrics.active = active
            metrics.disabled = webhooks.count - active
        }
    }
}
