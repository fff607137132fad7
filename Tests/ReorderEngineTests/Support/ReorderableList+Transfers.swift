import ReorderEngine
import Testing

extension ReorderableList {
    /// The outlines of both lists after a transfer, whose operations must replay on copies of both
    /// and be reversible.
    func transferring(
        _ subject: MoveRequest.Subject, to other: ReorderableList, _ destination: Destination,
        sourceLocation: SourceLocation = #_sourceLocation
    ) throws -> String {
        var (source, target) = (self, other)
        let outcome = try source.transfer(MoveRequest(subject, to: destination), to: &target)
        let sides = [
            (before: self, after: source, operations: outcome.departure),
            (before: other, after: target, operations: outcome.arrival),
        ]
        for side in sides {
            #expect(side.after.checkInvariants() == nil, sourceLocation: sourceLocation)
            var copy = side.before
            let inverses = try copy.replayTakingInverses(side.operations)
            #expect(copy == side.after, "replaying differs", sourceLocation: sourceLocation)
            try copy.apply(inverses)
            #expect(copy == side.before, "the inverses differ", sourceLocation: sourceLocation)
        }
        return "\(source.outline) | \(target.outline)"
    }

    func transferring(
        _ task: TaskID, to other: ReorderableList, _ destination: Destination,
        sourceLocation: SourceLocation = #_sourceLocation
    ) throws -> String {
        try transferring(
            .task(task), to: other, destination, sourceLocation: sourceLocation)
    }

    /// Why a transfer is refused, or nil; a refused one must not change the lists.
    func refusal(
        transferring subject: MoveRequest.Subject, to other: ReorderableList,
        _ destination: Destination, sourceLocation: SourceLocation = #_sourceLocation
    ) -> Refusal? {
        var (source, target) = (self, other)
        do {
            _ = try source.transfer(MoveRequest(subject, to: destination), to: &target)
            return nil
        } catch {
            #expect(source == self && target == other, sourceLocation: sourceLocation)
            #expect(source.checkInvariants() == nil, sourceLocation: sourceLocation)
            #expect(target.checkInvariants() == nil, sourceLocation: sourceLocation)
            return error
        }
    }
}
