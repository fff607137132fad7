import Logging
import MicroHTTP
import RandomRuns
import ReorderAPI
import ReorderEngine
import ReorderJSON
import ReorderService
import ReorderStore
import Testing

@testable import ReorderClient

/// The examples in `docs/sync.md`, with the same names.
@Suite struct ConcurrentMoveTests {
    @Test func bothMoveTheSameRow() throws {
        let pair = try DevicePair("a b c")
        pair.benIsAway()
        try pair.anna(.move(MoveRequest(.task("a"), to: Destination(after: "c"))))
        try pair.ben(.move(MoveRequest(.task("a"), to: Destination(after: "b"))))
        #expect(pair.shown == ["b c a", "b a c"])
        pair.benIsBack()
        #expect(pair.shown == ["b a c", "b a c"])
        try pair.end()
    }

    @Test func oneMovesBesideARowThatTheOtherDeletes() throws {
        let pair = try DevicePair("a b c d")
        pair.benIsAway()
        try pair.anna(.delete("b"))
        // Dropped between b and c: b is deleted, c is left.
        try pair.ben(.move(MoveRequest(.row(3), to: Destination(row: 2))))
        #expect(pair.shown == ["a c d", "a b d c"])
        pair.benIsBack()
        #expect(pair.shown == ["a d c", "a d c"])
        try pair.end()
    }

    @Test func oneMovesABlockBesideARowThatTheOtherDeletes() throws {
        let pair = try DevicePair("a b c d")
        pair.benIsAway()
        try pair.anna(.delete("a"))
        try pair.ben(.move(MoveRequest(.tasks(["c", "d"]), to: Destination(row: 1))))
        #expect(pair.shown == ["b c d", "a c d b"])
        pair.benIsBack()
        #expect(pair.shown == ["c d b", "c d b"])
        try pair.end()
    }

    @Test func oneMovesAParentWhileTheOtherMovesItsChildOut() throws {
        let pair = try DevicePair("p p/p1 p/p2 q")
        pair.benIsAway()
        try pair.anna(.move(MoveRequest(.task("p"), to: Destination(after: "q"))))
        try pair.ben(
            .move(MoveRequest(.task("p1"), to: .init(place: .init(.topLevel, position: 0)))))
        #expect(pair.shown == ["q p p/p1 p/p2", "p1 p p/p2 q"])
        pair.benIsBack()
        // The child stays outside, before its parent's new place; the other child moved with the
        // parent.
        #expect(pair.shown == ["q p1 p p/p2", "q p1 p p/p2"])
        try pair.end()
    }

    @Test func eachMovesARowIntoTheOthers() throws {
        let pair = try DevicePair("a b")
        pair.benIsAway()
        try pair.anna(.move(MoveRequest(.task("a"), to: .init(place: .init(.subtasks(of: "b"))))))
        try pair.ben(.move(MoveRequest(.task("b"), to: .init(place: .init(.subtasks(of: "a"))))))
        #expect(pair.shown == ["b b/a", "a a/b"])
        pair.benIsBack()
        // The second move would create a cycle: it is refused, and Ben's row returns.
        #expect(pair.shown == ["b b/a", "b b/a"])
        let refused = pair.devices[1].refused
        #expect(refused.map(\.tasks) == [["b"]])
        try pair.end()
    }

    @Test func offlineForADay() throws {
        let pair = try DevicePair("a b c d")
        pair.benIsAway()
        try pair.ben(.create(TaskContent(id: "x", title: "x"), at: Destination(after: "b")))
        try pair.ben(.move(MoveRequest(.row(0), to: Destination(row: 3))))
        try pair.ben(.delete("d"))
        #expect(pair.shown[1] == "b x c a")
        // Meanwhile there are more changes than the server retains.
        for number in 0..<40 {
            try pair.anna(.update("c", TaskChanges(title: "c\(number)")))
            pair.pass(seconds: 2_160)
        }
        try pair.anna(.delete("b"))
        try pair.anna(.create(TaskContent(id: "y", title: "y"), at: Destination(after: "a")))
        try pair.forget()
        pair.benIsBack()
        // x is beside c, because b is deleted; y, created meanwhile, keeps its place.
        #expect(pair.shown == ["y x c a", "y x c a"])
        #expect(pair.devices[1].machine.local?.displayed.task("c")?.content.title == "c39")
        #expect(pair.devices[1].refused.isEmpty)
        try pair.end()
    }
}

/// Anna and Ben share a list, and Ben's device is offline for a while. Time is simulated, and each request is answered at once.
private final class DevicePair {
    struct Device {
        var machine: SyncMachine
        var isAway = false
        var refused: [Refused] = []
        /// A long poll, which is answered when the list has changed.
        var poll: (id: Int, request: ClientRequest)?
    }

    private(set) var devices: [Device]
    private let store = MemoryListStore()
    private let service: ListService
    private let router: Router
    private var now = 0.0
    private var made = 0

