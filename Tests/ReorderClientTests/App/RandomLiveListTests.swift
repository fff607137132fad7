import RandomRuns
import ReorderEngine
import Testing

@testable import ReorderClient

/// Two devices make random calls at the same time.
@MainActor @Suite struct RandomLiveListTests {
    @Test func devicesShowTheSameInTheEnd() async throws {
        let seed = RandomRun.seed
        try await withServer(tasks: ["a", "b", "c", "d", "e"]) { server in
            let networks = [LossyTransport(server.transport), LossyTransport(server.transport)]
            let stores = zip(["phone", "pad"], networks).map {
                ReorderStore(client: server.client($0, over: $1))
            }
            let lists = stores.map { $0.list("l") }
            try await eventually { lists.allSatisfy(\.isLoaded) }
            var devices = [
                RandomListOperations(lists[0], seed: seed, name: "p"),
                RandomListOperations(lists[1], seed: seed &+ 1, name: "q"),
            ]
            var random = SeededGenerator(seed: seed &+ 2)
            for number in 0..<RandomRun.operations(percent: 2) {
                let index = random.below(2)
                let (_, description) = devices[index].make()
                for device in devices {
                    try #require(
                        device.isConsistent, "REORDERD_SEED=\(seed) \(number): \(description)")
                }
                switch random.below(20) {
                case 0: networks[random.below(2)].isCut.toggle()
                case 1: networks[random.below(2)].loseAnswers(1)
                case 2, 3, 4: await Task.yield()
                case 5: try await Task.sleep(for: .milliseconds(2))
                default: break
                }
            }
            for network in networks {
                network.isCut = false
                network.loseAnswers(0)
            }
            try await eventually {
                for store in stores where store.waitingCount > 0 { store.retryNow() }
                return try isSettled(lists, server)
            }
            for device in devices { #expect(device.isConsistent) }
            try await eventually { lists.allSatisfy { !$0.rows.contains(where: \.isWaiting) } }
        }
    }

    /// Whether nothing waits, and both lists display the server's.
    private func isSettled(_ lists: [LiveList], _ server: ServerUnderTest) throws -> Bool {
        let list = try server.service.versionedList(of: "l").list
        return lists.allSatisfy { shown in
            shown.waitingCount == 0 && shown.snapshot.hasSameContent(as: list)
        }
    }
}

extension ReorderableList {
    fileprivate func hasSameContent(as other: ReorderableList) -> Bool {
        let describe = { (list: ReorderableList) in
            list.sections.map { "\($0.id) \($0.title)" }
                + list.tasks.map { "\($0.depth) \($0.placement) \($0.content)" }
        }
        return describe(self) == describe(other)
    }
}
