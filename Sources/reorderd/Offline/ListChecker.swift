import ReorderEngine
import ReorderJSON
import ReorderService
import ReorderStore
import SQLiteStore

/// Verifies a store's content list by list. Memory is proportional to the largest list.
final class ListChecker {
    private(set) var faults = 0
    private var lists = 0
    private var deletedLists = 0
    private var tasks = 0
    private var changes = 0
    private var progress = ProgressLine()
    /// Some content is read twice; each of its faults is reported once.
    private var reported: Set<String> = []

    var summary: String {
        let verdict = faults == 0 ? "no faults" : Self.count(faults, "fault")
        var checked = [
            Self.count(lists, "list"), Self.count(tasks, "task"), Self.count(changes, "change"),
        ]
        if deletedLists > 0 { checked.append("\(Self.count(deletedLists, "list")) in the bin") }
        return "\(checked.joined(separator: ", ")): \(verdict)"
    }

    private static func count(_ count: Int, _ noun: String) -> String {
        "\(count) \(noun)\(count == 1 ? "" : "s")"
    }

    func report(_ place: String, _ reason: String) {
        let line = "\(place): \(reason)"
        guard reported.insert(line).inserted else { return }
        progress.end()
        print(line)
        faults += 1
    }

    private func report(_ place: String, _ error: any Error) {
        switch error {
        case StoreError.corrupt(let place, let reason): report(place, reason)
        case let error as StoreError: report(place, error.reason)
        default: report(place, "\(error)")
        }
    }

    /// Verifies a file store that has no other users.
    func run(onFile path: String) throws(StoreError) {
        let store = try SQLiteListStore(path: path)
        try store.verify(report)
        run(on: store)
        try store.close()
    }

    /// Verifies all lists that exist or are in the bin.
    func run(on store: any ListStore) {
        check(pages: { try store.summaries(after: $0, limit: 256) }, \.id) {
            check($0, in: store)
        }
        check(pages: { try store.deletedLists(after: $0, limit: 256) }, \.id) {
            check($0, in: store)
        }
        progress.end()
    }

    private func check<List>(
        pages: (_ last: String?) throws -> [List], _ id: (List) -> String, _ check: (List) -> Void
    ) {
        var last: String?
        repeat {
            do {
                let page = try pages(last)
                for list in page {
                    check(list)
                    progress.show("checked \(lists) lists")
                }
                last = page.last.map(id)
            } catch {
                report("the lists after \"\(last ?? "")\"", error)
                last = nil
            }
        } while last != nil
    }

    /// Verifies that a list can be restored from the bin.
    private func check(_ deleted: BinEntry, in store: any ListStore) {
        deletedLists += 1
        let place = "list \(deleted.id)"
        do {
            guard let content = try store.deletedList(deleted.id, withContent: true)?.content,
                let list = replay(content, place: place)
            else { return report(place, "it is in the bin, but it can't be restored") }
            let summary = IndexedList(
                id: deleted.id, title: deleted.title, version: deleted.version,
                count: deleted.count, open: nil)
            check(list, against: summary)
            try checkSnapshots(of: deleted.id, in: store)
        } catch {
            report(place, error)
        }
    }

    private func check(_ summary: IndexedList, in store: any ListStore) {
        lists += 1
        tasks += summary.count
        let place = "list \(summary.id)"
        checkHistory(of: summary, in: store)
        do {
            guard let stored = try store.load(summary.id), let content = stored.content else {
                return report(place, "the index of lists names it, but it does not exist")
            }
            if stored.version != summary.version {
                report(
                    place,
                    "its version is \(stored.version), but the index of lists says \(summary.version)"
                )
            }
            guard let list = replay(content, place: place) else { return }
            check(list, against: summary)
            try checkSnapshots(of: summary.id, in: store)
            try checkHolders(of: list, place: place, id: summary.id, in: store)
        } catch {
            report(place, error)
        }
    }

    // MARK: Changes

    /// Reads all retained changes, a page at a time.
    private func checkHistory(of summary: IndexedList, in store: any ListStore) {
        do {
            var version = try firstKept(of: summary, in: store)
            while version < summary.version {
                guard let page = try store.changes(of: summary.id, after: version, limit: 256),
                    !page.isEmpty
                else {
                    return report(
                        "list \(summary.id), version \(version + 1)", "its change is missing")
                }
                for stored in page {
                    version += 1
                    check(stored, version: version, of: summary.id)
                }
            }
        } catch {
            report("list \(summary.id)", error)
        }
    }

