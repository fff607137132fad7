import MicroHTTP
import RandomRuns

/// A client that follows the feed of many lists, by pages or by event streams.
final class FeedReader: Part, WaitingClient {
    private let world: World
    private let isStream: Bool
    private let selection: FeedCopy.Selection
    private var copy: FeedCopy?
    private var count = 0
    private var sending: Sending?
    private var isOpen = false

    init(_ name: String, _ world: World) {
        self.world = world
        let lists = world.scenario.lists
        isStream = world.scheduler.random.chance(50)
        switch world.scheduler.random.below(3) {
        case 0: selection = .all
        case 1: selection = .prefix("l")
        default:
            let some = Set((0..<2).map { _ in Writer.list(world.scheduler.random.below(lists)) })
            selection = .named(some.sorted())
        }
        super.init(name)
        wait()
        world.scheduler.add(self)
    }

    var isIdle: Bool { isStream || sending == nil }

    /// Whether it has received all changes of its lists.
    var isInSync: Bool { missing == nil }

    private var missing: String? {
        let journal = world.checker.journal
        return copy?.missing(journal.lists.mapValues(\.version), journal)
    }

    var state: String { "\(name) lacks \(missing ?? "nothing") at \(copy?.place ?? "the start")" }

    var lackedChange: LackedChange? {
        guard let attempt = sending?.attempt, attempt.restores == world.checker.restores else {
            return nil
        }
        return copy?.lackedChange(on: attempt.tag, world.checker.journal)
    }

    private func wait() {
        // At times it falls so far behind that the feed has a gap.
        let limit = world.scheduler.random.chance(10) ? 8_000 : 400
        let milliseconds = UInt64(world.scheduler.random.below(limit))
        due = world.scheduler.now + milliseconds * Scheduler.millisecond
    }

    /// The client is away for some time, or back again.
    func setAway(_ isAway: Bool) {
        guard isAway else { return wait() }
        let sending = sending
        (self.sending, isOpen, due) = (nil, false, .max)
        sending?.cancel()
    }

    override func step() {
        guard !world.isAway else { return }
        if isOpen {
            guard !world.isCalm else { return }
            guard !world.scheduler.isPaused else { return wait() }
            // Breaks the connection at times.
            if world.scheduler.random.below(8) == 0 {
                sending?.cancel()
                (sending, isOpen) = (nil, false)
            }
            return wait()
        }
        guard sending == nil else { return }
        if world.isEnding, isInSync { return wait() }
        count += 1
        let intention = isStream ? stream() : page()
        let attempt = world.checker.attempt(intention)
        let sending = Sending(attempt, to: world.server(), world) { [weak self] response in
            self?.receive(response, attempt)
        }
        self.sending = sending
        guard isStream else { return }
        sending.onEvents = { [weak self, weak sending] bytes in
            guard let self, let sending, self.sending === sending else { return }
            self.receive(bytes, attempt, sending.epoch)
        }
    }

    private func stream() -> Intention {
        let query = selection.query
        let intention = Intention(
            "\(name).\(count)", .events, .get, "/events" + (query.isEmpty ? "" : "?\(query)"),
            action: "stream of the feed")
        if let place = copy?.place { intention.headers.append(("Last-Event-ID", place)) }
        return intention
    }

    private func page() -> Intention {
        let limit = 1 + world.scheduler.random.below(6)
        var parts = ["limit=\(limit)"]
        if !selection.query.isEmpty { parts.append(selection.query) }
        if let place = copy?.place { parts.append("since=\(place)") }
        let seconds =
            world.isEnding
            ? 0 : world.scheduler.isPaused ? 8 : world.scheduler.random.below(3) * 8
        if seconds > 0 { parts.append("wait=\(seconds)") }
        return Intention(
            "\(name).\(count)", .readFeed, .get, "/changes?\(parts.joined(separator: "&"))",
            action: "page of the feed")
    }

    // MARK: Responses

