import ReorderEngine

/// A step of the user that was applied: one or more operations.
package struct AppliedStep: Sendable {
    /// The number of steps that can be undone.
    static let maximumCount = 100

    /// The ids of the operations.
    let ids: [String]
    let operations: [ListOperation]
    let before: ReorderableList

    /// What undoes the step. It is computed once for each call.
    var reversal: StepReversal { StepReversal(of: operations, before: before) }
}

/// What undoes a step. It takes as long as the step, so another thread computes it.
final class StepReversal: Sendable {
    private enum State {
        case step([ListOperation], before: ReorderableList)
        case plan(UndoPlan?)
    }

    private let state: Lock<State>
    /// A step with more operations can't be undone.
    private static let maximumOperations = 10_000

    init(of operations: [ListOperation], before: ReorderableList) {
        state = Lock(.step(operations, before: before))
        Task.detached { [self] in _ = plan }
    }

    init(_ plan: UndoPlan) { state = Lock(.plan(plan)) }

    /// nil if the step can't be undone. It waits until the plan is computed.
    var plan: UndoPlan? {
        state.withLock { state in
            if case .step(let operations, let before) = state {
                state = .plan(
                    try? UndoPlan(operations, before: before, limit: Self.maximumOperations))
            }
            guard case .plan(let plan) = state else { return nil }
            return plan
        }
    }

    /// The same for a list in which tasks have other ids.
    func renamingTasks(_ ids: [TaskID: TaskID]) -> StepReversal {
        plan.map { StepReversal($0.renamingTasks(ids)) } ?? self
    }
}
