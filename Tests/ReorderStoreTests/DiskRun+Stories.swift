import RandomRuns
import ReorderStore
import SimulatedDisk

@testable import SQLiteStore

/// The kinds of runs. Each throws a `Failure` with the events before it.
extension DiskRun {
    /// Random actions with random faults.
    static func random(seed: UInt64, actions: Int = 60) throws -> DiskRun {
        let run = try DiskRun(seed: seed, logBytes: 30_000 << Int(seed % 4))
        return try run.telling { run in
            while run.actions < actions {
                run.mayOrderFault()
                try run.perform(run.randomAction())
            }
            try run.finish()
        }
    }

    /// Lets other programs fill the disk except for this number of bytes; nil means that they use
    /// no space.
    mutating func setFreeBytes(_ bytes: Int?) {
        guard isServed else { return }
        disk.setOtherBytes(0)
        isFull = bytes != nil
        note("free space: \(bytes.map(String.init) ?? "enough")")
        if let bytes, let free = disk.space(in: SimulatedDisk.directory)?.free {
            disk.setOtherBytes(max(0, free - bytes))
        }
    }

    /// Random actions on a disk that other programs fill and empty, with power cuts.
    static func filled(seed: UInt64, actions: Int = 60) throws -> DiskRun {
        let disk = SimulatedDisk(seed: seed)
        disk.setCapacity(4 << 20)
        let run = try DiskRun(
            on: disk, seed: seed, logBytes: 30_000 << Int(seed % 4), isServed: true)
        return try run.telling { run in
            while run.actions < actions {
                if run.actions == 15 {
                    run.setFreeBytes(run.generator.below(20_000))
                } else if run.actions > 40 {
                    run.mayFillDisk()
                }
                try run.perform(run.randomAction())
            }
            try run.finish()
        }
    }

    /// A fixed run of all kinds of actions, with a stop.
    ///
    /// - Returns: a run without a restart if the disk has fewer operations.
    static func short(
        _ kind: SimulatedDisk.Stop, atOperation number: Int, seed: UInt64
    ) throws -> DiskRun {
        let run = try DiskRun(seed: seed, logBytes: 40_000, stop: (kind, number))
        return try run.telling { run in
            for action in shortActions {
                try run.perform(action)
                // The rest is the same for all stops.
                if run.restarts > 0 { break }
            }
            guard run.restarts > 0 else { return }
            try run.verify()
            try run.close()
        }
    }

    private func telling(_ body: (inout DiskRun) throws -> Void) throws -> DiskRun {
        var run = self
        do {
            try body(&run)
            return run
        } catch {
            let story = run.story.suffix(20).joined(separator: "\n")
            throw Failure(description: "\(error), after\n\(story)")
        }
    }

    private static let shortActions: [Action] = {
        let tasks = (0..<6).map { "task-\($0)" }
        func bytes(_ count: Int) -> [UInt8] { (0..<count).map { UInt8(truncatingIfNeeded: $0) } }
        func large(_ list: String, _ version: Int, _ tasks: [String]) -> ListCommit {
            ListCommit(
                list: list, version: version, at: Int64(version), change: bytes(800),
                snapshot: bytes(500),
                stateAfter: .exists(title: "large", count: tasks.count, open: 0),
                insertedTasks: tasks)
        }
        let key = StoredResponseKey(.list, of: "list-0", "key-1")
        return [
            .append([.exists("list-0", 1, snapshot: true)], [.to(key, at: 0, expires: 10)]),
            .append([large("list-1", 1, tasks), .exists("list-0", 2)], []),
            .append([.exists("list-1", 2, count: 5, deleting: ["task-0"])], []),
            .tidy(steps: 2),
            .append(
                [
                    .exists("list-1", 3, count: 0, snapshot: true, deleting: Array(tasks[1...])),
                    .exists("list-0", 3, count: 5, inserting: Array(tasks[1...])),
                ], []),
            .append([.deleted("list-0", 4)], []),
            .append([large("list-1", 4, [])], []),
            .append([.exists("list-1", 5)], []),
            .prune(olderThan: .max, keepingLast: 1, limit: 2),
            .removeResponses(expiredAt: 20, limit: 1),
            .reopen,
            .append([.deleted("list-1", 6, binned: .init(title: "large", count: 0))], []),
            .append([large("list-1", 7, tasks)], []),
            .append([.deleted("list-1", 8, at: 9, binned: .init(title: "large", count: 6))], []),
            .pruneBin(deletedBefore: 10, limit: 1),
            .tidy(steps: 20),
        ]
    }()

    /// Whether an action frees space and needs none.
    static func onlyDeletes(_ action: Action) -> Bool {
        guard case .append(let commits, []) = action else { return false }
        return commits.allSatisfy { $0.stateAfter == .deleted }
    }

    // MARK: Random choices

    private mutating func randomStop() -> SimulatedDisk.Stop {
        generator.chance(70) ? .powerCut : .kill
    }

    private mutating func mayFillDisk() {
        if generator.chance(8) { setFreeBytes(generator.below(600_000)) }
        if generator.chance(8) { setFreeBytes(nil) }
        if generator.chance(5) { disk.stop(randomStop(), atOperation: 1 + generator.below(80)) }
    }

    /// In some cases, arranges a fault that happens soon.
    private mutating func mayOrderFault() {
        guard generator.chance(15) else { return }
        switch generator.below(100) {
        case 0..<70:
            let (kind, number) = (randomStop(), 1 + generator.below(80))
            note("\(kind) in \(number) operations")
            disk.stop(kind, atOperation: number)
        case 70..<85:
            let number = 1 + generator.below(6)
            note("sync \(number) will fail")
            disk.fail(.sync, number: number)
        default:
            let number = 1 + generator.below(40)
            note("write \(number) will fail")
            disk.fail(.write, number: number)
        }
    }

    private mutating func randomAction() -> Action {
        switch generator.below(100) {
        case 0..<70:
            let commits = RandomCommits(longestBytes: 3_000, longPercent: 12)
                .next(on: model, using: &generator)
            return .append(commits, randomResponses())
        case 70..<78:
            return .prune(
                olderThan: Int64(generator.below(400)), keepingLast: generator.below(12),
                limit: 1 + generator.below(9))
        case 78..<83:
            return .removeResponses(
                expiredAt: Int64(generator.below(300)), limit: 1 + generator.below(9))
        case 83..<87: return .tidy(steps: generator.below(12))
        case 87..<90:
            return .pruneBin(
                deletedBefore: Int64(generator.below(400)), limit: 1 + generator.below(3))
        case 90..<95: return .reopen
        default: return .toggleReader
        }
    }

    private mutating func randomResponses() -> [StoredResponse] {
        guard generator.chance(25) else { return [] }
        let at = Int64(generator.below(300))
        let key = StoredResponseKey(.list, of: "list-0", "key-\(generator.below(20))")
        return [.to(key, at: at, expires: at + Int64(1 + generator.below(100)), bytes: [1, 2, 3])]
    }
}
