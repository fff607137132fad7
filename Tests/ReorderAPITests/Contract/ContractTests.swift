import Foundation
import Logging
import ReorderService
import ReorderStore
import Testing

@testable import ReorderAPI

@Suite struct ContractTests {
    let contract: Contract

    init() throws {
        contract = try Contract.embedded.get()
    }

    @Test func theContractHasExactlyTheRoutesOfTheServer() throws {
        let service = ListService(
            store: MemoryListStore(), logger: Logger(label: "test"), onLost: { _ in })
        defer { try? service.stop() }
        let routes = ReorderAPI(service: service).makeRouter().routes.map { route in
            "\(route.method) \(withoutNames(route.pattern, ":", ""))"
        }
        let operations = contract.operations.map { operation in
            "\(operation.method) \(withoutNames(operation.path, "{", "}"))"
        }
        #expect(Set(operations) == Set(routes))
        #expect(operations.count == routes.count)
    }

    /// Removes the names of path parameters, which differ between the routes and the file.
    private func withoutNames(_ path: String, _ start: String, _ end: String) -> String {
        path.split(separator: "/", omittingEmptySubsequences: false)
            .map { $0.hasPrefix(start) && $0.hasSuffix(end) ? "*" : String($0) }
            .joined(separator: "/")
    }

    @Test func theContractHasExactlyTheCodesOfTheServer() throws {
        let codes = Set(ProblemCode.allCases.map(\.rawValue))
        let schema = try #require(contract.root["components"]?["schemas"]?["ProblemCode"])
        #expect(Set(schema["enum"]?.array.compactMap(\.string) ?? []) == codes)
        let table = schema["description"]?.string ?? ""
        for code in ProblemCode.allCases {
            #expect(table.contains("| `\(code.rawValue)` | \(code.status) |"))
        }
        for operation in contract.operations {
            for (status, response) in operation.object["responses"]?.object ?? [:] {
                for code in contract.resolved(response)["x-codes"]?.array ?? [] {
                    let known = ProblemCode(rawValue: code.string ?? "")
                    #expect(known.map { "\($0.status)" } == status, "\(operation.id) \(code.text)")
                }
            }
        }
    }

    @Test func everyOperationHasAnIdAndItsPathParameters() {
        #expect(Set(contract.operations.map(\.id)).count == contract.operations.count)
        for operation in contract.operations {
            #expect(!operation.id.isEmpty)
            let item = contract.root["paths"]?[operation.path]
            let declared = (item?["parameters"]?.array ?? []).map { contract.resolved($0) }
                .filter { $0["in"] == "path" }.compactMap { $0["name"]?.string }
            let named = operation.path.split(separator: "/").filter { $0.hasPrefix("{") }
                .map { String($0.dropFirst().dropLast()) }
            #expect(declared == named, "\(operation.path)")
        }
    }

    /// Pages of changes begin with the first change; streams begin with the next one.
    @Test func onlyTheVersionForPagesHasADefault() throws {
        let parameters = try #require(contract.root["components"]?["parameters"])
        #expect(parameters["Since"]?["schema"]?["default"] == "0")
        #expect(parameters["EventsSince"]?["schema"] != nil)
        #expect(parameters["EventsSince"]?["schema"]?["default"] == nil)
        for (path, parameter) in [("changes", "Since"), ("events", "EventsSince")] {
            let operation = contract.operations.first { $0.path == "/lists/{list}/\(path)" }
            let references = operation?.object["parameters"]?.array.map { $0["$ref"]?.string }
            #expect(references?.contains("#/components/parameters/\(parameter)") == true)
        }
    }

    /// The requests of the examples are a minute apart. Their date is long past, so that PostgreSQL's
    /// clock is ignored.
    @Test(arguments: Setup.all)
    func theExamplesAreTheServersResponses(setup: Setup) throws {
        let examples = contract.root["components"]?["examples"]?.object ?? [:]
        var unused = Set(examples.keys)
        let clock = TestClock(stoppedAt: try Date("2025-11-22T09:30:00Z", strategy: .iso8601))
        try withServer(setup, clock: clock) { server throws in
            for step in contract.root["x-session"]?.array ?? [] {
                clock.advance(seconds: 60)
                let name = "\(step.text)"
                let operation = try #require(
                    contract.operations.first { .string($0.id) == step["operation"] }, "\(name)")
                let value = step["body"]?.string.flatMap { examples[$0]?["value"] }
                let body = value?.string ?? value?.text
                let answer = try server.client.send(
                    operation.method, step["path"]?.string ?? "", body ?? step["text"]?.string,
                    (step["headers"]?.object ?? [:]).compactMapValues(\.string))
                #expect(answer.status == step["status"]?.int, "\(name)")
                if let example = step["answer"]?.string {
                    #expect(answer.json == examples[example]?["value"], "\(name)")
                    #expect(stands(example, in: operation, status: answer.status), "\(name)")
                    unused.remove(example)
                }
                if let example = step["body"]?.string {
                    let type = step["headers"]?["Content-Type"]?.string ?? "application/json"
                    let media = operation.object["requestBody"]?["content"]?[type]
                    #expect(media?["examples"]?[example] != nil, "\(name)")
                    unused.remove(example)
                }
            }
        }
        #expect(unused.isEmpty)
    }

    private func stands(
        _ example: String, in operation: Contract.Operation, status: Int
    ) -> Bool {
        let content = contract.response(status, of: operation)?["content"]?.object ?? [:]
        return content.values.contains { $0["examples"]?[example] != nil }
    }
}
