import Foundation
import ReorderEngine

/// Steps of several operations.
extension SyncMachine {
    /// Applies intents: all of them, or none.
    ///
    /// - Returns: nil if nothing changed.
    mutating func perform(
        _ intents: [Intent], at now: Double
    ) throws -> AppliedStep? {
        guard let before = local?.displayed, let waiting = local?.pending.count else {
            throw ClientError.unreachable
        }
        guard waiting + intents.count <= Self.maximumPending else { throw ClientError.queueFull }
        // They are sent together.
        defer { advance(to: now) }
        let step = UUID().uuidString.lowercased()
        guard intents.count > 1 else {
            guard let intent = intents.first else { return nil }
            let made = try perform(intent, id: step, at: now, sends: false)
            return made.isEmpty ? nil : AppliedStep([step], made, before: before)
        }
        guard !isStopped else { throw ClientError.closed }
        let applied = try applying(step: intents)
        guard !applied.made.isEmpty else { return nil }
        let operations = applied.pending { PendingOperation.id(ofStep: step, $0) }
        do {
            try outbox.append(operations.map { .operation($0.json()) })
        } catch {
            throw ClientError.storage(of: error)
        }
        change { [isLocal] local in
            let touched = local.add(applied, as: operations)
            if isLocal { local.confirm() }
            return touched
        }
        return AppliedStep(operations.map(\.id), applied.operations, before: before)
    }

    /// A function of its own, because a copy of the list that is still there would make the next change copy the queue.
    private func applying(step intents: [Intent]) throws(ClientError) -> LocalList.AppliedIntents {
        guard let local else { throw .unreachable }
        do throws(Intent.Failure) {
            return try local.applying(step: intents)
        } catch {
            throw ClientError(error)
        }
    }

    /// Stores the operations of a step that waited elsewhere. If the rules refuse one now, the server will.
    mutating func adopt(step: ArraySlice<PendingOperation>) throws {
        guard let before = local?.displayed else { throw ClientError.closed }
        do {
            try outbox.append(step.map { .operation($0.json()) })
        } catch {
            throw ClientError.storage(of: error)
        }
        var operations: [ListOperation] = []
        for operation in step {
            change { local in
                let touched = local.restore(operation)
                if case .operations(let made) = touched { operations += made }
                return touched
            }
        }
        guard !operations.isEmpty else { return }
        adopted.append(AppliedStep(step.map(\.id), operations, before: before))
        adopted.removeFirst(max(0, adopted.count - AppliedStep.maximumCount))
    }
}
