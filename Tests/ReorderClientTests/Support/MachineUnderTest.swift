import RandomRuns
import ReorderEngine
import ReorderJSON
import Testing

@testable import ReorderClient

/// A machine with a list of the tasks a, b and c at version 3, controlled by a test.
struct MachineUnderTest {
    private(set) var machine: SyncMachine
    let storage = MemoryStorage()
    private(set) var now = 0.0
    /// The active requests, in the order of their start.
    private(set) var requests: [(id: Int, request: ClientRequest)] = []
    private(set) var refused: [Refused] = []

    /// - Parameter epoch: nil for a document of an earlier server.
    init(seed: UInt64 = 1, epoch: String? = nil) throws {
        machine = try SyncMachine(
            list: "l", storage: storage, newClient: "me",
            random: SeededGenerator(seed: seed))
        update { $0.advance(to: $1) }
        let tasks = ["a", "b", "c"].map { #"{"id":"\#($0)","title":""}"# }.joined(separator: ",")
        let epochMember = epoch.map { #""epoch":"\#($0)","# } ?? ""
        let body = #"{"id":"l","title":"","version":3,\#(epochMember)"tasks":[\#(tasks)]}"#
        try answer("/lists/l", body: body)
    }

    mutating func update(_ body: (inout SyncMachine, _ now: Double) -> Void) {
        body(&machine, now)
        for effect in machine.takeEffects() {
            switch effect {
            case .start(let id, let request, _): requests.append((id, request))
            case .cancel(let id): requests.removeAll { $0.id == id }
            case .rewriteFile: machine.rewriteFile()
            }
        }
        refused += machine.takeRefusals()
    }

    /// Lets time pass; the machine does everything that is due.
    mutating func pass(seconds: Double) {
        let end = now + seconds
        while let deadline = machine.nextDeadline, deadline <= end {
            now = max(now, deadline)
            update { $0.advance(to: $1) }
        }
        now = end
        update { $0.advance(to: $1) }
    }

    /// The active request whose path has this prefix.
    func request(_ path: String) -> ClientRequest? {
        requests.first { $0.request.target.hasPrefix(path) }?.request
    }

    private mutating func take(_ path: String) throws -> Int {
        let index = try #require(
            requests.firstIndex { $0.request.target.hasPrefix(path) }, "\(path)")
        return requests.remove(at: index).id
    }

    /// Completes the request with a response.
    mutating func answer(
        _ path: String, status: Int = 200, headers: [String: String] = [:], body: String = ""
    ) throws {
        let id = try take(path)
        update { $0.receive(.head(status: status, headers: headers), of: id, at: $1) }
        update { $0.receive(.bytes(Array(body.utf8)), of: id, at: $1) }
        update { $0.receive(.end(isComplete: true), of: id, at: $1) }
    }

    /// Completes the request with a problem document of the server.
    mutating func refuse(
        _ path: String, status: Int, _ code: String, _ detail: String = "No.",
        pointer: String? = nil,
        headers: [String: String] = [:]
    ) throws {
        let problem = Answer.problem(status, code, detail, pointer: pointer)
        try answer(
            path, status: status, headers: problem.headers.merging(headers) { $1 },
            body: String(decoding: problem.body, as: UTF8.self))
    }

    /// Delivers an event of the stream.
    mutating func receive(_ event: String, _ data: String) throws {
        let id = try #require(requests.first { $0.request.target.hasSuffix("/events") }).id
        let text = "event: \(event)\ndata: \(data)\n\n"
        update { $0.receive(.bytes(Array(text.utf8)), of: id, at: $1) }
    }

    /// Delivers the head of the stream's response, and nothing else.
    mutating func openStream() throws {
        let id = try #require(requests.first { $0.request.target.hasSuffix("/events") }).id
        update {
            $0.receive(
                .head(status: 200, headers: ["content-type": "text/event-stream"]), of: id, at: $1)
        }
    }

    /// Breaks the request's connection.
    mutating func cut(_ path: String) throws {
        let id = try take(path)
        update { $0.receive(.end(isComplete: false), of: id, at: $1) }
    }

    /// Creates tasks while nothing is sent, then lets them be sent.
    mutating func make(_ ids: [String]) {
        update { machine, now in
            machine.writing = .waiting(until: .infinity)
            for id in ids {
                let command = Command.create(TaskContent(id: id, title: ""), at: Destination())
                _ = try? machine.perform([command], id: id, at: now)
            }
            machine.writing = .waiting(until: now)
            machine.advance(to: now)
        }
    }

    static let batch = "/lists/l/batch"

    /// The ids of the operations in the active batch.
    var batch: [String]? {
        request(Self.batch).map { request in
            String(decoding: request.body, as: UTF8.self).matches(of: /"opId":"([\w.-]+)"/)
                .map { String($0.output.1) }
        }
    }

    /// The steps of the active batch: the ids of their operations.
    var steps: [[String]]? {
        request(Self.batch).map { request in
            String(decoding: request.body, as: UTF8.self).matches(of: /\[({.*?})\]/).map { step in
                step.output.1.matches(of: /"opId":"([\w.-]+)"/).map { String($0.output.1) }
            }
        }
    }

    /// The server applies the whole batch. For simplicity the version does not change.
    mutating func answerBatch() throws {
        let results = (batch ?? []).map { _ in #"{"status":200}"# }.joined(separator: ",")
        try answer(Self.batch, body: #"{"version":3,"results":[\#(results)]}"#)
    }
}

extension Answer {
    /// A problem document of the server.
    static func problem(
        _ status: Int, _ code: String, _ detail: String = "No.", pointer: String? = nil
    ) -> Answer {
        let pointer = pointer.map { #","pointer":"\#($0)""# } ?? ""
        let body = #"{"status":\#(status),"code":"\#(code)","detail":"\#(detail)"\#(pointer)}"#
        return Answer(
            status: status, headers: ["content-type": "application/problem+json"],
            body: Array(body.utf8))
    }
}

extension SyncMachine {
    /// Acknowledges the refusals.
    mutating func takeRefusals() -> [Refused] {
        defer { acknowledge(Set(refusals.map(\.id))) }
        return refusals
    }
}
