import ReorderClient
import SwiftUI
import Testing

/// Steps that an undo manager undoes and redoes. The undo manager is a stand-in.
@MainActor @Suite struct UndoManagerTests {
    @Test func theUndoManagerUndoesAndRedoes() {
        let list = ReorderStore.inMemory(["l": "- a\n- b"]).list("l")
        let titles = { list.rows.map(\.title) }
        let manager = UndoManager()
        list.rename("b", to: "before")
        list.undoManager = manager
        list.rename("a", to: "A")
        list.move(["a"], to: .end(of: nil))
        list.delete(["b"])
        #expect(titles() == ["A"] && manager.undoActionName == "Delete")
        manager.undo()
        #expect(titles() == ["before", "A"])
        manager.undo()
        manager.undo()
        #expect(titles() == ["a", "before"] && !manager.canUndo && list.canUndo)
        manager.redo()
        #expect(titles() == ["A", "before"] && manager.canUndo)
        manager.redo()
        manager.redo()
        #expect(titles() == ["A"] && !manager.canRedo)
        manager.undo()
        #expect(titles() == ["before", "A"])
        list.undoManager = nil
        list.rename("a", to: "x")
        #expect(list.undo() && list.undo())
    }
}
