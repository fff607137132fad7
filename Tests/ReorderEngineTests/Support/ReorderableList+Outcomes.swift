import ReorderEngine
import Testing

extension Destination {
    static func after(_ task: TaskID) -> Destination { Destination(after: task) }

    static func before(_ task: TaskID) -> Destination { Destination(before: task) }

    static func row(_ row: Int) -> Destination { Destination(row: row) }

    static func place(_ siblings: Siblings, _ position: Int? = nil) -> Destination {
        Destination(place: Place(siblings, position: position))
    }
}

extension ReorderableList {
    @discardableResult
    mutating func move(_ task: TaskID, _ destination: Destination) throws(Refusal) -> MoveOutcome {
        try move(MoveRequest(.task(task), to: destination))
    }

    @discardableResult
    mutating func move(_ tasks: [TaskID], _ destination: Destination) throws(Refusal) -> MoveOutcome
    {
        try move(MoveRequest(.tasks(tasks), to: destination))
    }

    @discardableResult
    mutating func create(_ task: TaskID, _ destination: Destination = Destination())
        throws(Refusal) -> CreateOutcome
    {
        try create(TaskContent(id: task, title: task), at: destination)
    }

    /// The list's outline after a request, whose operations must replay and be reversible.
    func after(
        sourceLocation: SourceLocation = #_sourceLocation,
        _ request: (inout ReorderableList) throws -> [ListOperation]
    ) throws -> String {
        var list = self
        let operations = try request(&list)
        #expect(list.checkInvariants() == nil, sourceLocation: sourceLocation)

        var copy = self
        let inverses = try copy.replayTakingInverses(operations)
        #expect(copy == list, "replaying gives another list", sourceLocation: sourceLocation)
        try copy.apply(inverses)
        #expect(copy == self, "the inverses do not give it back", sourceLocation: sourceLocation)
        return list.outline
    }

    func creating(
        _ task: TaskID, _ destination: Destination = Destination(),
        sourceLocation: SourceLocation = #_sourceLocation
    ) throws -> String {
        try after(sourceLocation: sourceLocation) { try $0.create(task, destination).operations }
    }

    /// Why a request is refused, or nil; a refused one must not change the list.
    func refusal<Outcome>(
        sourceLocation: SourceLocation = #_sourceLocation,
        _ request: (inout ReorderableList) throws -> Outcome
    ) -> Refusal? {
        var list = self
        do {
            _ = try request(&list)
            return nil
        } catch {
            #expect(list == self, "a refusal changed the list", sourceLocation: sourceLocation)
            #expect(list.checkInvariants() == nil, sourceLocation: sourceLocation)
            #expect(error is Refusal, sourceLocation: sourceLocation)
            return error as? Refusal
        }
    }

    func refusal(
        moving task: TaskID, _ destination: Destination,
        sourceLocation: SourceLocation = #_sourceLocation
    ) -> Refusal? {
        refusal(sourceLocation: sourceLocation) { try $0.move(task, destination) }
    }

    func refusal(
        moving tasks: [TaskID], _ destination: Destination,
        sourceLocation: SourceLocation = #_sourceLocation
    ) -> Refusal? {
        refusal(sourceLocation: sourceLocation) { try $0.move(tasks, destination) }
    }

    func refusal(
        creating task: TaskID, _ destination: Destination = Destination(),
        sourceLocation: SourceLocation = #_sourceLocation
    ) -> Refusal? {
        refusal(sourceLocation: sourceLocation) { try $0.create(task, destination) }
    }

    /// Applies operations, and returns the operations that undo all of them, in order.
    mutating func replayTakingInverses(
        _ operations: [ListOperation]
    ) throws(OperationError) -> [ListOperation] {
        var inverses: [[ListOperation]] = []
        for operation in operations {
            inverses.append(try inverse(of: operation))
            try apply(operation)
        }
        return inverses.reversed().flatMap(\.self)
    }
}
