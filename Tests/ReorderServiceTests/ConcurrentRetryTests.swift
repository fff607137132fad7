import RandomRuns
import ReorderEngine
import ReorderJSON
import ReorderStore
import StoreTesting
import Synchronization
import Testing
import Waiting

@testable import ReorderService

/// Many threads repeat the same requests until they get a response, while random commits fail.
@Suite struct ConcurrentRetryTests {
    @Test func eachRepeatedRequestIsAppliedOnce() throws {
        let seed = RandomRun.seed
        let store = RandomlyFailingStore(seed: seed)
        let service = ListService.quiet(store)
        var isMade = false
        while !isMade { isMade = (try? service.make("l", ["a", "b", "c"])) != nil }
        let count = 60
        let responses = Mutex<[Int: Set<String>]>([:])
        try onThreads(6) { thread in
            var random = SeededGenerator(seed: seed &+ UInt64(thread))
            for number in (0..<count).shuffled(using: &random) {
                let text = Self.untilAnswered(number, service, &random)
                responses.withLock { _ = $0[number, default: []].insert(text) }
            }
        }
        let changes = try #require(try store.changes(of: "l", after: 0, limit: .max))
        let clients = try changes.compactMap { try ChangeDocument(json: $0.bytes).client }
        #expect(clients.count == Set(clients).count, "seed \(seed)")
        for (number, texts) in responses.withLock(\.self) {
            #expect(texts.count == 1, "request \(number): \(texts), seed \(seed)")
        }
        try service.stopIdle()
    }

    /// Sends a request, with a key or as an op with an id, until it is decided.
    private static func untilAnswered(
        _ number: Int, _ service: ListService, _ random: inout SeededGenerator
    ) -> String {
        let task = ["a", "b", "c"][number % 3]
        let command = Command.move(
            MoveRequest(
                .task(task), to: Destination(place: .init(.own, position: number / 3 % 3))))
        while true {
            let result: Result<String, ServiceError>?
            if number.isMultiple(of: 2) {
                let request = WriteRequest(
                    list: "l", action: .command(command), client: "r\(number)")
                result = try? service.ask(once: "k\(number)", request).wait()
            } else {
                let keys = [OperationKey(id: "o\(number)", digest: [UInt8(number)])]
                let request = WriteRequest(
                    list: "l",
                    action: .batch(
                        Batch([command], random.chance(50) ? .atomic : .separate, once: keys)),
                    client: "o\(number)")
                result = try? service.ask(request).wait().map { $0.words.joined() }
            }
            switch result {
            case .success(let text)?: return text.replacing(" again", with: "")
            case .failure(.unavailable)?, .failure(.requestInProgress)?: continue
            case .failure(let error)?: return error.word
            case nil: return "no answer"
            }
        }
    }
}
