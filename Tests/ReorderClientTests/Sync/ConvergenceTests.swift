import RandomRuns
import ReorderEngine
import Testing

@testable import ReorderClient

/// Many devices with network failures and crashes: in the end all copies are equal, and no
/// operation was lost or repeated.
@Suite struct ConvergenceTests {
    @Test func allCopiesEqualTheServersAfterABadDay() throws {
        let operations = RandomRun.operations(200)
        try BadDay(
            clients: operations >= 5_000 ? 20 : 6, operations: operations, seed: RandomRun.seed
        ).run()
    }

    @Test(arguments: [1, 2, 3] as [UInt64])
    func knownSeedsConverge(seed: UInt64) throws {
        try BadDay(clients: 4, operations: 120, seed: seed).run()
    }
}

private struct BadDay {
    let clients: Int
    let operations: Int
    let seed: UInt64
    private let world: SimulatedWorld

    init(clients: Int, operations: Int, seed: UInt64) throws {
        (self.clients, self.operations, self.seed) = (clients, operations, seed)
        let list = try ReorderableList(
            settings: ListSettings(title: "All"), sections: [(id: "s", title: "S")],
            tasks: (0..<20).map { index in
                .init(
                    content: TaskContent(id: "t\(index)", title: "Task \(index)"),
                    section: index < 10 ? nil : "s",
                    parent: index % 5 == 4 ? "t\(index - 1)" : nil)
            })
        world = try SimulatedWorld(
            clients: (0..<clients).map { "c\($0)" }, seed: seed, list: list)
    }

    func run() throws {
        world.weather = .bad
        // About one operation per second and client.
        let length = Double(operations) / Double(clients)
        var people = world.clients.map { RandomIntents(name: $0.name) }
        for _ in 0..<operations {
            let client = world.random.below(clients)
            let time = Double.random(in: 0...length, using: &world.random)
            world.plan(at: time) { [world] in
                guard let list = world.clients[client].displayed else { return }
                let intent = people[client].next(on: list, &world.random)
                world.update(client) { try? $0.perform(intent, at: world.now) }
            }
        }
        planTrouble(over: length)
        try world.run(until: length)
        world.weather = .fine
        let isSettled = { [world] in
            world.clients.allSatisfy { $0.pendingCount == 0 && $0.displayed != nil }
        }
        // Enough for delays of a minute, a silent stream, and a restarted server.
        try world.run(until: length + 1_000, orUntil: isSettled)
        let version = try world.server.snapshot().version
        try world.run(until: length + 2_000) { [world] in
            isSettled() && world.clients.allSatisfy { $0.machine.local?.version == version }
        }
        try check()
        if operations >= 5_000 { print(summary) }
        try world.server.stop()
    }

    private func planTrouble(over length: Double) {
        for time in stride(from: 5.0, to: length, by: 7) {
            let kind = world.random.below(100)
            let client = world.random.below(clients)
            let seconds = Double.random(in: 1...(length / 4), using: &world.random)
            world.plan(at: time) { [world] in
                switch kind {
                case 0..<45: world.clients[client].offlineUntil = world.now + seconds
                case 45..<65: try world.end(client)
                case 65..<80: try world.restartServer(downSeconds: min(seconds, 10))
                case 80..<95: try world.server.forget()
                default:
                    // Someone replaces the list and changes only its title: all clients must fetch
                    // it.
                    var list = try world.server.snapshot().list
                    _ = list.update(SettingsUpdate(title: "Put at \(world.now)"))
                    _ = try world.server.write(.put(list), client: nil).get()
                    try world.updateStreams()
                }
            }
        }
    }

    private var summary: String {
        let done = world.clients.reduce(0) { $0 + $1.operations.count }
        let refused = world.clients.reduce(0) { $0 + $1.refused.count }
        let lives = world.clients.reduce(0) { $0 + $1.life }
        return "seed \(seed): \(clients) clients, \(done) operations, \(refused) refused, "
            + "\(world.clients[0].machine.local?.version ?? 0) versions, \(lives) sudden ends, "
            + "\(world.serverStarts) starts of the server, \(world.repeatedRequests) repeated requests, "
            + "\(world.lostAnswers) lost answers"
    }

    private func check() throws {
        let comment: Comment = "seed \(seed), \(operations) operations, \(clients) clients"
        let server = try world.server.snapshot()
        var sent: [[UInt8]] = []
        for client in world.clients {
            #expect(client.pendingCount == 0, comment)
            #expect(client.machine.local?.version == server.version, comment)
            #expect(client.displayed == server.list, "\(comment): \(client.name)")
            #expect(client.machine.local?.base == server.list, "\(comment): \(client.name)")
            #expect(client.showsItsRows, "\(comment): \(client.name)")
            sent += client.operations.values
        }
        // The server knows each operation: none is applied when sent again.
        for batch in ReplayedOperation.batches(of: sent) {
            let answer = try world.server.answer(
                ClientRequest(
                    method: "POST", target: "/lists/l/batch",
                    headers: [("Content-Type", "application/json")], body: batch))
            let replayed = try ReplayedOperation.all(in: answer.body)
            #expect(!replayed.isEmpty && replayed.allSatisfy { $0.isReplayed }, comment)
        }
        #expect(try world.server.snapshot().version == server.version, comment)
        // Each task was inserted once, even if its creation was sent repeatedly.
        for (task, count) in world.server.insertions where count > 1 {
            Issue.record("\(task) was created \(count) times, \(comment)")
        }
    }
}
