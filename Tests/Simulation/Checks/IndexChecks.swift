/// Compares a store's index of tasks with the lists. Call it when no part is inside a step: then no
/// commit is being stored.
final class IndexChecks {
    private let world: World

    init(_ world: World) { self.world = world }

    func run(_ server: SimulatedServer) {
        let journal = world.checker.journal
        let tasks = world.checker.knownTasks
        guard let process = server.process, let found = process.holders(of: tasks.sorted()) else {
            return
        }
        for task in tasks.sorted() where found[task] != journal.holders[task] {
            world.checker.fail(
                "the index of tasks is that of the lists",
                "\(server.name): \(task) is in \(journal.holders[task] ?? "no list"), the index "
                    + "says \(found[task] ?? "none")")
        }
    }
}
