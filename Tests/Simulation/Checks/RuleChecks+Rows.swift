import ListModel
import ReorderEngine
import ReorderStore

extension RuleChecks {
    /// The difference between a move by rows of earlier versions and the model: it is the move of the tasks that were at
    /// these rows, to the neighbors that were there.
    func difference(
        _ move: MoveRequest, at version: Int, to other: String?, at otherVersion: Int?,
        _ commits: [ListCommit]
    ) -> String? {
        guard let list = commits.first(where: { $0.list != other })?.list,
            var seen = model(list, version),
            let commit = commits.first(where: { $0.list == list })
        else { return "the version did not exist" }
        let target = other.flatMap { other in otherVersion.flatMap { model(other, $0) } }
        if other != nil, target == nil { return "the version did not exist" }
        // A task that the list did not have at that version is at no row of it.
        switch move.subject {
        case .task(let task) where seen.task(task) == nil: return nil
        case .tasks(let tasks) where tasks.contains(where: { seen.task($0) == nil }): return nil
        default: break
        }
        // The limits can be those of that time or of now: they only choose a level.
        let now = model(other ?? list, commit.version - 1)?.settings
        var differences: [String?] = []
        for settings in [(target ?? seen).settings, now ?? seen.settings] {
            var target = target
            if target == nil { seen.settings = settings } else { target?.settings = settings }
            do {
                let named = try seen.named(move, into: target)
                if let other {
                    differences.append(difference(named, other, commits))
                } else {
                    differences.append(difference(named, commit))
                }
            } catch {
                differences.append("the model refuses it: \(error)")
            }
        }
        return differences.contains(nil) ? nil : differences[0]
    }

    private func difference(_ move: MoveRequest, _ commit: ListCommit) -> String? {
        guard var list = model(commit.list, commit.version - 1) else {
            return "the list did not exist"
        }
        do {
            _ = try list.move(move)
        } catch {
            return "the model refuses it: \(error)"
        }
        return Self.difference(list, model(commit.list, commit.version))
    }

    /// The difference between a move of a section to another list and the model: it arrives with its tasks as they
    /// were, and nothing else changes.
    func difference(
        _ section: SectionID, to other: String, position: Int?, _ commits: [ListCommit]
    ) -> String? {
        guard let source = commits.first(where: { $0.list != other }),
            let target = commits.first(where: { $0.list == other }),
            var left = model(source.list, source.version - 1),
            var entered = model(other, target.version - 1),
            let moved = left.sections.first(where: { $0.id == section })
        else { return "the commits are of other lists" }
        if entered.has(section: section) { return "the other list has the section" }
        let settings = left.settings
        let index = min(position ?? .max, entered.sections.count - 1) + 1
        entered.sections.insert(ListModel.Section(id: section, title: moved.title), at: index)
        left.settings.collapseSubElements = false
        if !moved.tasks.isEmpty {
            let move = MoveRequest(
                .tasks(moved.tasks.map(\.content.id)),
                to: Destination(place: .init(.section(section))))
            do {
                _ = try left.transfer(move, to: &entered)
            } catch {
                return "the model refuses it: \(error)"
            }
        }
        left.sections.removeAll { $0.id == section }
        left.settings = settings
        let former = journal.lists[source.list]?.states[source.version - 1]?.section(section)
        let arrived = journal.lists[other]?.states[target.version]?.section(section)
        if former != arrived { return "the section's data or limit differs" }
        return Self.difference(left, model(source.list, source.version))
            ?? Self.difference(entered, model(other, target.version))
    }
}
