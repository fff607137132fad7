import Dispatch
import Foundation
import Logging
import ReorderStore
import Synchronization

/// Lets the watchers of lists know of changes that other servers have made.
///
/// It looks where a list stands when it is told of one, and at all lists that are watched here every few
/// seconds, and whenever something may have been missed.
final class Lookout: Sendable {
    private enum Wish {
        case lists(Set<String>)
        case all
    }

    private let store: any SharedListStore
    private let channels: SharedObjects<ListChannel>
    private let wish = Mutex(Wish.all)
    private let wake = DispatchSemaphore(value: 0)
    private let stopped = DispatchSemaphore(value: 0)
    private let isStopping = Atomic<Bool>(false)
    private let isFailing = Atomic<Bool>(false)
    private let logger: Logger

    init(
        _ store: any SharedListStore, _ channels: SharedObjects<ListChannel>, _ logger: Logger
    ) {
        self.store = store
        self.channels = channels
        self.logger = logger
        let thread = Thread { self.run() }
        thread.name = "lookout"
        thread.start()
        store.listen { [self] news in take(news) }
    }

    /// Whether the last look was answered.
    var seesLists: Bool { !isFailing.load(ordering: .relaxed) }

    func stop() {
        isStopping.store(true, ordering: .relaxed)
        wake.signal()
        stopped.wait()
    }

    private func take(_ news: StoreNews) {
        switch news {
        case .changed(let list, let version):
            // Nobody watches it, or it was this server's own commit.
            guard let channel = channels.existing(list), channel.position.version < version
            else { return }
            let isFirst = wish.withLock { wish in
                guard case .lists(var lists) = wish else { return false }
                let isFirst = lists.isEmpty
                lists.insert(list)
                wish = .lists(lists)
                return isFirst
            }
            if isFirst { wake.signal() }
        case .unsure:
            wish.withLock { $0 = .all }
            wake.signal()
        }
    }

    private func run() {
        // When all are looked at, however often it is told of some.
        var next = DispatchTime.now() + store.secondsBetweenLooks
        var isLogged = false
        while !isStopping.load(ordering: .relaxed) {
            _ = wake.wait(timeout: next)
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
                // The store is away: what has changed meanwhile is seen once it is back.
                next = .now() + Self.pauseSeconds
            }
        }
        stopped.signal()
    }

    /// How soon it looks again where it could not.
    private static let pauseSeconds = 0.25

    private func look(at lists: [String]) throws(StoreError) {
        var rest = lists[...]
        // Where there are none too: so a server that nobody asks for anything knows whether its store is
        // there.
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
