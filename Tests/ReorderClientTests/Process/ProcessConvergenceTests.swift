import Foundation
import ProcessTesting
import RandomRuns
import ReorderEngine
import Testing
import Waiting

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

@testable import ReorderClient

/// Real clients, unreliable networks, and the server's executable, killed and restarted, in real
/// time. `scripts/converge` runs the long form.
@Suite struct ProcessConvergenceTests {
    @Test func allCopiesEqualTheServersThroughCutsAndKills() async throws {
        let operations = RandomRun.convergenceOperations(100)
        let folder = URL.temporaryDirectory.appending(path: "reorderd-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        let run = try await ConvergenceRun(
            clients: operations >= 5_000 ? 20 : 6, operations: operations, seed: RandomRun.seed,
            folder: folder)
        try await run.run()
        run.stop()
    }
}

/// One run, from creating the list to comparing the copies.
private final class ConvergenceRun {
    private static let operationsPerSecond = 50.0

    private let operations: Int
    private let seed: UInt64
    private let store: URL
    private var server: ServerProcess
    private var devices: [ConvergenceDevice] = []
    private var random: SeededGenerator
    private var start: (list: ReorderableList, version: Int)
    private var kills = 0

    private static func serve(_ store: URL) throws -> ServerProcess {
        try ServerProcess(["--port", "0", "--store", "file:\(store.path)", "--log-level", "error"])
    }

    init(clients: Int, operations: Int, seed: UInt64, folder: URL) async throws {
        (self.operations, self.seed) = (operations, seed)
        random = SeededGenerator(seed: seed)
        store = folder.appending(path: "lists.db")
        server = try Self.serve(store)
        let tasks = (0..<20).map {
            #"{"id":"t\#($0)","title":"","section":\#($0 < 10 ? "null" : #""s""#)}"#
        }
        let document =
            #"{"id":"l","title":"L","sections":[{"id":"s","title":"S"}],"tasks":[\#(tasks.joined(separator: ","))]}"#
        start = (ReorderableList(settings: ListSettings(title: "")), 0)
        #expect(try await ask("POST", "/lists", Array(document.utf8)).status == 201)
        let begun = try SyncMachine.document(try await ask("GET", "/lists/l").body)
        start = (begun.list, begun.syncPoint.version)
        for number in 0..<clients {
            devices.append(
                try await ConvergenceDevice(
                    "c\(number)", server: server.port, folder: folder, seed: random.next()))
        }
    }

    func stop() {
        for device in devices {
            device.list.close()
            device.proxy.stop()
        }
        server.kill()
    }

    func run() async throws {
        for device in devices {
            device.proxy.weather = .init(
                cutRequest: 25, cutAnswer: 50, silent: operations >= 5_000 ? 3 : 0,
                longestDelayMilliseconds: 40, foreign: 15)
        }
        let clock = ContinuousClock()
        let began = clock.now
        try await live()
        let lived = clock.now - began
        report("all operations are done after \(lived)")
        for device in devices {
            device.proxy.weather = .fine
            device.proxy.breakAll()
        }
        let isSettled = try await settle()
        report("all copies are up to date after \(clock.now - began)")
        #expect(isSettled, "seed \(seed): some operations or changes were not delivered")
        try await check(lived: lived, all: clock.now - began)
    }

    /// Prints the progress of a long run.
    private func report(_ text: String) {
        guard operations >= 5_000 else { return }
        FileHandle.standardError.write(Data("seed \(seed): \(text)\n".utf8))
    }

    private func live() async throws {
        let each = operations / devices.count
        let pause = Double(devices.count) / Self.operationsPerSecond
        var people: [Task<Void, any Error>] = []
        for device in devices {
            people.append(Task { try await device.live(operations: each, pauseSeconds: pause) })
        }
        let length = Double(operations) / Self.operationsPerSecond
        let longest = max(1, length / 12)
        var next = Double.random(in: 0.5...longest, using: &random)
        let clock = ContinuousClock()
        let began = clock.now
        while (clock.now - began) / .seconds(1) < length {
            try await Task.sleep(for: .seconds(next))
            try restartServer()
            report("\(kills) kills after \(clock.now - began)")
            next = Double.random(in: 0.5...longest, using: &random)
        }
        for person in people { try await person.value }
    }

    private func restartServer() throws {
        server.kill()
        kills += 1
        server = try Self.serve(store)
        for device in devices { device.proxy.setServer(server.port) }
    }

