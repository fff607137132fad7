import Dispatch
import Foundation
import ReorderStore
import Synchronization

/// Lets the watchers of lists know of changes that other servers have made.
///
/// It is told of them, and looks for itself every few seconds, and whenever something may have been
/// missed: then it finds the last versions of all lists that are watched here. The watchers ask for the
/// changes themselves.
final class Lookout: Sendable {
    private let store: any SharedListStore
    private let channels: SharedObjects<ListChannel>
    private let wake = DispatchSemaphore(value: 0)
    private let stopped = DispatchSemaphore(value: 0)
    private let isStopping = Atomic<Bool>(false)

    init(_ store: any SharedListStore, _ channels: SharedObjects<ListChannel>) {
        self.store = store
        self.channels = channels
        let thread = Thread { self.run() }
        thread.name = "lookout"
        thread.start()
        store.listen { [self] news in
            switch news {
            case .changed(let list, let version, let exists):
                channels.existing(list)?.learn(ListPosition(version: version, exists: exists))
            case .unsure: wake.signal()
            }
        }
    }

    func stop() {
        isStopping.store(true, ordering: .relaxed)
        wake.signal()
        stopped.wait()
    }

    private func run() {
        while !isStopping.load(ordering: .relaxed) {
            _ = wake.wait(timeout: .now() + store.secondsBetweenLooks)
            // Where the store is away now, it is looked at the next time.
            try? look()
        }
        stopped.signal()
    }

    private func look() throws(StoreError) {
        var rest = channels.names[...]
        while !rest.isEmpty {
            let lists = rest.prefix(Self.listsInOneLook)
            rest = rest.dropFirst(Self.listsInOneLook)
            let standings = try store.standings(
                of: lists.map { StandingQuestion(list: $0, known: nil) })
            for (list, standing) in standings {
                channels.existing(list)?.learn(
                    ListPosition(version: standing.version, exists: standing.exists))
            }
        }
    }

    private static let listsInOneLook = 1_000
}
