import ReorderService

/// Checks that a server without clients keeps nothing for them in memory.
final class BoundChecks {
    private let world: World
    private static let rule = "an idle server keeps nothing for requests"

    enum Moment {
        /// The clients are away.
        case idle
        /// No request is running, but clients follow lists.
        case rest
    }

    /// What only running requests have.
    private static let ofRequests: Set = [
        "claimed keys", "waiting writes", "parked writes", "held lists", "pinned lists",
        "undos of the server", "undos of lists",
    ]

    init(_ world: World) { self.world = world }

    func check(_ load: ServiceLoad, _ name: String, at moment: Moment) {
        for (kind, count) in load.pending.sorted(by: { $0.key < $1.key })
        where count != 0 && (moment == .idle || Self.ofRequests.contains(kind)) {
            world.checker.fail(Self.rule, "\(name): \(kind): \(count)")
        }
    }

    func run(_ process: ServerProcess) {
        guard let service = process.service, let api = process.api else { return }
        let load = service.load
        check(load, process.name, at: .idle)
        if api.openStreamCount != 0 {
            world.checker.fail(Self.rule, "\(process.name): streams: \(api.openStreamCount)")
        }
        if load.countedBytes != load.listBytes {
            world.checker.fail(
                "the cache counts its bytes",
                "\(process.name): \(load.countedBytes) of \(load.listBytes)")
        }
        // The checks at the end use one more list, and there is a list of folds.
        let lists = world.scenario.lists + 2
        if load.lists > lists || load.evictionEntries > 2 * lists + 64 || load.responsesOfList > 16
        {
            world.checker.fail("the cache is bounded", "\(process.name): \(load)")
        }
    }
}
