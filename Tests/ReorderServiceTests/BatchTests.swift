import Foundation
import RandomRuns
import ReorderEngine
import ReorderStore
import Testing

@testable import ReorderService

@Suite struct BatchTests {
    private let gated = GatedService()

    init() throws {
        try gated.store.append(
            [("l", "a"), ("n", "c"), ("p", "d")].map { list, task in
                ListCommit(
                    list: list, version: 1, at: 0, change: [], snapshot: [],
                    stateAfter: .exists(title: "", count: 1, open: 0), insertedTasks: [task])
            })
    }

    private func makeBatch() -> WriterBatch {
        WriterBatch(gated.service.durable, gated.service.writer.largeAppends)
    }

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
            let batch = makeBatch()
            var sets: [(lists: Set<String>, writes: Set<Int>)] = []
            for index in 0..<Int.random(in: 0..<12, using: &random) {
                let lists = (0..<Int.random(in: 0..<3, using: &random)).map { _ in
                    "l\(Int.random(in: 0..<8, using: &random))"
                }
                batch.add(write(), .failed(.unavailable), on: lists.map(batch.list))
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
            let groups = batch.groups.map(\.writes)
            #expect(Set(groups.map(Set.init)) == Set(sets.map(\.writes)), "REORDERD_SEED=\(seed)")
            #expect(groups.allSatisfy { $0 == $0.sorted() })
        }
    }

    @Test func earlierDecisionsAnswerQuestionsAboutTasks() throws {
        let batch = makeBatch()
        for list in ["l", "m", "n"] { batch.list(list).put(WorkingList(id: list)) }
        batch.add(
            write(), .failed(.unavailable), on: ["l", "m"].map(batch.list),
            storing: [commit("l", deleting: ["a"]), commit("m", inserting: ["a", "b"])])
        batch.add(
            write(), .failed(.unavailable), on: ["n"].map(batch.list),
            storing: [commit("n", deletesList: true)])
        batch.beginDecision()
        #expect(try batch.holder(of: "a") == "m")
        #expect(try batch.taken(["a"], for: "m", asksStore: false) == [])
        #expect(try batch.taken(["x", "b"], for: "l", asksStore: false) == ["b"])
        batch.add(write(), .failed(.unavailable), on: ["o"].map(batch.list))
        #expect(batch.decided.last?.isOwn == false)
        #expect(batch.groups.map(\.writes) == [[0, 2], [1]])
        batch.beginDecision()
        #expect(try batch.holder(of: "c") == nil, "its list was deleted")
        batch.add(write(), .failed(.unavailable), on: ["o"].map(batch.list))
        #expect(batch.groups.map(\.writes) == [[0, 1, 2, 3]])
        batch.beginDecision()
        #expect(try batch.holder(of: "d") == "p")
        batch.add(write(), .failed(.unavailable), on: ["p"].map(batch.list))
        #expect(batch.decided.last?.isOwn == true)
    }

    /// Tasks that the batch itself has put into a list go with it, and can be put into other lists.
    @Test func aDeletedListHasNoTasksOfEarlierDecisions() throws {
        let batch = makeBatch()
        for list in ["l", "m", "n"] { batch.list(list).put(WorkingList(id: list)) }
        batch.add(
            write(), .failed(.unavailable), on: ["l", "m"].map(batch.list),
            storing: [
                commit("l", inserting: ["new"]), commit("m", inserting: ["other"]),
            ])
        batch.beginDecision()
        #expect(try batch.taken(["new", "other"], for: "n", asksStore: false) == ["new", "other"])
        batch.add(
            write(), .failed(.unavailable), on: ["l"].map(batch.list),
            storing: [commit("l", deletesList: true)])
        batch.beginDecision()
        #expect(try batch.holder(of: "new") == nil)
        #expect(try batch.holder(of: "other") == "m")
        #expect(try batch.taken(["new", "other"], for: "n", asksStore: false) == ["other"])
        // What is decided on that depends on the deletion.
        batch.beginDecision()
        #expect(try batch.taken(["new"], for: "n", asksStore: false) == [])
        batch.add(write(), .failed(.unavailable), on: ["n"].map(batch.list))
        #expect(batch.decided.last?.isOwn == false)
        #expect(batch.groups.map(\.writes) == [[0, 1, 2]])
        // A later insertion counts again.
        batch.add(
            write(), .failed(.unavailable), on: ["n"].map(batch.list),
            storing: [commit("n", inserting: ["new"])])
        batch.beginDecision()
        #expect(try batch.holder(of: "new") == "n")
    }
}
