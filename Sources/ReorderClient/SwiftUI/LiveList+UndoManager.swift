#if canImport(SwiftUI)
    import SwiftUI

    extension LiveList {
        /// The undo manager that undoes this list's steps, for example that of a view's environment or a responder: then shaking the
        /// device, the keyboard and the menu undo them, together with the app's other steps. nil: only ``undo()`` and ``redo()``.
        public var undoManager: UndoManager? {
            get { undoManagerObject as? UndoManager }
            set {
                undoManagerObject = newValue
                guard let newValue else { return registerUndo = nil }
                registerUndo = { [weak self, weak newValue] step, direction in
                    guard let self else { return }
                    // An undo manager that is undoing keeps the step for redo.
                    newValue?.registerUndo(withTarget: self) { list in
                        _ = MainActor.assumeIsolated { list.reverse(step.id, direction) }
                    }
                    newValue?.setActionName(step.kind.actionName)
                }
            }
        }
    }
#endif
