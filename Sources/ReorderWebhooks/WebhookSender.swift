import Foundation
import Logging
import ReorderJSON
import ReorderService
import ReorderStore
import Synchronization

/// Delivers the changes of lists to receivers.
///
/// One thread decides what is sent next, and stores the progress; it waits for no receiver. The reads of
/// the journal are those of the feed, and the transport sends.
///
/// `@unchecked Sendable`: only the worker's thread uses `state`.
final class WebhookSender: @unchecked Sendable {
    private struct State {
        var lease: DeliveryLease
        var deliveries: [String: Delivery] = [:]
        var lastNumber = 0
        /// The webhooks whose receivers have failed, according to the log.
        var failing: Set<String> = []
        var nextRefresh: UInt64 = 0
        var nextSave: UInt64 = 0
        /// Kept while there are webhooks to deliver for.
        var watch: Watch?
    }

    /// What other threads report.
    private enum Message: Sendable {
        case page(Result<FeedPage, ServiceError>)
        case heads(Result<FeedHeads, ServiceError>, from: Int, end: Int)
        case outcome(WebhookOutcome)
    }

    private struct Inbox {
        var messages: [(webhook: String, number: Int, message: Message)] = []
        var hasNews = false
        var hasNewWebhooks = true
    }

    private let service: ListService
    private let storage: WebhookStorage
    private let transport: any WebhookTransport
    private let counts: WebhookCounts
    private let environment: ServiceEnvironment
    private let logger: Logger
    private let worker: any Worker
    private let inbox = Mutex(Inbox())
    private var state: State

    /// Progress is stored at most this often, so that receivers do not delay commits.
    private static let secondsBetweenSaves = 1.0
    private static let secondsAfterFailedRead = 2.0
    /// The maximum number of lists that are read at once, when changes are gone.
    private static let listsAtOnce = 100

    init(
        _ service: ListService, _ storage: WebhookStorage, _ transport: any WebhookTransport,
        _ counts: WebhookCounts, logger: Logger
    ) {
        self.service = service
        self.storage = storage
        self.transport = transport
        self.counts = counts
        self.logger = logger
        environment = service.environment
        state = State(lease: DeliveryLease(name: String(environment.random(), radix: 36)))
        worker = environment.makeWorker("webhooks", 1)
    }

    func start() { worker.start(first: .at(environment.uptime())) { self.step() } }

    /// Ends all attempts, stores the progress, and stops the thread.
    func stop() {
        transport.stop()
        worker.stop()
        worker.join(until: .max)
    }

    /// The stored webhooks have changed.
    func refresh() {
        inbox.withLock { $0.hasNewWebhooks = true }
        worker.wake()
    }

    private func receive(_ message: Message, _ webhook: String, _ number: Int) {
        inbox.withLock { $0.messages.append((webhook, number, message)) }
        worker.wake()
    }

    private func receiveNews() {
        let isFirst = inbox.withLock { inbox in
            defer { inbox.hasNews = true }
            return !inbox.hasNews
        }
        if isFirst { worker.wake() }
    }

    // MARK: On the thread

    private func step() -> NextStep {
        let isStopping = worker.isStopping
        let inbox = inbox.withLock { inbox in
            defer { inbox = Inbox(hasNewWebhooks: false) }
            return inbox
        }
        for (webhook, number, message) in inbox.messages { take(message, webhook, number) }
        if isStopping {
            state.watch = nil
            save(isLast: true)
            return .end
        }
        if inbox.hasNews {
            for id in state.deliveries.keys { state.deliveries[id]?.receiveNews() }
        }
        if inbox.hasNewWebhooks || environment.uptime() >= state.nextRefresh { readWebhooks() }
        var next = state.nextRefresh
        for id in state.deliveries.keys.sorted() {
            if let time = advance(id) { next = min(next, time) }
        }
        if state.deliveries.values.contains(where: \.isChanged) {
            if environment.uptime() >= state.nextSave {
                save()
            }
            if state.deliveries.values.contains(where: \.isChanged) {
                next = min(next, state.nextSave)
            }
        }
        return next == .max ? .whenWoken : .at(next)
    }

    /// Begins what a webhook needs next. Returns the uptime of its next attempt, if it waits for that.
    private func advance(_ id: String) -> UInt64? {
        let now = environment.uptime()
        guard let delivery = state.deliveries[id] else { return nil }
        let number = delivery.number
        let mayBegin = state.lease.isHeld(at: now)
        switch state.deliveries[id]?.next(at: now, mayBegin: mayBegin) {
        case nil, .nothing: return nil
        case .wait(let time): return time
        case .read(.at(let position)):
            let bytes = service.limits.pieces.streamBytes
            service.feed.read(after: position, bytes: bytes, isEndless: true) { [weak self] in
                self?.receive(.page($0), id, number)
            }
        case .read(.lists(let from, let end, let list)):
            service.feed.readHeads(
                of: delivery.lists.ranges(after: list), after: list, changedFrom: from,
                limit: Self.listsAtOnce
            ) { [weak self] in self?.receive(.heads($0, from: from, end: end), id, number) }
        case .send(let event):
            let message = WebhookMessage(
                event.body, event: event.id, to: delivery.webhook,
                at: environment.date().milliseconds)
            transport.send(message) { [weak self] in
                self?.receive(.outcome($0), id, number)
            }
        }
        return nil
    }

