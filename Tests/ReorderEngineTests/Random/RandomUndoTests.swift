import ListModel
import RandomRuns
import ReorderEngine
import Testing

/// Changes of all kinds are undone: the last one exactly, earlier ones without affecting others.
@Suite struct RandomUndoTests {
    static let requestsEachList = 100

    private struct Made {
        var operations: [ListOperation]
        var before: ReorderableList
        var modelBefore: ListModel
    }

    @Test func undoRestoresTheFormerStateAndLosesNothingElse() throws {
        for number in 0...(RandomRun.operations(percent: 3) / Self.requestsEachList) {
            let seed = RandomRun.seed &+ UInt64(number)
            do {
                try run(seed)
            } catch {
                Issue.record("reproduce with REORDERD_SEED=\(seed): \(error)")
                return
            }
        }
    }

    private struct Wrong: Error {
        var what: String
        var operations: [ListOperation]
    }

    private func run(_ seed: UInt64) throws {
        var requests = RandomRequests(seed: seed)
        let (sections, tasks, start) = requests.document()
        var model = start
        var list = try ReorderableList(
            settings: start.settings, sections: sections, tasks: tasks)
        var made: [Made] = []
        for _ in 0..<Self.requestsEachList {
            let request = requests.next(for: model)
            let (before, modelBefore) = (list, model)
            _ = try? model.perform(request)
            guard let (operations, _) = try? list.perform(request), !operations.isEmpty
            else { continue }
            made.append(
                Made(operations: operations, before: before, modelBefore: modelBefore))
            try takeBackLast(operations, before, list)
            if let earlier = made.randomElement(using: &requests.random) {
                try takeBack(earlier, list, model)
            }
        }
    }

    /// Undone, and redone.
    private func takeBackLast(
        _ operations: [ListOperation], _ before: ReorderableList, _ after: ReorderableList
    ) throws {
        var list = after
        let plan = try UndoPlan(operations, before: before)
        let undone = try list.undo(plan, isLast: true)
        guard list == before else { throw Wrong(what: "the undo differs", operations: operations) }
        let redone = try list.undo(
            UndoPlan(undone.operations, before: after), isLast: true)
        guard list == after else { throw Wrong(what: "the redo differs", operations: operations) }
        var replayed = after
        try replayed.apply(undone.operations + redone.operations)
        guard replayed == after else { throw Wrong(what: "a replay", operations: operations) }
        // With the rules checked, the result is the same, or the undo is refused.
        var careful = after
        if (try? careful.undo(plan, isLast: false)) != nil {
            guard careful == before else {
                throw Wrong(what: "refused by a rule", operations: operations)
            }
        }
    }

    private func takeBack(_ change: Made, _ list: ReorderableList, _ model: ListModel) throws {
        var undone = list
        var expected = model
        let isPossible =
            (try? expected.undo(change.operations, before: change.modelBefore)) != nil
        let outcome: UndoOutcome
        do throws(UndoConflict) {
            outcome = try undone.undo(
                UndoPlan(change.operations, before: change.before), isLast: false)
        } catch {
            guard undone == list, !isPossible else {
                throw Wrong(what: "refused: \(error)", operations: change.operations)
            }
            return
        }
        guard isPossible, ListModel(undone) == expected else {
            throw Wrong(what: "the model's undo differs", operations: change.operations)
        }
        if let broken = undone.checkInvariants() {
            throw Wrong(what: broken, operations: change.operations)
        }
        var replayed = list
        try replayed.apply(outcome.operations)
        guard replayed == undone else {
            throw Wrong(what: "a replay", operations: outcome.operations)
        }
        let ids = Set(list.tasks.map(\.id)).subtracting(outcome.deleted).union(outcome.inserted)
        guard ids == Set(undone.tasks.map(\.id)) else {
            throw Wrong(what: "a task is lost", operations: outcome.operations)
        }
        // Only tasks that the change created are deleted.
        let inserts = change.operations.compactMap { operation -> TaskID? in
            if case .insert(let task) = operation { task.id } else { nil }
        }
        guard Set(outcome.deleted).isSubset(of: inserts) else {
            throw Wrong(what: "the undo removed too much", operations: outcome.operations)
        }
    }
}
