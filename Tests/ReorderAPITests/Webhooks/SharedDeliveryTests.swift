import Foundation
import PostgresStore
import PostgresTesting
import ReorderService
import Testing
import Waiting

/// Which of the servers of a database delivers, in simulated time.
@Suite(.enabled(if: PostgresCluster.isTested)) struct SharedDeliveryTests {
    /// Otherwise the next server would wait until the first one seems to be dead.
    @Test func aServerThatStopsLeavesTheDeliveryToOthers() throws {
        let name = "test-\(UUID().uuidString)"
        let cluster = try PostgresCluster.shared()
        let url = try cluster.url(ofDatabase: name)
        defer { try? cluster.remove(database: name) }
        _ = try PostgresListStore.migrate(url: url)
        let rig = DeliveryRig(try PostgresListStore(url: url, options: .patient))
        _ = try rig.hook("w")
        try rig.make("l")
        try waitUntil { rig.receivers.accepted.count == 1 }
        #expect(try stored(by: rig.service).contains("sender"))
        rig.webhooks.stop()
        #expect(try !stored(by: rig.service).contains("sender"))
        try rig.service.stopIdle()
    }

    private func stored(by service: ListService) throws -> String {
        String(decoding: try #require(try service.sharedDocument("webhooks").bytes), as: UTF8.self)
    }
}
