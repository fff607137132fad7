/// A change that a client lacks.
struct LackedChange: Equatable {
    var list: String
    var version: Int
    /// The connection on which the client waits, and how much has arrived on it.
    var state: String
}

/// A client that servers must show each change soon.
protocol WaitingClient: Part {
    /// The first change that it lacks, if it waits for changes now.
    var lackedChange: LackedChange? { get }
}

/// Checks that a change reaches each client that waits for it soon after it is durable. If not, a server has lost a wake-up.
///
/// Looks twice a second at what each client lacks. The time does not count while a fault delays what servers do.
final class DelayChecks: Part {
    private let world: World
    /// Since when clients lack a change, by their names.
    private var lacking: [String: (change: LackedChange, since: UInt64)] = [:]
    private static let interval = Scheduler.second / 2

    /// Without a fault that delays, nothing takes longer: after a lost notification, a server reads the store within 2 seconds, and
    /// also after a failed read. Then follow a few reads of less than half a second, with all calls that end before them.
    private static let bound = 4 * Scheduler.second

    init(_ world: World) {
        self.world = world
        super.init("delay checks")
        due = 0
    }

    private var isDelayed: Bool {
        let scheduler = world.scheduler
        return scheduler.isStalled || scheduler.now - scheduler.lastDelay <= Self.interval
            || world.servers.contains { $0.process?.connection.isDelayed ?? false }
    }

    override func step() {
        let now = world.scheduler.now
        due = now + (world.isAway ? 3_600 * Scheduler.second : Self.interval)
        guard !world.isAway, !isDelayed else { return lacking = [:] }
        for client in world.waitingClients {
            guard let change = client.lackedChange else {
                lacking[client.name] = nil
                continue
            }
            guard let known = lacking[client.name], known.change == change else {
                lacking[client.name] = (change, now)
                continue
            }
            guard now - known.since > Self.bound else { continue }
            let seconds = (now - known.since) / Scheduler.second
            world.checker.fail(
                "a change soon reaches the clients that wait for it",
                "\(change.list), version \(change.version), was not shown to \(client.name) for "
                    + "\(seconds) s (\(change.state))")
        }
    }
}
