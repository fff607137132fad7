import Dispatch
import Logging
import ReorderStore
import Synchronization

/// Notifies the watchers of lists of changes that other servers have made.
///
/// It reads the state of a list after a notification from the store, and the state of all watched
/// lists every few seconds and whenever a notification may have been missed.
final class Lookout: Sendable {
    private enum Wish {
        case lists(Set<String>)
        case all
    }

    private let store: any SharedListStore
    private let channels: SharedObjects<ListChannel>
    private let wish = Mutex(Wish.all)
    private let thread = BackgroundThread("lookout")
    private let isFailing = Atomic<Bool>(false)
    private let logger: Logger

    init(
        _ store: any SharedListStore, _ channels: SharedObjects<ListChannel>, _ logger: Logger
    ) {
        self.store = store
        self.channels = channels
        self.logger = logger
        thread.start { self.run() }
        store.listen { [self] news in take(news) }
    }

    /// Whether the last read succeeded.
    var seesLists: Bool { !isFailing.load(ordering: .relaxed) }

    func stop() { thread.stop() }

    private func take(_ news: StoreNews) {
        switch news {
        case .changed(let list, let version):
            // The list has no watcher, or the change is this server's own.
            guard let channel = channels.existing(list), channel.position.version < version
            else { return }
            let isFirst = wish.withLock { wish in
                guard case .lists(var lists) = wish else { return false }
                let isFirst = lists.isEmpty
                lists.insert(list)
                wish = .lists(lists)
                return isFirst
            }
            if isFirst { thread.wake() }
        case .unsure:
            wish.withLock { $0 = .all }
            thread.wake()
        }
    }

    private func run() {
        // The time of the next read of all watched lists, independent of notifications.
        var next = DispatchTime.now() + store.secondsBetweenLooks
        var isLogged = false
        while !thread.isStopping {
            thread.sleep(until: next)
            let wish = wish.withLock { wish in
                defer { wish = .lists([]) }
                return DispatchTime.now() < next ? wish : .all
            }
            do throws(StoreError) {
                switch wish {
                case .lists(let lists): try look(at: Array(lists))
                case .all:
                    try look(at: channels.names)
                    next = .now() + store.secondsBetweenLooks
                }
                isFailing.store(false, ordering: .relaxed)
                isLogged = false
            } catch {
                isFailing.store(true, ordering: .relaxed)
                if case .failed = error, !isLogged {
                    isLogged = true
                    _ = ListService.error(error, of: "?", logger)
                }
                // The store is not reachable. Changes that were missed are read when it is
                // reachable again.
                next = .now() + Self.pauseSeconds
            }
        }
    }

    /// The pause after a failed read.
    private static let pauseSeconds = 0.25

    private func look(at lists: [String]) throws(StoreError) {
        var rest = lists[...]
        // Query the store even without watched lists, so that an idle server detects whether the
        // store is reachable.
        repeat {
            let lists = rest.prefix(Self.listsInOneLook)
            rest = rest.dropFirst(Self.listsInOneLook)
            let questions = lists.compactMap { list in
                channels.existing(list).map { channel in
                    let version = channel.position.version
                    return StandingQuestion(list: list, known: version > 0 ? version : nil)
                }
            }
            for (list, standing) in try store.standings(of: questions) {
                channels.existing(list)?.learn(
                    ListPosition(version: standing.version, exists: standing.exists),
                    standing.changes)
            }
        } while !rest.isEmpty
    }

    private static let listsInOneLook = 1_000
}