    /// Waits until each device has sent its operations and received all changes.
    private func settle() async throws -> Bool {
        let limit = ContinuousClock.now + .seconds(hangSeconds)
        while ContinuousClock.now < limit {
            if devices.allSatisfy({ $0.list.status.pending == 0 }) {
                let body = try await ask("GET", "/lists/l").body
                let version = try SyncMachine.document(body).syncPoint.version
                if devices.allSatisfy({ $0.list.status.version == version }) { return true }
            }
            for device in devices { device.list.runner.retryNow() }
            try await Task.sleep(for: .milliseconds(200))
        }
        return false
    }

    private func check(lived: Duration, all: Duration) async throws {
        let comment: Comment = "seed \(seed), \(operations) operations, \(devices.count) clients"
        let (list, end) = try SyncMachine.document(try await ask("GET", "/lists/l").body)
        let version = end.version
        for device in devices {
            let model = try #require(device.list.runner.read(\.local), comment)
            #expect(model.version == version, "\(comment): \(device.name)")
            #expect(model.base == list, "\(comment): \(device.name)")
            #expect(model.displayed == list, "\(comment): \(device.name)")
        }
        try await checkChanges(from: start.version, to: end, give: list, comment)
        let (done, refused) = try await checkOnce(comment)
        let (last, _) = try SyncMachine.document(try await ask("GET", "/lists/l").body)
        #expect(last == list, "\(comment): repeated operations changed the list")
        let cuts = devices.reduce(0) { $0 + $1.proxy.cuts }
        let foreignAnswers = devices.reduce(0) { $0 + $1.proxy.foreignAnswers }
        let reopenings = devices.reduce(0) { $0 + $1.reopenings }
        let summary = [
            "\(devices.count) clients",
            "\(done + refused) operations acknowledged, \(done) done, \(refused) refused",
            "\(version) versions", "\(kills) kills of the server",
            "\(cuts) connections cut within requests and responses",
            "\(foreignAnswers) answers by others than the server", "\(reopenings) apps restarted",
            "\(lived) of work, \(all) until all copies were equal",
        ]
        report(summary.joined(separator: "; "))
    }

    /// Checks that the changes have no gap, and lead to the list.
    private func checkChanges(
        from first: Int, to end: SyncPoint, give list: ReorderableList, _ comment: Comment
    ) async throws {
        var fold = start.list
        var version = first
        while version < end.version {
            let since = SyncPoint(version: version, epoch: end.epoch).token
            let target = "/lists/l/changes?since=\(since)&limit=1000"
            let changes = try ChangesResponse(json: try await ask("GET", target).body).changes
            try #require(!changes.isEmpty, comment)
            for change in changes {
                #expect(change.version == version + 1, comment)
                version = change.version
                fold.changeStamp = change.stamp
                try fold.apply(change.operations)
            }
        }
        #expect(fold == list, comment)
    }

    /// Checks that the server knows each operation's result, and that the device has reported each refusal. Of a refused step, the server
    /// keeps nothing.
    private func checkOnce(_ comment: Comment) async throws -> (done: Int, refused: Int) {
        var (done, refused) = (0, 0)
        for device in devices {
            let comment: Comment = "\(comment): \(device.name)"
            let refusals = Set(device.list.unacknowledgedRefusals.map(\.id))
            let steps = Dictionary(grouping: device.operations.filter { $0.step != nil }) {
                $0.step
            }
            for step in steps.values {
                let count = step.count { refusals.contains($0.id) }
                #expect(count == 0 || count == step.count, comment)
            }
            let known = device.operations.filter { $0.step == nil || !refusals.contains($0.id) }
            var results: [ReplayedOperation] = []
            for batch in ReplayedOperation.batches(of: known.map { $0.json() }) {
                results += try ReplayedOperation.all(
                    in: try await ask("POST", "/lists/l/batch", batch).body)
            }
            try #require(results.count == known.count, comment)
            #expect(results.allSatisfy { $0.isReplayed }, comment)
            for (operation, result) in zip(known, results) {
                #expect((result.status >= 300) == refusals.contains(operation.id), comment)
            }
            done += results.count { $0.status < 300 }
            refused += refusals.count
        }
        return (done, refused)
    }

    private func ask(
        _ method: String, _ target: String, _ body: [UInt8] = []
    ) async throws -> (status: Int, body: [UInt8]) {
        let url = try #require(URL(string: "http://127.0.0.1:\(server.port)\(target)"))
        var request = URLRequest(url: url)
        request.httpMethod = method
        if !body.isEmpty {
            request.httpBody = Data(body)
            request.setValue("application/json", forHTTPHeaderField: "Content-Type")
        }
        let (data, response) = try await URLSession.shared.data(for: request)
        return ((response as? HTTPURLResponse)?.statusCode ?? 0, Array(data))
    }
}
