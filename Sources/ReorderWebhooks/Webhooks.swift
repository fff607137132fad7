import Logging
import ReorderAuth
import ReorderJSON
import ReorderService
import Synchronization

/// The webhooks of a store, and their delivery by this server.
package final class Webhooks: Sendable {
    private let storage: WebhookStorage
    private let sender: WebhookSender?
    private let counts = WebhookCounts()
    private let service: ListService
    private let transport: (any WebhookTransport)?
    /// The webhooks to which a test event is being sent, and what takes the outcome.
    private let tests = Mutex<[String: @Sendable (WebhookOutcome) -> Void]>([:])
    package let options: WebhookOptions

    package enum ChangeError: Error {
        case notFound
        case tooMany(limit: Int)
        /// The attempts for this event do not fail.
        case otherEvent
        /// A test of this webhook goes on.
        case testInProgress
    }

    /// - Parameter transport: nil if this server delivers nothing.
    package init(
        _ service: ListService, options: WebhookOptions = WebhookOptions(),
        transport: (any WebhookTransport)? = nil,
        logger: Logger = Logger(label: "reorderd") { _ in SwiftLogNoOpLogHandler() }
    ) {
        self.service = service
        self.options = options
        self.transport = transport
        storage = WebhookStorage(service)
        sender = transport.map { [storage, counts] in
            WebhookSender(service, storage, $0, counts, logger: logger)
        }
    }

    /// Starts the delivery.
    package func start() { sender?.start() }

    /// Ends the delivery. Call it before the service is stopped.
    package func stop() {
        sender?.stop()
        // The server may go on with another service. Then nobody else responds to these requests.
        for end in tests.withLock({ Array($0.values) }) {
            end(.failure("The test was interrupted. Repeat it."))
        }
    }

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
            progress: Webhook.Progress(
                position: try service.lastPosition(), epoch: service.epoch))
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

    /// Changes the URL or the lists. A new receiver continues at the position of the former one.
    ///
    /// - Parameters:
    ///   - url: a valid URL; nil leaves it.
    ///   - lists: valid patterns; nil leaves them.
    package func update(
        _ id: String, url: String?, lists: [String]?, of allowed: ListPatterns = .all
    ) throws -> Webhook {
        try change(id, allowed) { webhook in
            if let url { webhook.url = url }
            if let lists { webhook.lists = lists }
        }
    }

    /// Gives a webhook another secret. The former ones also sign, each for a day.
    package func rotate(_ id: String, to secret: WebhookSecret, of lists: ListPatterns = .all)
        throws -> Webhook
    {
        let now = service.environment.date().milliseconds
        return try change(id, lists) { $0.rotate(to: secret, at: now) }
    }

    /// Gives up an event whose attempts fail, and enables the webhook.
    package func skip(_ event: String, of id: String, of lists: ListPatterns = .all) throws
        -> Webhook
    {
        try change(id, lists) { webhook in
            guard webhook.skippedEvent != event else { return }
            guard webhook.progress.failedAttempts > 0, webhook.progress.results.last?.event == event
            else { throw ChangeError.otherEvent }
            webhook.skippedEvent = event
            webhook.enable()
        }
    }

    package func delete(_ id: String, of lists: ListPatterns = .all) throws {
        try storage.change { set in
            _ = set.webhooks.remove(at: try set.index(of: id, lists))
        }
        sender?.refresh()
    }

    /// Enables a webhook again. It continues at its position.
    package func resume(_ id: String, of lists: ListPatterns = .all) throws -> Webhook {
        try change(id, lists) { $0.enable() }
    }

    private func change(
        _ id: String, _ lists: ListPatterns, _ body: (inout Webhook) throws -> Void
    ) throws -> Webhook {
        let webhook = try storage.change { set in
            let index = try set.index(of: id, lists)
            try body(&set.webhooks[index])
            return set.webhooks[index]
        }
        sender?.refresh()
        return webhook
    }

    // MARK: A test

    /// Begins a test of a webhook. Call `send` next.
    package func beginTest(of id: String, of lists: ListPatterns = .all) throws -> Webhook {
        let webhook = try webhook(id, of: lists)
        try tests.withLock { tests in
            guard tests[id] == nil else { throw ChangeError.testInProgress }
            tests[id] = { _ in }
        }
        return webhook
    }

    /// Sends an event that is no change, once and at once, also if the webhook is disabled.
    ///
    /// - Parameters:
    ///   - event: the value of `webhook-id`.
    ///   - done: gets the result, on any thread.
    package func sendTest(
        to webhook: Webhook, event: String, _ done: @escaping @Sendable (Webhook.Result) -> Void
    ) {
        var body = JSONWriter()
        body.beginObject()
        body.name("event")
        body.string("test")
        body.name("webhook")
        body.string(webhook.id)
        body.endObject()
        let date = service.environment.date
        let message = WebhookMessage(body.bytes, event: event, to: webhook, at: date().milliseconds)
        let end: @Sendable (WebhookOutcome) -> Void = { [weak self] outcome in
            guard self?.tests.withLock({ $0.removeValue(forKey: webhook.id) }) != nil else {
                return
            }
            done(Webhook.Result(outcome, of: event, at: date().milliseconds))
        }
        tests.withLock { $0[webhook.id] = end }
        if let transport {
            transport.send(message, end)
        } else {
            end(.failure("This server sends no events."))
        }
    }
}

extension Webhook {
    fileprivate mutating func enable() {
        guard !progress.isEnabled else { return }
        progress.isEnabled = true
        progress.endFailures()
    }
}

extension WebhookSet {
    fileprivate func index(of id: String, _ lists: ListPatterns) throws -> Int {
        let index = webhooks.firstIndex { $0.id == id && lists.includes($0.selection) }
        guard let index else { throw Webhooks.ChangeError.notFound }
        return index
    }
}