    private func take(_ message: Message, _ id: String, _ number: Int) {
        // The webhook may have been deleted.
        guard state.deliveries[id]?.number == number else { return }
        switch message {
        case .page(.success(let page)): state.deliveries[id]?.take(page)
        case .heads(.success(let heads), let from, let end):
            state.deliveries[id]?.take(heads, from: from, end: end)
        case .page(.failure), .heads(.failure, _, _):
            let time = environment.uptime() + UInt64(Self.secondsAfterFailedRead * 1e9)
            state.deliveries[id]?.pause(until: time)
        case .outcome(let outcome):
            state.deliveries[id]?.end(
                outcome, date: environment.date().milliseconds, now: environment.uptime(),
                random: environment.random())
            guard let result = state.deliveries[id]?.webhook.progress.results.last else { return }
            counts.add(failed: result.error != nil)
            log(result, of: id)
        }
    }

    /// Logs the first failure of a receiver, when it works again, and when it gets no more events.
    private func log(_ result: Webhook.Result, of id: String) {
        guard let webhook = state.deliveries[id]?.webhook else { return }
        let metadata: Logger.Metadata = [
            "webhook": "\(id)", "receiver": "\(webhook.receiver)",
            "error": "\(result.error ?? "")",
        ]
        if result.error == nil {
            // A receiver that fails now and then is logged once.
            guard webhook.progress.results.allSatisfy({ $0.error == nil }),
                state.failing.remove(id) != nil
            else { return }
            logger.notice("the receiver of a webhook works again", metadata: metadata)
        } else if !webhook.progress.isEnabled {
            logger.error(
                "a webhook is disabled: its receiver has failed for a day, or wants no more events",
                metadata: metadata)
        } else if state.failing.insert(id).inserted {
            logger.warning(
                "the receiver of a webhook fails; its events are sent again", metadata: metadata)
        }
    }

    // MARK: The stored webhooks

    private func readWebhooks() {
        state.nextRefresh =
            service.isShared
            ? environment.uptime() + UInt64(DeliveryLease.renewalSeconds * 1e9) : .max
        do {
            let set = try storage.read()
            try renewLease(set)
            use(state.lease.isHeld(at: environment.uptime()) ? set.webhooks : [])
            counts.set(set.webhooks)
        } catch {
            logger.error("the webhooks can't be read", metadata: ["error": "\(error)"])
            state.nextRefresh =
                environment.uptime() + UInt64(DeliveryLease.renewalSeconds * 1e9)
        }
    }

    private func renewLease(_ set: WebhookSet) throws {
        guard service.isShared else { return state.lease.holdForever() }
        guard !set.webhooks.isEmpty else { return state.lease.giveUp() }
        let now = environment.uptime()
        let seen = set.sender
        guard state.lease.shouldWrite(over: seen, at: now) else { return }
        let name = state.lease.name
        let isTaken = try storage.change { current in
            // Another server may have been first.
            guard current.sender == seen else { return false }
            current.sender = WebhookSet.Sender(name: name, beat: (seen?.beat ?? 0) + 1)
            return true
        }
        if isTaken { state.lease.hold(from: now) } else { state.lease.giveUp() }
    }

    private func use(_ webhooks: [Webhook]) {
        var deliveries: [String: Delivery] = [:]
        for webhook in webhooks {
            if var delivery = state.deliveries[webhook.id] {
                delivery.update(webhook)
                deliveries[webhook.id] = delivery
            } else {
                state.lastNumber += 1
                deliveries[webhook.id] = Delivery(
                    webhook, number: state.lastNumber, epoch: service.epoch)
            }
        }
        state.deliveries = deliveries
        state.failing.formIntersection(deliveries.keys)
        guard !deliveries.isEmpty else { return state.watch = nil }
        if state.watch == nil {
            state.watch = service.feed.watch { [weak self] in self?.receiveNews() }
        }
    }

    /// Stores the progress.
    ///
    /// - Parameter isLast: whether another server may take over at once.
    private func save(isLast: Bool = false) {
        state.nextSave = environment.uptime() + UInt64(Self.secondsBetweenSaves * 1e9)
        let changed = state.deliveries.filter { $1.isChanged }
        guard !changed.isEmpty || isLast && service.isShared else { return }
        let (name, isShared) = (state.lease.name, service.isShared)
        do {
            let stored: [Webhook]? = try storage.change { set in
                // What another server delivers is its progress.
                guard !isShared || set.sender?.name == name else { return nil }
                for index in set.webhooks.indices {
                    guard let delivery = changed[set.webhooks[index].id] else { continue }
                    set.webhooks[index].progress = delivery.webhook.progress
                }
                if isLast { set.sender = nil }
                return set.webhooks
            }
            guard let stored else { return state.lease.giveUp() }
            counts.set(stored)
            for id in changed.keys { state.deliveries[id]?.markStored() }
        } catch {
            logger.error(
                "the progress of webhooks can't be stored; events may be repeated",
                metadata: ["error": "\(error)"])
        }
    }
}
