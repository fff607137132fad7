import RandomRuns
import ReorderEngine
import Testing

@testable import ReorderClient

/// A machine that has a list of the tasks a, b, c at version 3, in the hands of a test.
struct MachineUnderTest {
    private(set) var machine: SyncMachine
    private(set) var now = 0.0
    /// Requests under way, in the order in which they were started.
    private(set) var requests: [(id: Int, request: ClientRequest)] = []
    private(set) var refused: [Refused] = []

    init(seed: UInt64 = 1) throws {
        machine = try SyncMachine(
            list: "l", storage: MemoryStorage(), newClient: "me",
            random: SeededGenerator(seed: seed))
        update { $0.advance(to: $1) }
        let tasks = ["a", "b", "c"].map { #"{"id":"\#($0)","title":""}"# }.joined(separator: ",")
        try answer("/lists/l", body: #"{"id":"l","title":"","version":3,"tasks":[\#(tasks)]}"#)
    }

    mutating func update(_ body: (inout SyncMachine, _ now: Double) -> Void) {
        body(&machine, now)
        for action in machine.takeActions() {
            switch action {
            case .start(let id, let request, _): requests.append((id, request))
            case .cancel(let id): requests.removeAll { $0.id == id }
            }
        }
        refused += machine.takeRefusals()
    }

    /// Lets time pass, and the machine do what is due.
    mutating func pass(seconds: Double) {
        let end = now + seconds
        while let deadline = machine.nextDeadline, deadline <= end {
            now = max(now, deadline)
            update { $0.advance(to: $1) }
        }
        now = end
        update { $0.advance(to: $1) }
    }

    /// The request under way to a path that begins so, if any.
    func request(_ path: String) -> ClientRequest? {
        requests.first { $0.request.target.hasPrefix(path) }?.request
    }

    private mutating func take(_ path: String) throws -> Int {
        let index = try #require(
            requests.firstIndex { $0.request.target.hasPrefix(path) }, "\(path)")
        return requests.remove(at: index).id
    }

    /// Ends the request with a whole answer.
    mutating func answer(
        _ path: String, status: Int = 200, headers: [String: String] = [:], body: String = ""
    ) throws {
        let id = try take(path)
        update { $0.receive(.head(status: status, headers: headers), of: id, at: $1) }
        update { $0.receive(.bytes(Array(body.utf8)), of: id, at: $1) }
        update { $0.receive(.end(isComplete: true), of: id, at: $1) }
    }

    /// The stream's head arrives, and nothing else.
    mutating func openStream() throws {
        let id = try #require(requests.first { $0.request.target.hasSuffix("/events") }).id
        update {
            $0.receive(
                .head(status: 200, headers: ["content-type": "text/event-stream"]), of: id, at: $1)
        }
    }

    /// Breaks the connection of the request.
    mutating func cut(_ path: String) throws {
        let id = try take(path)
        update { $0.receive(.end(isComplete: false), of: id, at: $1) }
    }

    /// The person makes tasks while nothing is sent; then they are sent.
    mutating func make(_ ids: [String]) {
        update { machine, now in
            machine.writing = .waiting(until: .infinity)
            for id in ids {
                let intent = Intent.create(TaskContent(id: id, title: ""), at: Destination())
                _ = try? machine.perform(intent, id: id, at: now)
            }
            machine.writing = .waiting(until: now)
            machine.advance(to: now)
        }
    }

    static let batch = "/lists/l/batch"

    /// The ids of the operations in the batch under way.
    var batch: [String]? {
        request(Self.batch).map { request in
            String(decoding: request.body, as: UTF8.self).matches(of: /"opId":"(\w+)"/)
                .map { String($0.output.1) }
        }
    }

    /// The server has done all of the batch: nothing of it shows in the version, for shortness.
    mutating func answerBatch() throws {
        let results = (batch ?? []).map { _ in #"{"status":200}"# }.joined(separator: ",")
        try answer(Self.batch, body: #"{"version":3,"results":[\#(results)]}"#)
    }
}

extension SyncMachine {
    /// What whoever listens is told.
    mutating func takeRefusals() -> [Refused] {
        defer { refusalsWereTold() }
        return waitingRefusals
    }
}
