import ReorderService
import ReorderStore

/// A time in which all clients are away, for hours or weeks. Only a few moments of it are
/// simulated. At its end nothing may be left of the requests before it.
final class Absence {
    private let world: World
    private var scheduler: Scheduler { world.scheduler }
    private static let hour = 3_600 * Scheduler.second

    init(_ world: World) { self.world = world }

    /// Call it when no part is inside a step.
    func run() {
        let hours = scheduler.random.chance(60) ? 72 : 1_000
        let duration = UInt64(1 + scheduler.random.below(hours)) * Self.hour
        scheduler.tell("all clients are away for \(duration / Self.hour) hours")
        let firstStep = scheduler.stepCount
        world.setAway(true)
        scheduler.run(until: scheduler.now + World.bound) { world.hasNoRequest }
        if !world.hasNoRequest, !scheduler.isOver {
            world.checker.fail(
                "every request ends", "in an absence: \(world.openRequests.joined(separator: ", "))"
            )
        }
        let end = scheduler.now + duration
        while !scheduler.isOver, scheduler.now < end {
            scheduler.skip(to: min(end, scheduler.now + 12 * Self.hour))
            for server in world.servers {
                // After a start, a server doubts the time for a day.
                if world.scenario.faults.contains(.crash), scheduler.now + 48 * Self.hour < end,
                    scheduler.random.below(20) == 0
                {
                    server.crash()
                }
                server.start()
            }
            scheduler.run(until: scheduler.now + Scheduler.second) { false }
        }
        // Each server passes over the whole store, and live drags expire. After a long simulation, that takes
        // longer in small pieces.
        for pass in 0..<24 where pass == 0 || !hasRemovedExpired {
            scheduler.run(until: scheduler.now + 150 * Scheduler.second) { false }
        }
        if !scheduler.isOver { check() }
        world.setAway(false)
        world.countQuiet(steps: scheduler.stepCount - firstStep)
    }

    /// In milliseconds since 1970.
    private var now: Int64 {
        Int64(world.startSeconds * 1_000) + Int64(scheduler.now / 1_000_000)
    }

    /// The responses that have expired. The clocks of servers can be wrong by an hour.
    private var expired: [StoredResponseKey] {
        world.medium.expiries.filter { $0.value < now - 3 * 3_600_000 }.keys
            .sorted { "\($0)" < "\($1)" }
    }

    private var hasRemovedExpired: Bool {
        let expired = expired
        return world.servers.allSatisfy { server in
            guard let process = server.process, trustsTime(process) else { return true }
            return process.stored(responses: expired)?.isEmpty ?? true
        }
    }

    /// Whether a day has passed since the server's first pass: before, it doubts the time, and removes nothing
    /// that has expired. The first pass is due a minute after the start, and can come 12 hours later, because
    /// an absence skips them.
    private func trustsTime(_ process: ServerProcess) -> Bool {
        scheduler.now - process.openedAt > 37 * Self.hour
    }

    private func check() {
        for server in world.servers {
            guard let process = server.process else { continue }
            BoundChecks(world).run(process)
            let (now, expired) = (now, expired)
            let left = process.stored(responses: expired)
            if trustsTime(process), let left, !left.isEmpty {
                world.checker.fail(
                    "expired responses are removed", "\(server.name): \(left.count)")
            }
            world.medium.forget(expired)
            let kept = world.medium.expiries.filter { $0.value > now + 3 * 3_600_000 }.keys
            let found = process.stored(responses: kept.sorted { "\($0)" < "\($1)" })
            if let found, found.count < kept.count {
                world.checker.fail(
                    "responses are stored until they expire",
                    "\(server.name): \(kept.count - found.count) of \(kept.count) are missing")
            }
        }
    }
}
