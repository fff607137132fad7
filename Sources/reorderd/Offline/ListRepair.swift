import Foundation
import ReorderEngine
import ReorderJSON
import ReorderStore

/// The last version of a list that can be read, and what comes after it.
struct ListRepair {
    /// A part of the list that is not in the repaired list.
    struct LeftOut {
        /// For people.
        var text: String
        /// One line.
        var json: [UInt8]
    }

    /// The list's last version, which can't be read.
    let lastVersion: Int
    /// The version that is brought back; 0 if no version can be read.
    private(set) var version = 0
    private(set) var leftOut: [LeftOut] = []
    private let id: String
    private var list = ReorderableList(settings: ListSettings(title: ""))

    /// - Returns: nil if the list does not exist.
    init?(of id: String, in store: any ListStore) throws {
        guard let head = try store.head(of: id), head.exists else { return nil }
        self.id = id
        lastVersion = head.version
        for snapshot in try store.validSnapshots(of: id) {
            guard let found = Self.replay(snapshot, of: id, upTo: head.version, store) else {
                leave(snapshot)
                continue
            }
            if found.version > version { (version, list) = found }
        }
        let first = version > 0 ? version : try store.prunedVersion(of: id)
        for number in first + 1..<lastVersion + 1 { leaveChange(number, in: store) }
        try leaveTasksOfOthers(in: store)
    }

    /// The last version that a snapshot and the changes after it lead to.
    private static func replay(
        _ snapshot: StoredSnapshot, of id: String, upTo last: Int, _ store: any ListStore
    ) -> (version: Int, list: ReorderableList)? {
        guard var list = try? ListDocument(json: snapshot.bytes).makeList() else { return nil }
        var version = snapshot.version
        while version < last,
            let stored = try? store.changes(of: id, after: version, limit: 1)?.first,
            let change = try? ChangeDocument(json: stored.bytes), change.version == version + 1
        {
            var next = list
            next.changeStamp = change.stamp
            let isApplied = change.operations.allSatisfy { (try? next.apply($0)) != nil }
            guard isApplied, next.checkInvariants() == nil else { break }
            list = next
            version += 1
        }
        return (version, list)
    }

    // MARK: What is left out

    private mutating func leave(_ snapshot: StoredSnapshot) {
        leave("the snapshot of version \(snapshot.version), which can't be read") { writer in
            writer.name("snapshot")
            writer.int(snapshot.version)
            writer.stored(snapshot.bytes)
        }
    }

    private mutating func leaveChange(_ number: Int, in store: any ListStore) {
        let change: [UInt8]
        do {
            guard
                let found = try store.changes(of: id, after: number - 1, limit: 1)?.first
            else { throw StoreError.corrupt(place: "", reason: "it is not stored") }
            change = found.bytes
        } catch {
            return leave("version \(number): \((error as? StoreError)?.reason ?? "\(error)")") {
                $0.name("version")
                $0.int(number)
                $0.name("reason")
                $0.string((error as? StoreError)?.reason ?? "\(error)")
            }
        }
        leave("version \(number)") { writer in
            writer.name("version")
            writer.int(number)
            writer.stored(change)
        }
    }

    /// Another list can have got tasks by a change that is left out here.
    private mutating func leaveTasksOfOthers(in store: any ListStore) throws {
        let ids = list.taskIDs
        for start in stride(from: 0, to: ids.count, by: 1_000) {
            let part = Array(ids[start..<min(start + 1_000, ids.count)])
            let holders = try store.lists(containing: part)
            for task in part {
                guard let holder = holders[task], holder != id, list.contains(task) else {
                    continue
                }
                let before = list.tasks
                try list.apply(.delete(task: task))
                for gone in before where !list.contains(gone.id) {
                    leave(
                        "task \(gone.id): \(gone.id == task ? "" : "a subtask of one that ")list \(holder) has"
                    ) { writer in
                        writer.name("task")
                        writer.string(gone.id)
                        writer.name("title")
                        writer.string(gone.content.title)
                        writer.name("data")
                        if let data = gone.content.data {
                            writer.raw(Array(data.utf8))
                        } else {
                            writer.null()
                        }
                    }
                }
            }
        }
    }

    private mutating func leave(_ text: String, _ write: (inout JSONWriter) -> Void) {
        var writer = JSONWriter()
        writer.beginObject()
        write(&writer)
        writer.endObject()
        leftOut.append(LeftOut(text: text, json: writer.takeBytes() + [UInt8(ascii: "\n")]))
    }

    // MARK: The repaired list

    /// The deletion of the list, which also removes all its tasks from the index of tasks, and its
    /// creation.
    func commits(at time: Date) -> [ListCommit] {
        func commit(
            _ version: Int, _ kind: ChangeDocument.Kind, _ snapshot: [UInt8]?,
            _ outcome: ListCommit.State, _ inserted: [TaskID] = []
        ) -> ListCommit {
            let change = ChangeDocument(
                version: version, at: time, client: nil, kind: kind, operations: [.replace])
            return ListCommit(
                list: id, version: version, at: change.milliseconds, change: change.json(),
                snapshot: snapshot, stateAfter: outcome, insertedTasks: inserted)
        }
        let new = lastVersion + 2
        return [
            commit(lastVersion + 1, .deleted, nil, .deleted),
            commit(
                new, .created, ListDocument.json(id: id, version: new, of: list),
                .exists(
                    title: list.settings.title, count: list.count, open: list.openTopLevelCount),
                list.taskIDs.sorted()),
        ]
    }
}

extension JSONWriter {
    /// Bytes from the store: as JSON if they are JSON, and in Base64 otherwise.
    fileprivate mutating func stored(_ bytes: [UInt8]) {
        let isJSON = (try? JSONText(checking: bytes, maximumDepth: 64)) != nil
        name(isJSON ? "stored" : "base64")
        if isJSON { raw(bytes) } else { string(Data(bytes).base64EncodedString()) }
    }
}
