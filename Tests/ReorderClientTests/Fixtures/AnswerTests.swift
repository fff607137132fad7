import Foundation
import Testing

@testable import ReorderClient

/// What the client does with each answer of `answers.json`.
@Suite struct AnswerTests {
    private static let list = "groceries"

    @Test func eachAnswerHasTheActionOfTheTable() throws {
        let cases = try Fixture.read("answers.json", as: Fixture.Object.self)["cases"]
        for one in try #require(cases as? [Fixture.Object]) {
            let name = one["name"] as? String ?? ""
            let answer = try Fixture.answer(one)
            #expect(answer.problem?.code == one["code"] as? String, "\(name)")
            for kind in ["read", "write", "step", "steps", "stream"] {
                guard let expected = one[kind] as? String else { continue }
                #expect(action(of: answer, kind) == expected, "\(name), \(kind)")
            }
            if let seconds = one["retryAfter"] as? Double {
                #expect(answer.retryAfter == seconds, "\(name)")
            }
        }
    }

    private struct OtherForm: Error {}

    private func action(of answer: Answer, _ kind: String) -> String {
        switch kind {
        case "read":
            name(answer.action(for: .read) { try SyncMachine.document($0.body, of: Self.list) })
        case "write": name(answer.action(for: .write) { try $0.version() })
        case "stream":
            name(answer.action(for: .stream) { if !$0.isEventStream { throw OtherForm() } })
        default:
            batch(answer, kind == "step" ? 1 : 4)
        }
    }

    private func batch(_ answer: Answer, _ count: Int) -> String {
        name(
            answer.action(for: .steps(count)) { try BatchResponse(json: $0.body, count: count) })
    }

    private func name<Value>(_ action: Answer.Action<Value>) -> String {
        switch action {
        case .done: "done"
        case .wait: "wait"
        case .signIn: "signIn"
        case .gone: "gone"
        case .readAgain: "readAgain"
        case .split(let count): "split \(count)"
        case .refuse: "refuse"
        }
    }

    /// Whatever the answers are, each step is made, refused with words, or waits.
    @Test func noAnswerLosesAStep() throws {
        let cases = try Fixture.read("answers.json", as: Fixture.Object.self)["cases"]
        for one in try #require(cases as? [Fixture.Object]) where one["steps"] as? String != "done"
        {
            let name = one["name"] as? String ?? ""
            let answer = try Fixture.answer(one)
            var client = try MachineUnderTest()
            try client.openStream()
            client.make(["o0", "o1", "o2", "o3"])
            for _ in 0..<4 {
                guard client.batch != nil else { continue }
                if answer.status == 0 {
                    try client.cut(MachineUnderTest.batch)
                } else {
                    try client.answer(
                        MachineUnderTest.batch, status: answer.status, headers: answer.headers,
                        body: String(decoding: answer.body, as: UTF8.self))
                }
            }
            let refused = client.refused.count
            #expect(client.machine.status.pending + refused == 4, "\(name)")
            let isRefusal = ["refuse", "split 2", "split 1", "split 3"].contains(
                one["steps"] as? String)
            #expect(refused == 0 || isRefusal && one["code"] != nil, "\(name)")
            let restarted = try SyncMachine(
                list: "l", storage: client.storage, newClient: "new",
                random: SystemRandomNumberGenerator())
            #expect(restarted.status.pending + refused == 4, "\(name)")
        }
    }
}
