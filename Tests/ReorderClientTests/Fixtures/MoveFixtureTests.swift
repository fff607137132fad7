import Foundation
import ReorderEngine
import ReorderJSON
import Testing

@testable import ReorderClient

/// What comes of each step of `moves.json` on this device.
@Suite struct MoveFixtureTests {
    @Test func eachStepHasTheResultOfTheEngine() throws {
        for one in try Fixture.read("moves.json", as: [Fixture.Object].self) {
            let short = try #require(one["list"] as? Fixture.Object)
            let document = Fixture.document(short.merging(["version": 1]) { $1 })
            let (list, syncPoint) = try SyncMachine.document(Fixture.bytes(document))
            for step in try #require(one["steps"] as? [Fixture.Object]) {
                try check(step, on: list, at: syncPoint)
            }
        }
    }

    private func check(
        _ step: Fixture.Object, on list: ReorderableList, at syncPoint: SyncPoint
    ) throws {
        let operations = try #require(step["step"] as? [Fixture.Object]).enumerated().map {
            try Fixture.operation($1, id: "s.\($0)")
        }
        let comment: Comment = "\(list.fixtureOutline): \(operations)"
        var copy = ListCopy(base: list, at: syncPoint)
        for operation in operations { copy.add(operation) }
        let shown = LocalList(copy).displayed
        let after = step["after"] as? String ?? list.fixtureOutline
        #expect(shown.fixtureOutline == after, comment)

        var applied = list
        var changes: [ListOperation] = []
        for (index, operation) in operations.enumerated() {
            do throws(Command.Failure) {
                changes += try operation.command.apply(to: &applied).operations
            } catch {
                guard case .refused(let refusal) = error else {
                    Issue.record("\(comment): \(error)")
                    return
                }
                #expect(step["refused"] as? String == refusal.code, comment)
                #expect(step["at"] as? Int ?? 0 == index, comment)
                return
            }
        }
        let expected = try #require(step["ops"] as? [Fixture.Object], comment)
        let made = try changes.map { change in
            var writer = JSONWriter()
            writer.operation(change)
            return try JSONSerialization.jsonObject(with: Data(writer.bytes))
        }
        #expect(try Fixture.bytes(made) == Fixture.bytes(expected), comment)
    }
}
