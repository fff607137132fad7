import MicroHTTP
import RandomRuns

/// A client that follows a list over event streams.
final class StreamWatcher: Part, WaitingClient {
    private let world: World
    private let list: String
    private var count = 0
    private var sending: Sending?
    private var isOpen = false
    /// The version after which the stream continues.
    private var place = Token(0, epoch: nil)
    private var isGone = false

    init(_ name: String, _ world: World) {
        self.world = world
        list = Writer.list(world.scheduler.random.below(world.scenario.lists))
        super.init(name)
        due = 0
        world.scheduler.add(self)
    }

    var lackedChange: LackedChange? {
        let journal = world.checker.journal
        guard isOpen, let sending, place.isOf(journal.epoch),
            place.version < journal.version(list)
        else { return nil }
        return LackedChange(list: list, version: place.version + 1, state: sending.attempt.tag)
    }

    private func wait() {
        due =
            world.scheduler.now + UInt64(world.scheduler.random.below(500)) * Scheduler.millisecond
    }

    /// The client is away for some time, or back again.
    func setAway(_ isAway: Bool) {
        guard isAway else { return wait() }
        sending?.cancel()
        (sending, isOpen, due) = (nil, false, .max)
    }

    override func step() {
        guard !world.isAway else { return }
        if isOpen {
            // Breaks the connection at times.
            guard !world.isCalm else { return }
            if !world.scheduler.isPaused, world.scheduler.random.below(8) == 0 {
                sending?.cancel()
                sending = nil
                isOpen = false
            }
            wait()
            return
        }
        guard sending == nil else { return }
        // A client seldom asks for a list that it knows to be missing.
        if isGone, !world.checker.journal.has(list), !world.scheduler.random.chance(10) {
            return wait()
        }
        count += 1
        let intention = Intention(
            "\(name).\(count)", .events, .get, "/lists/\(list)/events", list: list)
        intention.headers.append(("Last-Event-ID", place.text))
        let sending = Sending(world.checker.attempt(intention), to: world.server(), world) {
            [weak self] response in self?.receive(response)
        }
        self.sending = sending
        sending.onEvents = { [weak self, weak sending] bytes in
            guard let self, let sending, self.sending === sending else { return }
            self.receive(bytes)
        }
    }

    private func receive(_ response: Response?) {
        if response?.stream != nil, sending?.stream != nil {
            isOpen = true
        } else {
            sending = nil
            isGone = response?.status == 404
        }
        wait()
    }

    private func receive(_ bytes: [UInt8]?) {
        guard let bytes else {
            world.scheduler.tell("\(name) loses its stream")
            sending = nil
            isOpen = false
            return wait()
        }
        let text = String(decoding: bytes, as: UTF8.self)
        for event in text.split(separator: "\n\n") {
            var id: Token?
            var type = ""
            var data = ""
            for line in event.split(separator: "\n") {
                if line.hasPrefix("id: ") { id = Token(line.dropFirst(4)) }
                if line.hasPrefix("event: ") { type = String(line.dropFirst(7)) }
                if line.hasPrefix("data: ") { data = String(line.dropFirst(6)) }
            }
            receive(type, id, data)
        }
    }

    private func receive(_ type: String, _ id: Token?, _ data: String) {
        world.scheduler.tell("\(name) gets \(type) \(id?.text ?? "")")
        guard let id else { return }
        // The server may have sent it before a restore.
        if sending?.attempt.answeredAfter == world.checker.restores { check(type, id, data) }
        switch type {
        case "change":
            isGone = false
            place = id
        case "refetch": place = id
        case "deleted": isGone = true
        default: break
        }
    }

    private func check(_ type: String, _ id: Token, _ data: String) {
        let checker = world.checker
        checker.shows(list, id.version, name)
        if !id.isOf(checker.journal.epoch) {
            checker.fail("an event has the epoch of the store", "\(name): \(type) \(id.text)")
        }
        guard type == "change" else { return }
        if !place.isOf(checker.journal.epoch) {
            checker.fail(
                "a stream from before a restore does not continue",
                "\(name): \(id.text) after \(place.text)")
        }
        if id.version != place.version + 1 {
            checker.fail(
                "a stream misses and repeats nothing",
                "\(name): v\(id.version) after v\(place.version)")
        }
        if checker.journal.lists[list]?.changes[id.version] != Array(data.utf8) {
            checker.fail("an event is a change of the journal", "\(name): v\(id.version)")
        }
    }

    /// Checks at the end that it has received everything.
    func checkEnd() {
        let last = world.checker.journal.version(list)
        if isOpen, place.version < last || !place.isOf(world.checker.journal.epoch) {
            world.checker.fail(
                "a stream receives every change", "\(name): \(list) v\(place.text) of v\(last)")
        }
    }
}
