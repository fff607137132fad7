import Foundation
import RandomRuns
import ReorderEngine
import ReorderStore
import Testing

@testable import ReorderService

@Suite struct BatchTests {
    private func write() -> PendingWrite {
        PendingWrite(
            .move("a", to: 0, in: "l"), DecisionFacts(), at: Date(), expiry: Date(), NoRenderer()
        ) { _ in }
    }

    private func commit(
        _ list: String, inserting inserted: [TaskID] = [], deleting deleted: [TaskID] = [],
        deletesList: Bool = false
    ) -> ListCommit {
        ListCommit(
            list: list, version: 1, at: 0, change: [], snapshot: nil,
            stateAfter: deletesList ? .deleted : .exists(title: "", count: 0, open: 0),
            insertedTasks: inserted, deletedTasks: deleted)
    }

    /// Compared with repeated merging of sets that have a list in common.
    @Test func groupsAreTheWritesThatDependOnTheSameLists() {
        let seed = RandomRun.seed
        var random = SeededGenerator(seed: seed)
        for _ in 0..<RandomRun.operations(percent: 2) {
            let batch = WriterBatch()
            var sets: [(lists: Set<String>, writes: Set<Int>)] = []
            for index in 0..<Int.random(in: 0..<12, using: &random) {
                let lists = (0..<Int.random(in: 0..<3, using: &random)).map { _ in
                    "l\(Int.random(in: 0..<8, using: &random))"
                }
                batch.add(write(), .failed(.unavailable), on: lists)
                sets.append((Set(lists), [index]))
            }
            var isChanged = true
            while isChanged {
                isChanged = false
                search: for one in sets.indices {
                    for other in sets.indices.dropFirst(one + 1)
                    where !sets[one].lists.isDisjoint(with: sets[other].lists) {
                        let merged = sets.remove(at: other)
                        sets[one].lists.formUnion(merged.lists)
                        sets[one].writes.formUnion(merged.writes)
                        isChanged = true
                        break search
                    }
                }
            }
            let groups = batch.groups
            #expect(Set(groups.map(Set.init)) == Set(sets.map(\.writes)), "REORDERD_SEED=\(seed)")
            #expect(groups.allSatisfy { $0 == $0.sorted() })
        }
    }

    @Test func earlierDecisionsAnswerQuestionsAboutTasks() {
        let batch = WriterBatch()
        for list in ["l", "m", "n"] { batch.put(WorkingList(id: list)) }
        batch.add(
            write(), .failed(.unavailable), on: ["l", "m"],
            storing: [commit("l", deleting: ["a"]), commit("m", inserting: ["a", "b"])])
        batch.add(
            write(), .failed(.unavailable), on: ["n"], storing: [commit("n", deletesList: true)])
        batch.beginDecision()
        #expect(batch.holder(of: "a", stored: "l") == "m")
        #expect(batch.taken(["a"], for: "m", stored: ["a": "l"]) == [])
        #expect(batch.taken(["x", "b"], for: "l", stored: [:]) == ["b"])
        batch.add(write(), .failed(.unavailable), on: ["o"])
        #expect(batch.decided.last?.isOwn == false)
        #expect(batch.groups == [[0, 2], [1]])
        batch.beginDecision()
        #expect(batch.holder(of: "c", stored: "n") == nil, "its list was deleted")
        batch.add(write(), .failed(.unavailable), on: ["o"])
        #expect(batch.groups == [[0, 1, 2, 3]])
        batch.beginDecision()
        #expect(batch.holder(of: "d", stored: "p") == "p")
        batch.add(write(), .failed(.unavailable), on: ["p"])
        #expect(batch.decided.last?.isOwn == true)
    }

    /// Tasks that the batch itself has put into a list go with it, and can be put into other lists.
    @Test func aDeletedListHasNoTasksOfEarlierDecisions() {
        let batch = WriterBatch()
        for list in ["l", "m", "n"] { batch.put(WorkingList(id: list)) }
        batch.add(
            write(), .failed(.unavailable), on: ["l", "m"],
            storing: [
                commit("l", inserting: ["new"]), commit("m", inserting: ["other"]),
            ])
        batch.beginDecision()
        #expect(batch.taken(["new", "other"], for: "n", stored: [:]) == ["new", "other"])
        batch.add(
            write(), .failed(.unavailable), on: ["l"], storing: [commit("l", deletesList: true)])
        batch.beginDecision()
        #expect(batch.holder(of: "new", stored: nil) == nil)
        #expect(batch.holder(of: "other", stored: nil) == "m")
        #expect(batch.taken(["new", "other"], for: "n", stored: [:]) == ["other"])
        // What is decided on that depends on the deletion.
        batch.beginDecision()
        #expect(batch.taken(["new"], for: "n", stored: [:]) == [])
        batch.add(write(), .failed(.unavailable), on: ["n"])
        #expect(batch.decided.last?.isOwn == false)
        #expect(batch.groups == [[0, 1, 2]])
        // A later insertion counts again.
        batch.add(
            write(), .failed(.unavailable), on: ["n"], storing: [commit("n", inserting: ["new"])])
        batch.beginDecision()
        #expect(batch.holder(of: "new", stored: nil) == "n")
    }
}
