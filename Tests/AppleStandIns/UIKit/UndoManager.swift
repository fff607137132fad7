// swift-format-ignore-file: AllPublicDeclarationsHaveDocumentation
/// On Apple's systems, Foundation has it.
@MainActor
open class UndoManager {
    public init() {}

    open func registerUndo<Target: AnyObject>(
        withTarget target: Target, handler: @escaping @MainActor @Sendable (Target) -> Void
    ) {
        steps.append { [weak target] in if let target { handler(target) } }
    }

    open func setActionName(_ name: String) { undoActionName = name }
    open private(set) var undoActionName = ""
    open private(set) var isUndoing = false
    private var steps: [@MainActor () -> Void] = []
    private var undone: [@MainActor () -> Void] = []

    open var canUndo: Bool { !steps.isEmpty }
    open var canRedo: Bool { !undone.isEmpty }

    open func undo() {
        guard let step = steps.popLast() else { return }
        let before = steps
        step()
        // What a step registers while it is undone redoes it.
        undone += steps[before.count...]
        steps = before
    }

    open func redo() {
        guard let step = undone.popLast() else { return }
        step()
    }
}
