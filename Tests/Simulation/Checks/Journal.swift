import ReorderEngine
import ReorderJSON
import ReorderStore

/// Why a simulation has failed.
package struct Violation: Error, Sendable, Equatable {
    /// The name of the broken rule.
    package var rule: String
    package var details: String
}

/// The durable state: all versions of all lists, seen at the moment when they become durable.
///
/// It is the model that everything else is compared with. It replays each change on its own copy of
/// the list and checks the guarantees that concern the store alone.
final class Journal {
    struct History {
        var version = 0
        var list: ReorderableList?
        var changes: [Int: [UInt8]] = [:]
        /// The versions at which the list exists.
        var existing: Set<Int> = []
        /// The states of the list, by version.
        var states: [Int: ReorderableList] = [:]
        /// The first version that responses can show: the one at the last restore.
        var firstShown = 1
        /// Whether the list is in the bin.
        var isInBin = false
    }

    private(set) var lists: [String: History] = [:]
    /// The list that contains each task.
    private(set) var holders: [TaskID: String] = [:]
    /// The versions that each attempt of a request has made.
    private(set) var versions: [String: [(list: String, version: Int)]] = [:]
    /// The operations of the client library that were decided.
    private(set) var operations: Set<String> = []
    /// The epoch of the store.
    private(set) var epoch = StoreMedium.firstEpoch

    init() {}

    /// The journal of a store that is restored from a backup.
    ///
    /// - Parameter backup: the journal at the moment of the backup.
    init(restoring backup: Journal, epoch: String) {
        (lists, holders, versions) = (backup.lists, backup.holders, backup.versions)
        operations = backup.operations
        self.epoch = epoch
        for (id, history) in backup.lists { lists[id]?.firstShown = history.version }
    }

    /// A copy of the present state.
    func copy() -> Journal {
        let copy = Journal()
        (copy.lists, copy.holders, copy.versions) = (lists, holders, versions)
        (copy.epoch, copy.operations) = (epoch, operations)
        return copy
    }

    /// Notes that a commit has decided operations.
    func decide(_ operations: [String]) { self.operations.formUnion(operations) }

    func version(_ list: String) -> Int { lists[list]?.version ?? 0 }

    /// Whether the list exists.
    func has(_ list: String) -> Bool { lists[list]?.list != nil }

    func append(_ commits: [ListCommit]) throws(Violation) {
        for commit in commits {
            try append(commit)
            try checkTransfer(commit, commits)
        }
    }

    /// Checks that a move to another list changes both lists at once.
    private func checkTransfer(
        _ commit: ListCommit, _ commits: [ListCommit]
    ) throws(Violation) {
        guard let change = try? ChangeDocument(json: commit.change),
            let transfer = change.transfer
        else { return }
        let (other, expected): (String, ChangeDocument.Transfer) =
            switch transfer {
            case .to(let list): (list, .from(commit.list))
            case .from(let list): (list, .to(commit.list))
            }
        let hasOther = commits.contains { candidate in
            candidate.list == other
                && (try? ChangeDocument(json: candidate.change))?.transfer == expected
        }
        if !hasOther {
            throw Violation(
                rule: "a move to another list changes both at once",
                details: "\(commit.list) v\(commit.version)")
        }
    }

    private func append(_ commit: ListCommit) throws(Violation) {
        let id = commit.list
        var history = lists[id] ?? History()
        guard commit.version == history.version + 1 else {
            throw Violation(
                rule: "versions have no gap and no repetition",
                details: "\(id) v\(commit.version) after v\(history.version)")
        }
        guard let change = try? ChangeDocument(json: commit.change),
            change.version == commit.version
        else {
            throw Violation(rule: "a change is readable", details: "\(id) v\(commit.version)")
        }
        let before = Set(history.list?.tasks.map(\.id) ?? [])
        history.list = try list(after: commit, change, history.list)
        let after = Set(history.list?.tasks.map(\.id) ?? [])
        try check(commit, before, after)
        history.version = commit.version
        history.changes[commit.version] = commit.change
        if history.list != nil { history.existing.insert(commit.version) }
        history.states[commit.version] = history.list
        history.isInBin = commit.stateAfter == .deleted && commit.binned != nil
        lists[id] = history
        versions[change.client ?? "", default: []].append((id, commit.version))
    }

