import ReorderEngine
import Testing

@testable import ReorderClient

/// Several changes as one step.
@MainActor @Suite struct LiveListStepTests {
    private let list = ReorderStore.inMemory([
        "l": """
        # L
        - Milk
        - Apples
        - Pears
        """
    ]).list("l")

    private func shown(_ list: LiveList) -> String {
        list.rows.map { String(repeating: "-", count: $0.level) + $0.title }.joined(separator: " ")
    }

    @Test func changesOfDifferentKindsAreOneStep() {
        let isChanged = list.step {
            guard let fruit = list.create("Fruit") else { return }
            list.move(["Apples", "Pears"], to: .inside(fruit))
            list.rename("Pears", to: "Red pears")
            list.delete(["Milk"])
        }
        #expect(isChanged && shown(list) == "Fruit -Apples -Red pears")
        #expect(list.undo() && shown(list) == "Milk Apples Pears")
        #expect(!list.canUndo)
        #expect(list.redo() && shown(list) == "Fruit -Apples -Red pears")
        #expect(list.notice == nil)
    }

    @Test func ifOneIsRefusedNothingChanges() {
        let isChanged = list.step {
            #expect(list.rename("Milk", to: "Oat milk"))
            #expect(!list.move(["Apples"], to: .inside("Apples")))
            #expect(list.delete(["Pears"]))
        }
        #expect(!isChanged && shown(list) == "Milk Apples Pears" && !list.canUndo)
        #expect(list.notice?.message == "A task can't be moved into itself.")
    }

    @Test func aChangeThatTheServerWouldRefuseIsRefused() {
        let isChanged = list.step {
            list.rename("Milk", to: "Oat milk")
            list.create(String(repeating: "x", count: 5_000))
        }
        #expect(!isChanged && shown(list) == "Milk Apples Pears" && list.notice != nil)
    }

    @Test func theChangesSoFarCanBeRead() {
        list.step {
            let fruit = list.create("Fruit", at: .start(of: nil)) ?? ""
            #expect(list.row(fruit)?.title == "Fruit" && list.snapshot.contains(fruit))
            #expect(list.rows.count == 3)
            // The row before which `Pears` is dropped is new.
            #expect(list.move(["Pears"], beforeRow: fruit, in: nil))
            #expect(list.layout(moving: [fruit])?.rows(in: nil) == 0...3)
        }
        #expect(shown(list) == "Pears Fruit Milk Apples")
    }

    @Test func anErrorChangesNothing() {
        struct Stop: Error {}
        #expect(throws: Stop.self) {
            try list.step {
                list.delete(["Milk"])
                throw Stop()
            }
        }
        #expect(shown(list) == "Milk Apples Pears" && list.row("Milk") != nil)
        #expect(list.delete(["Pears"]) && shown(list) == "Milk Apples")
    }

    @Test func aStepInAStepIsAPartOfIt() {
        #expect(list.rename("Milk", to: "Oat milk"))
        let isChanged = list.step {
            #expect(list.step { list.delete(["Apples"]) })
            #expect(!list.undo())
            list.delete(["Pears"])
        }
        #expect(isChanged && shown(list) == "Oat milk")
        #expect(list.undo() && shown(list) == "Oat milk Apples Pears")
        #expect(list.undo() && shown(list) == "Milk Apples Pears")
    }

    @Test func anErrorInAStepInAStepLeavesTheRest() {
        struct Stop: Error {}
        let isChanged = list.step {
            list.delete(["Apples"])
            _ = try? list.step {
                list.delete(["Milk"])
                throw Stop()
            }
        }
        #expect(isChanged && shown(list) == "Milk Pears")
    }

    @Test func aNewTaskCanNotBeFoldedYet() {
        let isChanged = list.step {
            guard let fruit = list.create("Fruit") else { return }
            list.move(["Apples"], to: .inside(fruit))
            #expect(!list.setCollapsed(fruit, true))
        }
        #expect(isChanged && shown(list) == "Milk Pears Fruit -Apples" && list.notice == nil)
    }

    @Test func aStepWithoutChangesIsNone() {
        #expect(!list.step {} && !list.canUndo)
        #expect(!list.step { list.rename("Milk", to: "Milk") } && !list.canUndo)
    }

    @Test func theNameInMenusIsThatOfTheChangesIfTheyHaveOne() {
        list.step {
            list.delete(["Milk"])
            list.delete(["Apples"])
        }
        #expect(list.undoStack.take(nil, for: .undo)?.kind == .delete)
        list.step {
            list.create("Plums")
            list.delete(["Pears"])
        }
        #expect(list.undoStack.take(nil, for: .undo)?.kind == .edit)
    }

    @Test func theServerMakesOneChange() async throws {
        try await withServer { server in
            let network = RecordingTransport(server.transport)
            let list = ReorderStore(client: server.client("phone", over: network)).list("l")
            let pad = ReorderStore(client: server.client("pad")).list("l")
            for list in [list, pad] {
                try await eventually { list.isLoaded && list.phase == .online }
            }
            list.step {
                guard let d = list.create("d") else { return }
                list.move(["a", "b"], to: .inside(d))
                list.delete(["c"])
            }
            #expect(shown(list) == "d -a -b")
            try await eventually { shown(pad) == "d -a -b" && list.waitingCount == 0 }
            let batches = network.sent.filter { $0.hasPrefix("POST /lists/l/batch") }
            #expect(batches.count == 1 && batches[0].contains(#""steps":[["#))
            #expect(list.undo() && shown(list) == "a b c")
            try await eventually { shown(pad) == "a b c" }
        }
    }
}
