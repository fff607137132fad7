import Foundation
import RandomRuns
import ReorderEngine
import Simulation
import Testing

@testable import ReorderClient

/// The scenarios of `sync.json`.
@Suite struct SyncFixtureTests {
    @Test func theMachineDoesWhatEachScenarioSays() throws {
        for scenario in try Fixture.read("sync.json", as: [Fixture.Object].self) {
            let name = scenario["name"] as? String ?? ""
            var client = try ScriptedClient()
            for (index, item) in try #require(scenario["script"] as? [Fixture.Object]).enumerated()
            {
                try client.take(item)
                let expected = try #require(item["then"] as? Fixture.Object)
                let state = client.state
                let isEqual = try Fixture.bytes(state) == Fixture.bytes(expected)
                #expect(isEqual, "\(name), \(index): \(item) is \(state)")
                guard isEqual else { break }
            }
        }
    }
}

/// A machine that is driven by a script. Time stands still.
private struct ScriptedClient {
    private let storage = MemoryStorage()
    private var machine: SyncMachine
    private var requests: [(id: Int, request: ClientRequest)] = []
    /// The targets of the requests that began with the last item.
    private var started: [ClientRequest] = []
    private var openStream: Int?
    private var table: TableView?
    /// The names of the steps, by the ids of their operations.
    private var names: [String: String] = [:]

    private static let batch = "/lists/l/batch"
    private static let document = "/lists/l"

    init() throws {
        machine = try Self.machine(storage)
        follow { $0.advance(to: 0) }
    }

    private static func machine(_ storage: MemoryStorage) throws -> SyncMachine {
        try SyncMachine(
            list: "l", storage: storage, newClient: "me", random: SeededGenerator(seed: 1))
    }

    mutating func take(_ item: Fixture.Object) throws {
        started = []
        if let name = item["do"] as? String {
            let step = try #require(item["step"] as? [Fixture.Object]).map {
                try Fixture.operation($0, id: $0["opId"] as? String ?? "")
            }
            for operation in step { names[operation.id] = name }
            try follow { try $0.adopt(step, at: 0) }
        } else if let target = item["to"] as? String {
            try receive(item["answer"] as? Fixture.Object, target == "batch")
        } else if let event = item["event"] as? String {
            try receive(event, try Fixture.bytes(item["data"] ?? [:]))
        } else if let name = item["seen"] as? String {
            let ids = names.filter { $0.value == name }.keys
            follow { $0.acknowledge(Set(ids)) }
        } else if item["discard"] != nil {
            try follow { _ = try $0.discardWaiting() }
        } else if item["token"] != nil {
            follow { $0.retryNow(at: 0) }
        } else if item["pause"] != nil {
            follow { machine in
                if case .waiting = machine.reading { machine.reading = .waiting(until: 0) }
                if case .waiting = machine.writing { machine.writing = .waiting(until: 0) }
                machine.advance(to: 0)
            }
        } else if item["restart"] != nil {
            machine = try Self.machine(storage)
            requests = []
            (openStream, table) = (nil, nil)
            follow { $0.advance(to: 0) }
        } else {
            Issue.record("unknown: \(item)")
        }
    }

    private mutating func follow(_ body: (inout SyncMachine) throws -> Void) rethrows {
        try body(&machine)
        for effect in machine.takeEffects() {
            switch effect {
            case .start(let id, let request, _):
                requests.append((id, request))
                started.append(request)
            case .cancel(let id): requests.removeAll { $0.id == id }
            case .rewriteFile: machine.rewriteFile()
            }
        }
        show()
    }

    /// A table view that replaces only the touched rows must show the list.
    private mutating func show() {
        let touched = machine.takeTouched()
        guard let displayed = machine.local?.displayed else { return }
        if table == nil { table = TableView(displayed) }
        #expect(table?.show(displayed, touched: touched) == nil)
    }

    private mutating func receive(_ json: Fixture.Object?, _ isBatch: Bool) throws {
        let target = isBatch ? Self.batch : Self.document
        let index = try #require(requests.firstIndex { $0.request.target == target })
        let id = requests.remove(at: index).id
        guard var json else { return follow { $0.receive(.end(isComplete: false), of: id, at: 0) } }
        if !isBatch, json["status"] as? Int == 200, let short = json["body"] as? Fixture.Object {
            json["body"] = Fixture.document(short)
        }
        let answer = try Fixture.answer(json)
        follow { $0.receive(.head(status: answer.status, headers: answer.headers), of: id, at: 0) }
        follow { $0.receive(.bytes(answer.body), of: id, at: 0) }
        follow { $0.receive(.end(isComplete: true), of: id, at: 0) }
    }

    private mutating func receive(_ event: String, _ data: [UInt8]) throws {
        guard let id = requests.first(where: { $0.request.target.hasSuffix("/events") })?.id else {
            return
        }
        if openStream != id {
            openStream = id
            let headers = ["content-type": "text/event-stream"]
            follow { $0.receive(.head(status: 200, headers: headers), of: id, at: 0) }
        }
        let bytes = Array("event: \(event)\ndata: ".utf8) + data + Array("\n\n".utf8)
        follow { $0.receive(.bytes(bytes), of: id, at: 0) }
    }

    /// The state as a `then`.
    var state: Fixture.Object {
        var state: Fixture.Object = ["waits": steps(machine.local?.waiting.map(\.id) ?? [])]
        if machine.connection != .gone { state["shown"] = machine.local?.displayed.fixtureOutline }
        if let batch = started.last(where: { $0.target == Self.batch }) {
            let ids = String(decoding: batch.body, as: UTF8.self).matches(of: /"opId":"([\w.]+)"/)
            state["sends"] = steps(ids.map { String($0.output.1) })
        }
        if started.contains(where: { $0.target == Self.document }) { state["reads"] = true }
        let refused = machine.refusals.map { [names[$0.id] ?? "", $0.code] }
        if !refused.isEmpty {
            state["refused"] = refused.reduce(into: [[String]]()) { all, one in
                if all.last != one { all.append(one) }
            }
        }
        if machine.connection == .gone { state["state"] = "gone" }
        if isLocked { state["state"] = "locked" }
        return state
    }

    /// Whether the machine waits for another token.
    private var isLocked: Bool {
        if machine.connection == .unauthorized, machine.reading.active == nil { return true }
        return machine.lock != nil && machine.writing.active == nil
    }

    private func steps(_ ids: [String]) -> [String] {
        ids.reduce(into: []) { all, id in
            if let name = names[id], all.last != name { all.append(name) }
        }
    }
}
