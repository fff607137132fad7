import ReorderEngine
import ReorderStore
import Synchronization
import Testing

@testable import ReorderService

/// Results of store reads wait until what they may show is published.
@Suite struct PublicationTests {
    private func ran(_ publication: Publication) -> () -> Bool {
        let flag = Mutex(false)
        publication.whenPublished { flag.withLock { $0 = true } }
        return { flag.withLock(\.self) }
    }

    @Test func aResultWaitsForTheLanesThatAreOpenNow() {
        let publication = Publication()
        #expect(ran(publication)())
        publication.begin(.small)
        let first = ran(publication)
        publication.begin(.large)
        let both = ran(publication)
        publication.end(.small) { #expect(!first(), "the results wait for the publication") }
        #expect(first() && !both())
        publication.begin(.small)
        publication.end(.large) { #expect(!both(), "the results wait for the publication") }
        #expect(both(), "the small lane has begun again, with another append")
        #expect(!ran(publication)())
        publication.end(.small) {}
        #expect(publication.waitingCount == 0)
    }

    /// The store has the new version, and the published list does not.
    @Test func theIndexIsNeverAheadOfADocument() throws {
        let gated = GatedService()
        let (store, service) = (gated.store, gated.service)
        try service.make("l", ["a"])
        store.holdStored()
        let write = service.ask(.create("b", in: "l"))
        try store.nextStored()
        let index = service.pending { $0.index(after: nil, limit: 10, $1) }
        let changes = service.changes(of: "l", after: 0, limit: 10, bytes: 1_000)
        let holder = service.versionedList(ofListContaining: "b")
        #expect(try service.read("l").value().version == 1)
        for isAnswered in [index.isAnswered, changes.isAnswered, holder.isAnswered] {
            #expect(!isAnswered)
        }
        store.passStored()
        #expect(try write.value().version == 2)
        #expect(try index.value().lists.map(\.version) == [2])
        #expect(try changes.value()?.map(\.version) == [1, 2])
        #expect(try holder.value().version == 2)
    }
}
