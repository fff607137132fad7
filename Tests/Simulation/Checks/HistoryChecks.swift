import MicroHTTP
import ReorderEngine

/// Checks the history of a list, which has the titles and places of the time of each change.
struct HistoryChecks {
    let history: Journal.History

    /// What is wrong in a page; nil if nothing is.
    ///
    /// - Parameter page: the response, as a JSON parser reads it.
    func difference(_ page: [String: Any]) -> String? {
        let changes = page["changes"] as? [[String: Any]] ?? []
        let versions = changes.compactMap { $0["version"] as? Int }
        if let newest = versions.first {
            let expected = (0..<changes.count).map { newest - $0 }
            if versions != expected || newest > history.version { return "versions \(versions)" }
        }
        for change in changes {
            // Without this, the state before the change may not be stored any more.
            guard change["mayUndo"] as? Bool == true, let version = change["version"] as? Int,
                let before = history.states[version - 1]
            else { continue }
            let after = history.states[version]
            for step in change["steps"] as? [[String: Any]] ?? [] {
                if let difference = difference(step, before, after) {
                    return "v\(version): \(difference) in \(step)"
                }
            }
        }
        return nil
    }

    private func difference(
        _ step: [String: Any], _ before: ReorderableList, _ after: ReorderableList?
    ) -> String? {
        guard let task = step["task"] as? String else { return nil }
        let old = before.task(task)?.content.title
        let new = after?.task(task)?.content.title
        let title = step["title"] as? String
        // A task that a change creates and deletes again is in none of the two states.
        guard old != nil || new != nil else { return nil }
        let isRenamed = step["oldTitle"] != nil
        switch step["op"] as? String {
        // A change can give a new task several titles.
        case "update": if old != nil, new != nil, title != new, !isRenamed { return "title" }
        case "insert": break
        case "move", "collapse": if title != new ?? old { return "title" }
        case "delete": if let old, title != old { return "title" }
        default: return nil
        }
        if isRenamed, step["oldTitle"] as? String != old { return "old title" }
        return difference(step["from"], before, task, "from")
            ?? difference(step["to"], after, task, "to")
    }

    private func difference(
        _ shown: Any?, _ list: ReorderableList?, _ task: TaskID, _ name: String
    ) -> String? {
        guard let shown = shown as? [String: Any], let list, let place = list.task(task)?.placement
        else { return nil }
        let above = list.tasks.first { other in
            other.placement.parent == place.parent && other.placement.section == place.section
                && other.placement.position == place.position - 1
        }
        let expected = [
            "section": place.section.flatMap { list.section($0)?.title },
            "parent": place.parent.flatMap { list.task($0)?.content.title },
            "below": above?.content.title,
        ].compactMapValues { $0 }
        return shown as? [String: String] == expected ? nil : name
    }
}

extension Checker {
    func checkHistory(_ response: Response, _ attempt: Attempt, _ place: String) {
        guard response.status == 200, let list = attempt.intention.list,
            let history = journal.lists[list], let page = ParsedJSON.object(response.plainBody)
        else { return }
        reach(history.list == nil ? "the history of a deleted list" : "a page of the history")
        if let difference = HistoryChecks(history: history).difference(page) {
            fail("the history shows what each change did then", "\(place): \(difference)")
        }
    }
}
