import ListModel
import RandomRuns
import ReorderEngine
import ReorderJSON
import ReorderStore
import StoreTesting
import Testing

@testable import ReorderService

/// Moves by rows of earlier versions of both lists, as the service decides them, compared with the model: each moves the tasks that were at
/// these rows, to the neighbors that were there.
@Suite struct RandomSeenRowTests {
    private static let requestsEachPair = 60

    @Test func rowsOfEarlierVersionsAreThoseOfTheModel() throws {
        var met = Set<String>()
        let pairs = RandomRun.operations(percent: 4) / Self.requestsEachPair
        for number in 0...pairs {
            let seed = RandomRun.seed &+ UInt64(number)
            var lists = try ListPair(seed: seed)
            for step in 0..<Self.requestsEachPair {
                let difference = try lists.step()
                try #require(difference == nil, "REORDERD_SEED=\(seed), step \(step)")
            }
            met.formUnion(lists.met)
            try lists.service.stopIdle()
        }
        // A few requests need not have every kind.
        if pairs >= 10 {
            #expect(met.isSuperset(of: ["move", "transfer", "earlier", "refused"]), "\(met)")
        }
    }
}

/// The lists of the random requests soon keep their last changes both.
@Suite struct KeptStepTests {
    private let service = ListService.quiet(MemoryListStore())

    private func write(_ list: String, _ action: WriteRequest.Action, rowsOf version: Int? = nil)
        throws
    {
        var request = WriteRequest(list: list, action: action)
        if let version { request.rowVersions = [RowVersions(list: RequestedVersion(version))] }
        _ = try service.ask(request).value()
    }

    private func rows(of list: String) throws -> [TaskID] {
        try service.read(list).value().list.tasks.map(\.id)
    }

    @Test func aTransferIsAStepOfItsTargetOnly() throws {
        for (list, ids) in [("l", ["x", "y"]), ("m", ["a", "b", "c"])] {
            let content = try ReorderableList(
                settings: ListSettings(title: ""), sections: [],
                tasks: ids.map { .init(content: TaskContent(id: $0, title: "")) })
            try write(list, .put(content))
        }
        // One list keeps its changes after a move by rows of an earlier version.
        let move = WriteRequest.Action.command(.move(MoveRequest(.row(0), to: Destination(row: 2))))
        for title in ["1", "2"] {
            let version = try service.read("m").value().version
            try write("m", .command(.update("a", TaskUpdate(title: title))))
            try write("m", move, rowsOf: version)
        }
        let (before, version) = (try rows(of: "m"), try service.read("m").value().version)
        try write("l", .transfer(MoveRequest(.task("x"), to: Destination(row: 0)), to: "m"))
        #expect(try rows(of: "m") == ["x"] + before)
        try write("m", move, rowsOf: version)
        // The first row of before the transfer.
        #expect(try rows(of: "m") == ["x"] + before.dropFirst() + before.prefix(1))
        try service.stopIdle()
    }
}

/// Two lists, and the model of each of their versions.
private struct ListPair {
    let service = ListService.quiet(MemoryListStore())
    private(set) var met: Set<String> = []
    private var requests: RandomRequests
    private var versions: [[ListModel]] = [[], []]

    private static let names = ["l", "m"]

    init(seed: UInt64) throws {
        requests = RandomRequests(seed: seed)
        for (index, name) in Self.names.enumerated() {
            var (sections, tasks, model) = requests.document()
            // Stored lists have no negative offset.
            model.settings.elementsOffset = max(0, model.settings.elementsOffset)
            let list = try ReorderableList(
                settings: model.settings, sections: sections, tasks: tasks)
            _ = try service.ask(WriteRequest(list: name, action: .put(list))).value()
            versions[index].append(model)
        }
    }

    /// Makes a request, and returns the first difference from the model.
    mutating func step() throws -> String? {
        let source = requests.random.below(2)
        if requests.random.chance(50) {
            let command = requests.next(for: versions[source][versions[source].count - 1])
            // These move no row, and can have values that the API refuses.
            switch command {
            case .update, .settings, .updateSection: return nil
            default: break
            }
            _ = try service.ask(
                WriteRequest(list: Self.names[source], action: .command(command))
            ).wait()
            return try takeVersions()
        }
        let isTransfer = requests.random.chance(40)
        let seen = seen(source)
        let target = isTransfer ? self.seen(1 - source) : nil
        let move = requests.rowMove(in: seen.model, to: target?.model)
        var (list, other) = (current(source), current(1 - source))
        let expected = Result { () throws(Refusal) in
            let named = try seen.model.named(move, into: target?.model)
            if isTransfer {
                _ = try list.transfer(named, to: &other)
            } else {
                _ = try list.move(named)
            }
        }
        if case .failure = expected { (list, other) = (current(source), current(1 - source)) }

        var request = WriteRequest(list: Self.names[source], action: .command(.move(move)))
        var rows = RowVersions(list: seen.requested, otherList: target?.requested)
        if isTransfer {
            request.action = .transfer(move, to: Self.names[1 - source])
        } else if requests.random.chance(50) {
            // Some clients name the own list like another one.
            request.action = .transfer(move, to: Self.names[source])
            if requests.random.chance(50) { rows = RowVersions(otherList: seen.requested) }
        }
        request.rowVersions = [rows]
        let actual = try service.ask(request).wait()
        note(isTransfer, seen.isEarlier || target?.isEarlier == true, expected)

        func difference(_ what: String) -> String {
            "\(what)\n  request \(request)\n  expected \(expected)\n  actual \(actual)"
        }
        switch (expected, actual) {
        case (.success, .success): break
        case (.failure(let refusal), .failure(.refused(let other, _, _))):
            if refusal != other { return difference("the refusal") }
        default: return difference("refused or not")
        }
        _ = try takeVersions()
        if current(source) != list { return difference("the list") }
        return current(1 - source) == other ? nil : difference("the other list")
    }

    private mutating func note(
        _ isTransfer: Bool, _ isEarlier: Bool, _ expected: Result<Void, Refusal>
    ) {
        guard case .success = expected else { return _ = met.insert("refused") }
        met.insert(isTransfer ? "transfer" : "move")
        if isEarlier { met.insert("earlier") }
    }

    private typealias Seen = (model: ListModel, requested: RequestedVersion?, isEarlier: Bool)

    /// A version that a person may still see; without a number, the current one.
    private mutating func seen(_ index: Int) -> Seen {
        let count = versions[index].count
        let version = max(1, count - requests.random.below(requests.random.chance(20) ? 40 : 5))
        let isNamed = version < count || requests.random.chance(70)
        return (
            versions[index][version - 1], isNamed ? RequestedVersion(version) : nil, version < count
        )
    }

    private func current(_ index: Int) -> ListModel { versions[index][versions[index].count - 1] }

    /// Reads the lists after a request.
    private mutating func takeVersions() throws -> String? {
        for (index, name) in Self.names.enumerated() {
            let read = try service.read(name).value()
            if read.version == versions[index].count + 1 {
                versions[index].append(ListModel(read.list))
            }
            if read.version != versions[index].count { return "version \(read.version) of \(name)" }
        }
        return nil
    }
}
