import ReorderService

/// Checks that a server without clients keeps nothing for them in memory.
final class BoundChecks {
    private let world: World
    private static let rule = "an idle server keeps nothing for requests"

    init(_ world: World) { self.world = world }

    func run(_ process: ServerProcess) {
        guard let service = process.service, let api = process.api else { return }
        let load = service.load
        for (name, count) in load.pending.sorted(by: { $0.key < $1.key }) where count != 0 {
            world.checker.fail(Self.rule, "\(process.name): \(name): \(count)")
        }
        if api.openStreamCount != 0 {
            world.checker.fail(Self.rule, "\(process.name): streams: \(api.openStreamCount)")
        }
        if load.countedBytes != load.listBytes {
            world.checker.fail(
                "the cache counts its bytes",
                "\(process.name): \(load.countedBytes) of \(load.listBytes)")
        }
        // The checks at the end use one more list.
        let lists = world.scenario.lists + 1
        if load.lists > lists || load.evictionEntries > 2 * lists + 64 || load.responsesOfList > 16
        {
            world.checker.fail("the cache is bounded", "\(process.name): \(load)")
        }
    }
}