    private func list(
        after commit: ListCommit, _ change: ChangeDocument, _ before: ReorderableList?
    ) throws(Violation) -> ReorderableList? {
        if case .deleted = commit.stateAfter { return nil }
        var list = before
        let place = "\(commit.list) v\(commit.version)"
        if change.operations.contains(.replace) {
            guard let snapshot = commit.snapshot else {
                throw Violation(rule: "a replacement has a snapshot", details: place)
            }
            list = try? ListDocument(json: snapshot).makeList()
        } else {
            do {
                list?.changeStamp = change.stamp
                try list?.apply(change.operations)
            } catch {
                throw Violation(rule: "a change can be replayed", details: "\(place): \(error)")
            }
        }
        guard let list else { throw Violation(rule: "a change has a list", details: place) }
        if let broken = list.checkInvariants() {
            throw Violation(rule: "a list keeps its invariants", details: "\(place): \(broken)")
        }
        if let snapshot = commit.snapshot,
            ListDocument.json(id: commit.list, version: commit.version, of: list) != snapshot
        {
            throw Violation(rule: "a snapshot is the fold of the changes", details: place)
        }
        return list
    }

    /// Checks that each task is in one list, and that the commit names each task that comes and
    /// goes.
    private func check(
        _ commit: ListCommit, _ before: Set<TaskID>, _ after: Set<TaskID>
    ) throws(Violation) {
        let place = "\(commit.list) v\(commit.version)"
        for task in before.subtracting(after) where holders[task] == commit.list {
            holders[task] = nil
        }
        for task in after.subtracting(before).sorted() {
            if let holder = holders[task] {
                throw Violation(
                    rule: "a task is in one list", details: "\(task) is in \(holder) and \(place)")
            }
            holders[task] = commit.list
        }
        if commit.stateAfter != .deleted, Set(commit.deletedTasks) != before.subtracting(after) {
            throw Violation(rule: "a commit names its deleted tasks", details: place)
        }
        guard
            commit.stateAfter == .deleted
                || Set(commit.insertedTasks).isSuperset(of: after.subtracting(before))
        else { throw Violation(rule: "a commit names its inserted tasks", details: place) }
    }

    /// The body of the response to a read of a list; nil if no response can show this version.
    func document(
        of id: String, _ version: Int, _ window: ListDocument.Window
    ) -> [UInt8]? {
        guard let list = state(of: id, version) else { return nil }
        return ListDocument.json(
            id: id, version: version, epoch: epoch, of: list, window, showsOffsetLock: true)
    }

    /// The body of the response to a read of a task; nil if no response can show it at this version
    /// of the list.
    func document(ofTask task: TaskID, in list: String, _ version: Int) -> [UInt8]? {
        guard let task = state(of: list, version)?.task(task) else { return nil }
        var writer = JSONWriter()
        writer.task(task)
        return writer.takeBytes()
    }

    private func state(of id: String, _ version: Int) -> ReorderableList? {
        guard let history = lists[id], version >= history.firstShown else { return nil }
        return history.states[version]
    }

    static func digest(_ bytes: [UInt8]) -> UInt64 {
        bytes.reduce(0xCBF2_9CE4_8422_2325) { ($0 ^ UInt64($1)) &* 0x0000_0100_0000_01B3 }
    }
}

extension ReorderableList {
    fileprivate mutating func apply(_ operations: [ListOperation]) throws {
        for operation in operations { try apply(operation) }
    }

    /// The list without the times of its last changes: an undo is a change, and sets them too.
    var withoutLastChanges: ReorderableList? {
        var list = try? ReorderableList(
            settings: settings, sections: sections.map { ($0.id, $0.title) },
            tasks: tasks.map { task in
                var content = task.content
                (content.stamps.updatedAt, content.stamps.updatedBy) = (nil, nil)
                return Entry(
                    content: content, section: task.placement.section,
                    parent: task.placement.parent)
            },
            sectionData: Dictionary(
                uniqueKeysWithValues: sections.compactMap { section in
                    section.data.map { (section.id, $0) }
                }))
        list?.times.createdAt = times.createdAt
        return list
    }
}
