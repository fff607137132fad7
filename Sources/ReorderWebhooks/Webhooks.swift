import Logging
import ReorderAuth
import ReorderService

/// The webhooks of a store, and their delivery by this server.
package final class Webhooks: Sendable {
    private let storage: WebhookStorage
    private let sender: WebhookSender?
    private let counts = WebhookCounts()
    private let service: ListService
    package let options: WebhookOptions

    package enum ChangeError: Error {
        case notFound
        case tooMany(limit: Int)
    }

    /// - Parameter transport: nil if this server delivers nothing.
    package init(
        _ service: ListService, options: WebhookOptions = WebhookOptions(),
        transport: (any WebhookTransport)? = nil,
        logger: Logger = Logger(label: "reorderd") { _ in SwiftLogNoOpLogHandler() }
    ) {
        self.service = service
        self.options = options
        storage = WebhookStorage(service)
        sender = transport.map { [storage, counts] in
            WebhookSender(service, storage, $0, counts, logger: logger)
        }
    }

    /// Starts the delivery.
    package func start() { sender?.start() }

    /// Ends the delivery. Call it before the service is stopped.
    package func stop() { sender?.stop() }

    package var metrics: WebhookMetrics { counts.metrics }

    // MARK: Changes, which block

    /// The webhooks that have only lists of these, the oldest first.
    package func all(of lists: ListPatterns = .all) throws -> [Webhook] {
        try storage.read().webhooks.filter { lists.includes($0.selection) }
    }

    package func webhook(_ id: String, of lists: ListPatterns = .all) throws -> Webhook {
        guard let webhook = try all(of: lists).first(where: { $0.id == id }) else {
            throw ChangeError.notFound
        }
        return webhook
    }

    /// Creates a webhook. It gets the changes from now on.
    ///
    /// - Parameters:
    ///   - lists: valid patterns.
    ///   - author: who creates it; nil if it is unknown.
    ///   - allowed: the lists whose webhooks the author may create.
    package func create(
        id: String, url: String, lists: [String], secret: WebhookSecret, by author: String? = nil,
        within allowed: ListPatterns = .all
    ) throws -> Webhook {
        let webhook = Webhook(
            id: id, url: url, lists: lists, secret: secret,
            createdAt: service.environment.date().milliseconds, createdBy: author,
            progress: Webhook.Progress(position: try service.lastPosition()))
        try storage.change { set in
            let count = set.webhooks.count { allowed.includes($0.selection) }
            if allowed != .all, count >= Webhook.maximumCountOfSomeLists {
                throw ChangeError.tooMany(limit: Webhook.maximumCountOfSomeLists)
            }
            guard set.webhooks.count < Webhook.maximumCount else {
                throw ChangeError.tooMany(limit: Webhook.maximumCount)
            }
            set.webhooks.append(webhook)
        }
        sender?.refresh()
        return webhook
    }

    package func delete(_ id: String, of lists: ListPatterns = .all) throws {
        try storage.change { set in
            _ = set.webhooks.remove(at: try set.index(of: id, lists))
        }
        sender?.refresh()
    }

    /// Enables a webhook again. It continues at its position.
    package func resume(_ id: String, of lists: ListPatterns = .all) throws -> Webhook {
        let webhook = try storage.change { set in
            let index = try set.index(of: id, lists)
            if !set.webhooks[index].progress.isEnabled {
                set.webhooks[index].progress.isEnabled = true
                set.webhooks[index].progress.failingSince = nil
                set.webhooks[index].progress.failedAttempts = 0
            }
            return set.webhooks[index]
        }
        sender?.refresh()
        return webhook
    }
}

extension WebhookSet {
    fileprivate func index(of id: String, _ lists: ListPatterns) throws -> Int {
        let index = webhooks.firstIndex { $0.id == id && lists.includes($0.selection) }
        guard let index else { throw Webhooks.ChangeError.notFound }
        return index
    }
}
