import RandomRuns

/// The parts of a simulation and its faults. Together with the code, it determines every step.
package struct Scenario: Sendable, Equatable {
    package var seed: UInt64
    package var steps = 3_000
    package var servers = 1
    package var lists = 3
    package var tasks = 24
    package var writers = 3
    package var readers = 1
    package var streams = 1
    package var pollers = 1
    package var syncers = 0
    /// Readers that read a list several times in short order.
    package var repeaters = 0
    /// Clients that follow the feed of all lists.
    package var feeds = 0
    /// Clients that read pages of tasks.
    package var searchers = 0
    /// Clients with tokens that allow only a part.
    package var guests = 0
    /// Webhooks with their receivers.
    package var hooks = 0
    package var faults: Set<Fault> = []

    package enum Fault: String, CaseIterable, Sendable {
        /// Servers end at any step and start again.
        case crash
        /// Servers are asked to stop, and start again.
        case stop
        /// The store takes long, sometimes very long.
        case slow
        /// Calls of the store fail.
        case failure
        /// Syncs fail, so that the server ends.
        case lostSync
        /// The outcome of commits is unknown.
        case unknown
        /// Requests and responses are lost.
        case network
        /// The system's clocks jump.
        case clock
        /// Notifications of a shared store are lost.
        case notification
        /// Lists leave memory soon after their use.
        case eviction
        /// Old changes are pruned.
        case pruning
        /// Most commits are large.
        case largeCommits
        /// Calls of the store never wait, like those of the memory store. Only for one server.
        case immediate
        /// Workers decide requests of more than a few tasks, on copies of the lists.
        case copies
        /// The store is a file on a simulated disk, whose power fails at any operation. Only for
        /// one server, and not with `immediate`.
        case disk
        /// The store is restored from a backup, and begins a new epoch.
        case restore
        /// A shared store goes back to an earlier state while its servers run. Only for several servers.
        case rewind
        /// All clients are away for hours or days, and come back. Meanwhile old changes and stored
        /// responses are removed.
        case absence
        /// A proxy loses pieces of event streams to devices with the client library, and answers some
        /// of their requests itself.
        case proxy
        /// Only a few undos and drags are allowed at a time.
        case limits
        /// Workers begin late, and their threads are at times not scheduled before a piece of work.
        case lateWorkers
        /// The power often fails while the store on the simulated disk is opened, or at one of the
        /// first operations after that.
        case startCut
        /// The simulated disk is full for some seconds.
        case full
        /// Some writes to the simulated disk fail, for a moment.
        case badWrites
        /// Long work is divided into pieces that are much smaller than usual.
        case smallPieces

        /// How many of a hundred scenarios have it.
        var percent: Int {
            switch self {
            case .immediate: 10
            // Only few scenarios have a simulated disk.
            case .startCut, .full, .badWrites: 80
            default: 40
            }
        }
    }

    package init(seed: UInt64) { self.seed = seed }

    /// A scenario that a seed determines.
    package static func random(seed: UInt64, steps: Int = 3_000) -> Scenario {
        var random = SeededGenerator(seed: seed ^ 0x5CE2_A210)
        var scenario = Scenario(seed: seed)
        scenario.steps = steps
        scenario.servers = random.chance(60) ? 1 : 2 + random.below(2)
        scenario.lists = 1 + random.below(4)
        scenario.tasks = 4 + random.below(40)
        scenario.writers = 1 + random.below(6)
        scenario.readers = random.below(3)
        scenario.streams = random.below(3)
        scenario.pollers = random.below(3)
        scenario.syncers = random.below(3)
        scenario.faults = []
        for fault in Fault.allCases where random.chance(fault.percent) {
            scenario.faults.insert(fault)
        }
        scenario.repeaters = 1 + random.below(3)
        scenario.feeds = random.below(3)
        scenario.searchers = random.below(3)
        scenario.guests = random.chance(40) ? 1 + random.below(2) : 0
        scenario.hooks = random.chance(40) ? 1 + random.below(2) : 0
        return scenario
    }

    /// The form that `init(_:)` reads.
    package var text: String {
        let names = Fault.allCases.filter(faults.contains).map(\.rawValue)
        return "seed=\(seed) steps=\(steps) servers=\(servers) lists=\(lists) tasks=\(tasks) "
            + "writers=\(writers) readers=\(readers) streams=\(streams) pollers=\(pollers) "
            + "syncers=\(syncers) repeaters=\(repeaters) "
            + "feeds=\(feeds) searchers=\(searchers) guests=\(guests) hooks=\(hooks) "
            + "faults=\(names.isEmpty ? "none" : names.joined(separator: ","))"
    }

    /// Reads a scenario; nil if the text is not one. Missing numbers have their defaults.
    package init?(_ text: String) {
        self.init(seed: 0)
        for word in text.split(separator: " ") {
            let parts = word.split(separator: "=", maxSplits: 1)
            guard parts.count == 2 else { return nil }
            if parts[0] == "faults" {
                faults = []
                for name in parts[1].split(separator: ",") where name != "none" {
                    guard let fault = Fault(rawValue: String(name)) else { return nil }
                    faults.insert(fault)
                }
                continue
            }
            if parts[0] == "seed" {
                guard let seed = UInt64(parts[1]) else { return nil }
                self.seed = seed
                continue
            }
            guard let number = Int(parts[1]), let path = Self.numbers[String(parts[0])] else {
                return nil
            }
            self[keyPath: path] = number
        }
    }

    static let numbers: [String: WritableKeyPath<Scenario, Int> & Sendable] = [
        "steps": \.steps, "servers": \.servers, "lists": \.lists, "tasks": \.tasks,
        "writers": \.writers, "readers": \.readers, "streams": \.streams, "pollers": \.pollers,
        "syncers": \.syncers, "repeaters": \.repeaters, "feeds": \.feeds,
        "searchers": \.searchers, "guests": \.guests, "hooks": \.hooks,
    ]
}