    private func check(_ stored: StoredChange, version: Int, of list: String) {
        changes += 1
        let place = "list \(list), version \(version)"
        if stored.version != version { report(place, "its change has version \(stored.version)") }
        do {
            let change = try ChangeDocument(json: stored.bytes)
            if change.version != version {
                report(place, "its change names version \(change.version)")
            }
        } catch {
            report(place, "its change can't be read: \(error)")
        }
    }

    /// The last version whose change was pruned, or 0. O(log versions) reads.
    private func firstKept(of summary: IndexedList, in store: any ListStore) throws -> Int {
        var kept = 0..<summary.version
        while !kept.isEmpty {
            let middle = kept.lowerBound + kept.count / 2
            // Usually all changes are stored, so version 0 is probed first.
            let probe = kept.lowerBound == 0 && kept.upperBound == summary.version ? 0 : middle
            if try store.changes(of: summary.id, after: probe, limit: 1) != nil {
                kept = kept.lowerBound..<probe
            } else {
                kept = (probe + 1)..<kept.upperBound
            }
        }
        return kept.lowerBound
    }

    // MARK: The list

    private func replay(_ content: LoadedList.Content, place: String) -> ReorderableList? {
        do {
            return try content.replayed()
        } catch {
            // Finds the smallest number of changes with which the replay fails. If it is 0, the
            // snapshot itself can't be read.
            var failing = 0..<content.changes.count
            while !failing.isEmpty {
                let middle = failing.lowerBound + failing.count / 2
                var part = content
                part.changes.removeSubrange(middle...)
                if (try? part.replayed()) == nil {
                    failing = failing.lowerBound..<middle
                } else {
                    failing = (middle + 1)..<failing.upperBound
                }
            }
            let version = content.snapshotVersion + failing.lowerBound
            if failing.lowerBound == 0 {
                report("\(place), version \(version)", "its snapshot can't be read: \(error)")
            } else {
                report("\(place), version \(version)", "its change can't be applied: \(error)")
            }
            return nil
        }
    }

    /// Verifies that each snapshot and the changes after it give the next snapshot.
    private func checkSnapshots(of id: String, in store: any ListStore) throws {
        let snapshots = try store.snapshots(of: id)
        for (earlier, later) in zip(snapshots, snapshots.dropFirst()) {
            let changes =
                try store.changes(
                    of: id, after: earlier.version, limit: later.version - earlier.version) ?? []
            let content = LoadedList.Content(
                snapshot: earlier.bytes, snapshotVersion: earlier.version, changes: changes)
            do {
                let list = try content.replayed()
                let stored = try ListDocument(json: later.bytes).makeList()
                guard !list.isEqual(toStored: stored) else { continue }
                report(
                    "list \(id), version \(later.version)",
                    "its snapshot differs from the result of the changes since version \(earlier.version)"
                )
            } catch OperationError.needsDocument {
                // The list was replaced after the earlier snapshot, so only the later one can be
                // replayed.
            } catch {
                report("list \(id), version \(earlier.version)", error)
            }
        }
    }

    private func check(_ list: ReorderableList, against summary: IndexedList) {
        let place = "list \(summary.id)"
        if let fault = list.checkInvariants() { report(place, fault) }
        if list.settings.title != summary.title {
            report(
                place,
                "its title is \"\(list.settings.title)\", but the index of lists says "
                    + "\"\(summary.title)\""
            )
        }
        if list.count != summary.count {
            report(
                place, "it has \(list.count) tasks, but the index of lists says \(summary.count)")
        }
        if let open = summary.open, list.openTopLevelCount != open {
            report(
                place,
                "\(list.openTopLevelCount) of its top-level tasks are not done, but the index of "
                    + "lists says \(open)")
        }
    }

    private func checkHolders(
        of list: ReorderableList, place: String, id: String, in store: any ListStore
    ) throws {
        var part: [TaskID] = []
        func check() throws {
            let holders = try store.lists(containing: part)
            for task in part where holders[task] != id {
                let holder = holders[task].map { "list \($0)" } ?? "no list"
                report("\(place), task \(task)", "the index of tasks places it in \(holder)")
            }
            part = []
        }
        for task in list.tasks {
            part.append(task.id)
            if part.count == 1_000 { try check() }
        }
        try check()
    }
}
