import ListModel
import ReorderEngine
import ReorderJSON
import ReorderStore

// States that only few requests reach. The summary has their numbers.

extension Checker {
    func countRareStates(_ attempt: Attempt, _ commit: ListCommit) {
        guard let change = try? ChangeDocument(json: commit.change) else { return }
        let collapses = change.operations.contains { operation in
            if case .collapse = operation { true } else { false }
        }
        switch attempt.intention.decision {
        case .one(.move(let move)):
            if collapses, case .tasks = move.subject { reach("a block that collapses") }
        case .copyList(let source), .transfer(_, let source):
            // The list as it was when the request arrived, and the list that was copied.
            let arrived = attempt.durable[source] ?? 0
            if journal.version(source) > arrived { reach("another list with unsettled commits") }
        case .sectionTransfer(_, let target, _):
            if commit.list == target { countTransfer(to: target, commit.version) }
        default: break
        }
        if commit.stateAfter == .deleted,
            journal.lists[commit.list]?.existing.contains(commit.version - 1) == false
        {
            reach("a list deleted for good in the bin")
        }
    }

    private func countTransfer(to list: String, _ version: Int) {
        guard let settings = journal.lists[list]?.states[version]?.settings else { return }
        let isSet = [
            "elementsOffset": settings.elementsOffset > 0,
            "collapseSubElements": settings.collapseSubElements,
            "siblings": settings.moves == .siblings,
            "maxDepth": settings.maxDepth != nil,
            "maxTasksPerSection": settings.maxTasksPerSection != nil,
            "tasksPerParent": settings.tasksPerParent != nil,
        ]
        for (name, isSet) in isSet where isSet { reach("a section moved to a list with \(name)") }
    }

    /// Checks that a list that was deleted for good is not restored.
    func checkDeleted(_ list: String, _ version: Int, _ attempt: Attempt, _ place: String) {
        guard attempt.intention.target.hasSuffix("/restore"),
            let change = journal.lists[list]?.changes[version - 1],
            let tag = (try? ChangeDocument(json: change))?.client,
            let deletion = attempts[tag]?.intention
        else { return }
        if deletion.target.hasSuffix("permanent=true") {
            fail("a list that was deleted for good is gone", "\(place): \(list) v\(version)")
        }
    }
}
