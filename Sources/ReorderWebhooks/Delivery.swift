import DequeModule
import ReorderAuth
import ReorderService
import ReorderStore

/// The delivery of one webhook's events, one after the other in the order of the journal.
///
/// It has at most one page of events in memory; while its receiver fails, none.
struct Delivery {
    private(set) var webhook: Webhook
    private(set) var lists: ListPatterns
    /// Distinguishes it from other deliveries of the same webhook.
    let number: Int
    /// The store's.
    private let epoch: String
    private(set) var place: DeliveryProgress
    private(set) var events: Deque<DeliveryEvent> = []
    /// Whether a read or an attempt goes on.
    private(set) var isBusy = false
    /// The stored webhook, if it was read during that.
    private var waitingUpdate: Webhook?
    /// Whether there is nothing to read before the next news.
    private var isIdle = false
    /// Whether news came during the read.
    private var hasNews = false
    /// The uptime before which no attempt begins.
    private(set) var nextAttempt: UInt64 = 0
    /// Whether the progress is to be stored.
    private(set) var isChanged = false
    /// The position that is stored.
    private var storedPosition: Int

    /// After this many changes of other lists the position is stored.
    private static let skippedChanges = 1_000

    init(_ webhook: Webhook, number: Int, epoch: String) {
        self.webhook = webhook
        self.number = number
        self.epoch = epoch
        lists = webhook.selection
        place = webhook.progress.place(in: epoch)
        storedPosition = webhook.progress.position
    }

    /// What it does next.
    enum Step {
        case nothing
        case wait(until: UInt64)
        case read(DeliveryProgress)
        case send(DeliveryEvent)
    }

    /// - Parameters:
    ///   - now: the uptime.
    ///   - mayBegin: whether attempts may begin.
    mutating func next(at now: UInt64, mayBegin: Bool) -> Step {
        guard webhook.progress.isEnabled, !isBusy, mayBegin else { return .nothing }
        guard now >= nextAttempt else { return .wait(until: nextAttempt) }
        while let event = events.first, event.id == webhook.skippedEvent {
            finish(event)
            isChanged = true
        }
        if let event = events.first {
            isBusy = true
            return .send(event)
        }
        guard !isIdle else { return .nothing }
        isBusy = true
        hasNews = false
        return .read(place)
    }

    mutating func receiveNews() {
        isIdle = false
        hasNews = true
    }

    // MARK: Pages

    mutating func take(_ page: FeedPage) {
        defer { endWork() }
        switch page {
        case .gap(let from, let end): place = .lists(from: from, end: end, after: nil)
        case .entries(let entries, let isLast, let end):
            for entry in entries where lists.allow(entry.list) && !entry.isHidden {
                events.append(DeliveryEvent(entry, epoch: epoch, lists: lists))
            }
            finishPage(.at(end))
            if isLast, !hasNews { isIdle = true }
        }
    }

    mutating func take(_ heads: FeedHeads, from: Int, end: Int) {
        defer { endWork() }
        for head in heads.heads {
            let place = DeliveryProgress.lists(from: from, end: end, after: head.list)
            events.append(DeliveryEvent(head, epoch: epoch, place: place))
        }
        finishPage(heads.cursor.map { .lists(from: from, end: end, after: $0) } ?? .at(end))
    }

    /// - Parameter end: the place after the page, with what follows its last event.
    private mutating func finishPage(_ end: DeliveryProgress) {
        if events.isEmpty { move(to: end) } else { events[events.count - 1].place = end }
    }

    private mutating func move(to place: DeliveryProgress) {
        self.place = place
        // The places between lists are not stored: after a restart, all lists follow again.
        guard case .at(let position) = place else { return }
        let isOfEpoch = webhook.progress.epoch == epoch
        webhook.progress.position = position
        webhook.progress.epoch = epoch
        if !isOfEpoch || position - storedPosition >= Self.skippedChanges { isChanged = true }
    }

    /// The read failed.
    mutating func pause(until time: UInt64) {
        defer { endWork() }
        nextAttempt = time
    }

    // MARK: Attempts

    /// - Parameters:
    ///   - date: the time in milliseconds since 1970.
    ///   - now: the uptime.
    mutating func end(_ outcome: WebhookOutcome, date: Int64, now: UInt64, random: UInt64) {
        defer { endWork() }
        guard let event = events.first else { return }
        isChanged = true
        let result = Webhook.Result(outcome, of: event.id, at: date)
        webhook.progress.add(result)
        guard result.error != nil else { return finish(event) }
        // Read again before the next attempt: receivers that are down use no memory.
        reset()
        let wanted: Int? = if case .response(_, let seconds) = outcome { seconds } else { nil }
        let pause = DeliverySchedule.pauseSeconds(
            afterFailures: webhook.progress.failedAttempts, wanted: wanted, random: random)
        nextAttempt = now + UInt64(pause * 1e9)
    }

    /// The first event is delivered or skipped.
    private mutating func finish(_ event: DeliveryEvent) {
        webhook.progress.endFailures()
        events.removeFirst()
        move(to: event.place)
    }

    private mutating func reset() {
        events = []
        isIdle = false
    }

    private mutating func endWork() {
        isBusy = false
        if let stored = waitingUpdate.take() { update(stored) }
    }

    // MARK: Storing

    /// The progress is stored.
    mutating func markStored() {
        isChanged = false
        storedPosition = webhook.progress.position
    }

    /// The stored webhook may have changed. Its progress counts only if that enables or disables it.
    mutating func update(_ stored: Webhook) {
        guard !isBusy else { return waitingUpdate = stored }
        let former = webhook
        var progress = former.progress
        let isSwitched = !isChanged && stored.progress.isEnabled != progress.isEnabled
        if isSwitched { progress = stored.progress }
        webhook = stored
        webhook.progress = progress
        guard isSwitched || !webhook.hasSettings(of: former) else { return }
        if webhook.url != former.url, progress.isEnabled, progress.failedAttempts > 0 {
            webhook.progress.endFailures()
            isChanged = true
        }
        lists = stored.selection
        nextAttempt = 0
        reset()
        place = webhook.progress.place(in: epoch)
    }
}

extension Webhook {
    /// Whether another state of this webhook has the same settings.
    fileprivate func hasSettings(of other: Webhook) -> Bool {
        var other = other
        other.progress = progress
        return other == self
    }
}

extension Webhook.Progress {
    /// Where the delivery continues. In a new epoch, a receiver can have changes that the store has lost, so it
    /// gets all lists. As in the feed, no change has the position `Int.max`.
    fileprivate func place(in epoch: String) -> DeliveryProgress {
        .at(self.epoch == nil || self.epoch == epoch ? position : .max)
    }

    fileprivate mutating func add(_ result: Webhook.Result) {
        results.append(result)
        if results.count > Webhook.keptResults { results.removeFirst() }
        guard result.error != nil else {
            delivered += 1
            return endFailures()
        }
        failed += 1
        failedAttempts += 1
        let since = failingSince ?? result.at
        failingSince = since
        let isHopeless =
            result.at - since >= DeliverySchedule.patience
            && failedAttempts >= DeliverySchedule.fewestAttempts
        // 410 (gone): the receiver wants no more events.
        if isHopeless || result.status == 410 { isEnabled = false }
    }

    /// The attempts for the current event have come to an end.
    mutating func endFailures() {
        failedAttempts = 0
        failingSince = nil
    }
}
