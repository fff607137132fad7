import DequeModule
import ReorderAuth
import ReorderService
import ReorderStore

/// The delivery of one webhook's events, one after the other in the order of the journal.
///
/// It has at most one page of events in memory; while its receiver fails, none.
struct Delivery {
    private(set) var webhook: Webhook
    let lists: ListPatterns
    /// Distinguishes it from other deliveries of the same webhook.
    let number: Int
    private(set) var place: DeliveryPlace
    private(set) var events: Deque<DeliveryEvent> = []
    /// Whether a read or an attempt goes on.
    private(set) var isBusy = false
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

    init(_ webhook: Webhook, number: Int) {
        self.webhook = webhook
        self.number = number
        lists = webhook.selection
        place = .at(webhook.progress.position)
        storedPosition = webhook.progress.position
    }

    /// What it does next.
    enum Step {
        case nothing
        case wait(until: UInt64)
        case read(DeliveryPlace)
        case send(DeliveryEvent)
    }

    /// - Parameters:
    ///   - now: the uptime.
    ///   - mayBegin: whether attempts may begin.
    mutating func next(at now: UInt64, mayBegin: Bool) -> Step {
        guard webhook.progress.isEnabled, !isBusy, mayBegin else { return .nothing }
        guard now >= nextAttempt else { return .wait(until: nextAttempt) }
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

    mutating func take(_ page: FeedPage, epoch: String) {
        isBusy = false
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

    mutating func take(_ heads: FeedHeads, from: Int, end: Int, epoch: String) {
        isBusy = false
        for head in heads.heads {
            let place = DeliveryPlace.lists(from: from, end: end, after: head.list)
            events.append(DeliveryEvent(head, epoch: epoch, place: place))
        }
        finishPage(heads.cursor.map { .lists(from: from, end: end, after: $0) } ?? .at(end))
    }

    /// - Parameter end: the place after the page, with what follows its last event.
    private mutating func finishPage(_ end: DeliveryPlace) {
        if events.isEmpty { move(to: end) } else { events[events.count - 1].place = end }
    }

    private mutating func move(to place: DeliveryPlace) {
        self.place = place
        // The places between lists are not stored: after a restart, all lists follow again.
        guard case .at(let position) = place else { return }
        webhook.progress.position = position
        if position - storedPosition >= Self.skippedChanges { isChanged = true }
    }

    /// The read failed.
    mutating func pause(until time: UInt64) {
        isBusy = false
        nextAttempt = time
    }

    // MARK: Attempts

    /// - Parameters:
    ///   - date: the time in milliseconds since 1970.
    ///   - now: the uptime.
    mutating func end(_ outcome: WebhookOutcome, date: Int64, now: UInt64, random: UInt64) {
        isBusy = false
        guard let event = events.first else { return }
        isChanged = true
        var result = Webhook.Result(event: event.id, at: date)
        switch outcome {
        case .response(let status):
            result.status = status
            if !(200..<300).contains(status) { result.error = "The status is not 2xx." }
        case .failure(let reason): result.error = reason
        }
        webhook.progress.add(result)
        if result.error == nil {
            events.removeFirst()
            return move(to: event.place)
        }
        // Read again before the next attempt: receivers that are down use no memory.
        events = []
        isIdle = false
        let pause = DeliverySchedule.pauseSeconds(
            afterFailures: webhook.progress.failedAttempts, random: random)
        nextAttempt = now + UInt64(pause * 1e9)
    }

    // MARK: Storing

    /// The progress is stored.
    mutating func markStored() {
        isChanged = false
        storedPosition = webhook.progress.position
    }

    /// Another server may have changed the stored webhook.
    mutating func update(_ stored: Webhook) {
        guard !isChanged, !isBusy, stored.progress.isEnabled != webhook.progress.isEnabled else {
            return
        }
        webhook = stored
        nextAttempt = 0
        isIdle = false
        events = []
        place = .at(stored.progress.position)
    }
}

extension Webhook.Progress {
    fileprivate mutating func add(_ result: Webhook.Result) {
        results.append(result)
        if results.count > Webhook.keptResults { results.removeFirst() }
        guard result.error != nil else {
            delivered += 1
            failedAttempts = 0
            failingSince = nil
            return
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
}