    private func receive(_ response: Response?, _ attempt: Attempt) {
        if response?.stream != nil, sending?.stream != nil {
            isOpen = true
        } else {
            sending = nil
        }
        wait()
        // A response from before a restore shows what was there then.
        guard !isStream, let response, response.status == 200,
            attempt.answeredAfter == world.checker.restores
        else { return }
        guard let page = ParsedJSON.object(response.plainBody),
            let events = page["events"] as? [[String: Any]], let next = page["next"] as? String
        else { return fail("a page can't be read") }
        let pieces = FeedPageText(response.plainBody, events)
        guard let pieces else { return fail("a page has another form") }
        take(pieces.events, next, attempt, world.checker.journal)
        guard page["more"] as? Bool == false else { return }
        let floor = world.checker.floor(of: attempt)
        if let missing = copy?.missing(floor, world.checker.journal) {
            fail("the last page lacks \(missing)")
        }
    }

    /// - Parameter epoch: that of the server. It is a former one while the server has not noticed that the store
    ///   went back. Until then, its streams have the changes of the former journal that are in its memory.
    private func receive(_ bytes: [UInt8]?, _ attempt: Attempt, _ epoch: String) {
        guard let bytes else {
            (sending, isOpen) = (nil, false)
            return wait()
        }
        guard let journal = world.checker.journal(of: epoch) else {
            return fail("the epoch \(epoch) never existed")
        }
        for block in String(decoding: bytes, as: UTF8.self).split(separator: "\n\n") {
            var (id, name, data) = (String?.none, "", "")
            for line in block.split(separator: "\n") {
                if line.hasPrefix("id: ") { id = String(line.dropFirst(4)) }
                if line.hasPrefix("event: ") { name = String(line.dropFirst(7)) }
                if line.hasPrefix("data: ") { data = String(line.dropFirst(6)) }
            }
            let isContent = !["", "hello", "stopping"].contains(name)
            let event = FeedCopy.Event(name: name, data: Array(data.utf8))
            take(isContent ? [event] : [], id, attempt, journal)
        }
    }

    private func take(
        _ events: [FeedCopy.Event], _ next: String?, _ attempt: Attempt, _ journal: Journal
    ) {
        guard let copy else {
            let isPresent = journal === world.checker.journal
            let floor = isPresent ? world.checker.floor(of: attempt) : [:]
            // Events of the first response come after a place that the client does not know.
            copy = next.map { FeedCopy(selection, at: $0, since: floor, journal) }
            return
        }
        var after = copy
        if let difference = after.take(events, next: next, journal) { fail(difference) }
        self.copy = after
        for event in events { world.checker.reach("feed: \(event.name)") }
    }

    private func fail(_ difference: String) {
        world.checker.fail("the feed has each change once", "\(name): \(difference)")
    }
}

/// The events in the text of a page of the feed.
private struct FeedPageText {
    private(set) var events: [FeedCopy.Event] = []

    /// - Parameter parsed: the events as a JSON parser reads them.
    /// - Returns: nil if the text has another form.
    init?(_ body: [UInt8], _ parsed: [[String: Any]]) {
        var rest = Array("{\"events\":[".utf8)[...]
        guard body.starts(with: rest) else { return nil }
        rest = body.dropFirst(rest.count)
        for (index, event) in parsed.enumerated() {
            guard let name = event["event"] as? String else { return nil }
            let head = (index == 0 ? "" : ",") + "{\"event\":\"\(name)\","
            guard rest.starts(with: head.utf8) else { return nil }
            rest = rest.dropFirst(head.utf8.count)
            let next = index + 1 < parsed.count ? ",{\"event\":\"" : "],\"next\":"
            guard let end = rest.firstRange(of: Array(next.utf8)) else { return nil }
            events.append(
                FeedCopy.Event(name: name, data: [UInt8(ascii: "{")] + rest[..<end.lowerBound]))
            rest = rest[end.lowerBound...]
        }
    }
}
