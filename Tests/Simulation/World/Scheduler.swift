import RandomRuns

/// Something that takes steps in a simulation: a worker of a server, a request, a client, a fault.
class Part {
    let name: String
    /// The time of its next step; `.max` means that it waits for another part.
    var due = UInt64.max
    /// Whether it takes no steps in a pause.
    var rests = false

    init(_ name: String) { self.name = name }

    /// Takes one step. `due` is `.max` at the beginning.
    func step() {}

}

/// Picks the part that takes the next step, and keeps the time.
///
/// All parts run on one thread. A call that would block a thread in production runs other parts'
/// steps meanwhile (`block`), so calls of different threads overlap.
///
/// `@unchecked Sendable`: one thread uses a whole simulation.
final class Scheduler: @unchecked Sendable {
    /// In nanoseconds since the beginning.
    private(set) var now: UInt64 = 0
    private(set) var stepCount = 0
    /// The number of blocked calls, each inside the one before.
    private(set) var depth = 0
    /// A digest of everything that has happened.
    private(set) var digest: UInt64 = 0xCBF2_9CE4_8422_2325
    var random: SeededGenerator
    private var parts: [Part] = []
    private var ready: [Part] = []
    /// A part that takes no steps until the given step, as if its thread were not scheduled.
    private var frozen: (part: Part, until: UInt64)?
    /// The end of a pause: only servers, and clients that wait for changes, take steps before it.
    var pausedUntil: UInt64 = 0
    /// The last moment of a fault that delays what servers do.
    var lastDelay: UInt64 = 0
    /// When the outermost blocked call began.
    private var blockedSince: UInt64 = 0
    /// The steps for people; nil if no one reads them.
    var story: Story?
    /// The number of steps of each part, if someone reads the story.
    private(set) var stepCounts: [String: Int] = [:]
    /// How often each fault has happened.
    private(set) var faultCounts: [String: Int] = [:]
    /// Called after each step.
    var onStep: () -> Void = {}
    /// Called while no part is inside a step, after each step of `run`.
    var onPause: () -> Void = {}
    /// Whether the simulation has failed, so that all loops end.
    var isOver = false

    static let millisecond: UInt64 = 1_000_000
    static let second: UInt64 = 1_000_000_000
    private static let deepest = 6

    init(seed: UInt64) { random = SeededGenerator(seed: seed) }

    func add(_ part: Part) { parts.append(part) }

    func remove(_ part: Part) {
        part.due = .max
        if let index = parts.firstIndex(where: { $0 === part }) { parts.remove(at: index) }
    }

    /// Takes a step of a part that is due before `limit`. Without such a part, the time is `limit`.
    @discardableResult func step(before limit: UInt64) -> Bool {
        guard !isOver else { return false }
        guard let part = pick(before: limit) else {
            now = max(now, limit)
            return false
        }
        now += UInt64(random.below(200_000))
        stepCount += 1
        note(now)
        note(part.name)
        if story != nil { stepCounts[part.name, default: 0] += 1 }
        part.due = .max
        part.step()
        onStep()
        return true
    }

    private func pick(before limit: UInt64) -> Part? {
        if let frozen, frozen.until <= now { self.frozen = nil }
        while true {
            ready.removeAll(keepingCapacity: true)
            var next = UInt64.max
            for part in parts where part.due < .max {
                let due = part.rests ? max(part.due, pausedUntil) : part.due
                if part === frozen?.part {
                    next = min(next, max(due, frozen?.until ?? 0))
                } else if due <= now {
                    ready.append(part)
                } else {
                    next = min(next, due)
                }
            }
            if !ready.isEmpty { break }
            guard next < limit else { return nil }
            now = max(now, next)
            if let frozen, frozen.until <= now { self.frozen = nil }
        }
        let part = ready[random.below(ready.count)]
        if frozen == nil, ready.count > 1, random.below(64) == 0 {
            let duration = Self.millisecond * UInt64(1 + random.below(300))
            frozen = (part, now + duration)
            return ready.first { $0 !== part }
        }
        return part
    }

    /// Runs other parts for a duration, as a call that blocks a thread does.
    func block(for duration: UInt64) { block(until: now + duration) }

    func block(until time: UInt64) {
        guard depth < Self.deepest else { return }
        if depth == 0 { blockedSince = now }
        depth += 1
        while !isOver, now < time { step(before: time) }
        depth -= 1
    }

    /// Whether a call has lasted much longer than one without faults. Those that began before it have not ended either.
    var isStalled: Bool { depth > 0 && now - blockedSince > Self.second / 2 }

    var isPaused: Bool { now < pausedUntil }

    /// Runs parts until a condition holds or a time has come.
    func run(until time: UInt64, _ isDone: () -> Bool) {
        while !isOver, now < time, !isDone() {
            step(before: time)
            if depth == 0 { onPause() }
        }
    }

    /// Lets time pass in which no part takes a step, as if no thread ran.
    func skip(to time: UInt64) { now = max(now, time) }

    func count(_ fault: String) { faultCounts[fault, default: 0] += 1 }

    // MARK: The story

    func note(_ value: UInt64) { digest = (digest ^ value) &* 0x0000_0100_0000_01B3 }

    func note(_ text: String) {
        for byte in text.utf8 { note(UInt64(byte)) }
    }

    func note(_ bytes: [UInt8]) {
        for byte in bytes { note(UInt64(byte)) }
    }

    /// Adds a line to the story.
    func tell(_ line: @autoclosure () -> String) {
        story?.add(line(), at: now, depth: depth)
    }
}

/// The steps of a simulation as lines for people; only the last ones are kept.
final class Story {
    private(set) var lines: [String] = []
    private let limit: Int

    init(limit: Int) { self.limit = limit }

    func add(_ line: String, at time: UInt64, depth: Int) {
        let microseconds = time / 1_000
        let fraction = String(1_000_000 + microseconds % 1_000_000).dropFirst()
        lines.append(
            "\(microseconds / 1_000_000).\(fraction) \(String(repeating: "| ", count: depth))\(line)"
        )
        if lines.count > 2 * limit { lines.removeFirst(limit) }
    }
}
