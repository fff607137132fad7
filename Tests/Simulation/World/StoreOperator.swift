import ReorderStore

/// The person who makes backups of the store and restores them.
final class StoreOperator {
    private enum Content {
        case memory(Int)
        /// A copy of the store's files, by name.
        case files([String: [UInt8]], isMarked: Bool)
    }

    private let world: World
    private var backup: (content: Content, journal: Journal)?

    init(_ world: World) { self.world = world }

    /// Makes a backup, or restores the last one. Call it when no part is inside a step.
    func work() {
        if backup == nil || world.scheduler.random.chance(35) { backUp() } else { restore() }
    }

    /// Makes a backup, or puts the last one below the servers, as a failover that loses commits does.
    /// Call it when no part is inside a step.
    func rewind() {
        guard let (content, journal) = backup, case .memory(let count) = content,
            world.medium.hasChanges(after: count), world.scheduler.random.chance(65)
        else { return backUp() }
        for server in world.servers {
            // A response that is on its way shows what was there before.
            server.process?.breakRequests()
            // Another server would answer in the former epoch, until the first one has noticed the loss.
            server.process?.connection.see()
        }
        let epoch = StoreEpoch.makeName(using: &world.scheduler.random)
        world.scheduler.tell("the store goes back; epoch \(epoch)")
        do {
            try world.medium.rewind(to: count, nextEpoch: epoch)
        } catch {
            world.checker.fail("a store can go back", "\(error)")
        }
        world.checker.restore(journal, epoch: epoch)
        backup = nil
        world.scheduler.count("rewound")
    }

    private var rewinds: [() -> Void] = []
    private var isTakingRewind = false

    /// A server is to begin again when no part is inside a step, also during other ordered work.
    func order(rewind: @escaping () -> Void) { rewinds.append(rewind) }

    func takeRewinds() {
        guard !isTakingRewind else { return }
        isTakingRewind = true
        while !rewinds.isEmpty, !world.scheduler.isOver { rewinds.removeFirst()() }
        isTakingRewind = false
    }

    private func backUp() {
        guard let disk = world.disk else {
            world.scheduler.tell("a backup is made")
            backup = (.memory(world.medium.backup), world.checker.journal.copy())
            return
        }
        // The next server finds out what an interrupted append has stored.
        guard world.servers[0].process != nil, !disk.disk.hasStopped else { return }
        let isMarked = world.scheduler.random.chance(60)
        world.scheduler.tell(isMarked ? "a backup is made" : "a snapshot of the disk is made")
        do {
            let files =
                isMarked
                ? [DiskMedium.path: try disk.backUp()]
                : disk.disk.contents.filter { !$0.key.hasSuffix("-shm") }
            backup = (.files(files, isMarked: isMarked), world.checker.journal.copy())
        } catch {
            world.checker.fail("a backup can be made", "\(error)")
        }
    }

    /// Stops all servers, replaces the store's content with the backup, and starts the servers.
    private func restore() {
        guard let (content, journal) = backup else { return }
        let random = world.scheduler.random.below(2)
        world.isClosed = true
        for server in world.servers { if random == 0 { server.stop() } else { server.crash() } }
        for server in world.servers { server.crash() }
        world.isClosed = false
        let epoch = StoreEpoch.makeName(using: &world.scheduler.random)
        world.scheduler.tell("the store is restored; epoch \(epoch)")
        do {
            switch content {
            case .memory(let count): try world.medium.restore(count, epoch: epoch)
            case .files(let files, let isMarked):
                world.disk?.restore(files, isMarked: isMarked, epoch: epoch)
                // The backup may be older than some responses.
                world.medium.forget(Array(world.medium.expiries.keys))
            }
        } catch {
            world.checker.fail("a backup can be restored", "\(error)")
        }
        world.checker.restore(journal, epoch: epoch)
        world.scheduler.count("restored")
        for server in world.servers where world.scheduler.random.chance(70) { server.start() }
    }
}