    /// - Parameter outline: the tasks in order; `p/p1` is the subtask p1 of p.
    init(_ outline: String) throws {
        service = ListService(
            store: store, logger: Logger(label: "test") { _ in SwiftLogNoOpLogHandler() },
            onLost: { Issue.record("\($0)") })
        router = ReorderAPI(service: service).makeRouter()
        let list = try ReorderableList(
            settings: ListSettings(title: ""), sections: [],
            tasks: outline.split(separator: " ").map { entry in
                let path = entry.split(separator: "/").map(String.init)
                return .init(
                    content: TaskContent(id: path[path.count - 1], title: ""),
                    parent: path.dropLast().last)
            })
        _ = try service.write(WriteRequest(list: "l", action: .create(list)))
        devices = try ["anna", "ben"].map { name in
            Device(
                machine: try SyncMachine(
                    list: "l", storage: MemoryStorage(), newClient: name,
                    random: SeededGenerator(seed: 1)))
        }
        pass(seconds: 5)
    }

    func pass(seconds: Double) {
        let end = now + seconds
        repeat {
            for index in devices.indices { devices[index].machine.advance(to: now) }
            respond()
            let next = devices.compactMap(\.machine.nextDeadline).min() ?? end
            now = min(end, max(next, now + 0.1))
        } while now < end
    }

    /// Sends the requests of both devices until they wait.
    private func respond() {
        var isDone = false
        while !isDone {
            isDone = true
            for index in devices.indices {
                for effect in devices[index].machine.takeEffects() {
                    isDone = false
                    switch effect {
                    case .start(let id, let request, _): send(request, id, index)
                    case .cancel: devices[index].poll = nil
                    case .rewriteFile: break  // it has none
                    }
                }
                devices[index].refused += devices[index].machine.takeRefusals()
                if let (id, request) = devices[index].poll, let response = changes(request) {
                    devices[index].poll = nil
                    receive(response, of: id, index)
                    isDone = false
                }
            }
        }
    }

    private func send(_ request: ClientRequest, _ id: Int, _ index: Int) {
        if devices[index].isAway {
            devices[index].machine.receive(.end(isComplete: false), of: id, at: now)
        } else if request.target.hasSuffix("/events") {
            // The devices poll, as behind a proxy that has no streams.
            receive(Response(status: 406), of: id, index)
        } else if request.target.contains("wait="), changes(request) == nil {
            devices[index].poll = (id, request)
        } else {
            let response = respond(to: request)
            receive(response, of: id, index)
        }
    }

    private func respond(to request: ClientRequest) -> Response {
        var request = request
        request.target.replace(/&wait=\d+/, with: "")
        return router.respond(to: Request(request))
    }

    /// The response to a poll; nil while there are no changes.
    private func changes(_ request: ClientRequest) -> Response? {
        let response = respond(to: request)
        let isEmpty = String(decoding: response.body, as: UTF8.self).contains(#""changes":[]"#)
        return response.status == 200 && isEmpty ? nil : response
    }

    private func receive(_ response: Response, of id: Int, _ index: Int) {
        let fields = response.headers.fields.map { ($0.name.lowercased(), $0.value) }
        let headers = Dictionary(fields, uniquingKeysWith: { first, _ in first })
        devices[index].machine.receive(
            .head(status: response.status, headers: headers), of: id, at: now)
        devices[index].machine.receive(.bytes(response.body), of: id, at: now)
        devices[index].machine.receive(.end(isComplete: true), of: id, at: now)
    }

    func benIsAway() {
        devices[1].isAway = true
        if let poll = devices[1].poll {
            devices[1].poll = nil
            devices[1].machine.receive(.end(isComplete: false), of: poll.id, at: now)
        }
        pass(seconds: 20)
    }

    func benIsBack() {
        pass(seconds: 5)
        devices[1].isAway = false
        devices[1].machine.retryNow(at: now)
        pass(seconds: 60)
        #expect(devices.allSatisfy { $0.machine.local?.pending.isEmpty == true })
    }

    /// Prunes all but the last few changes.
    func forget() throws {
        while try store.pruneChanges(olderThan: .max, keepingLast: 5, limit: 256) {}
    }

    func anna(_ command: Command) throws { try perform(command, 0) }

    func ben(_ command: Command) throws { try perform(command, 1) }

    private func perform(_ command: Command, _ index: Int) throws {
        made += 1
        _ = try devices[index].machine.perform([command], id: "o\(made)", at: now)
        respond()
    }

    /// The rows that each device displays.
    var shown: [String] {
        devices.map { device in
            let tasks = device.machine.local.map { Array($0.displayed.tasks) } ?? []
            return tasks.map { task in
                (task.placement.parent.map { "\($0)/" } ?? "") + task.id
            }.joined(separator: " ")
        }
    }

    func end() throws { try service.stop() }
}
