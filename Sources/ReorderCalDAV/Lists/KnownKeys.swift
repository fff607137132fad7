import Synchronization

/// The versions of lists whose keys were found to ascend, so that reading an unchanged list does not look at all its
/// tasks.
final class KnownKeys: Sendable {
    private struct Known {
        var epoch: String
        var version: Int
        /// When equal keys have to be looked at again, in milliseconds since 1970.
        var nextCheck: Int64?
    }

    private static let maximumLists = 10_000

    private let lists = Mutex<[String: Known]>([:])

    func ascend(in list: String, at version: Int, _ epoch: String, now: Int64) -> Bool {
        guard let known = lists.withLock({ $0[list] }) else { return false }
        return known.version == version && known.epoch == epoch
            && known.nextCheck.map { now < $0 } ?? true
    }

    func note(_ list: String, ascendsAt version: Int, _ epoch: String, until nextCheck: Int64?) {
        lists.withLock { lists in
            if lists.count >= Self.maximumLists { lists.removeAll() }
            lists[list] = Known(epoch: epoch, version: version, nextCheck: nextCheck)
        }
    }

    /// Notes that a change has left the keys as they were.
    func note(_ list: String, from version: Int, to next: Int, until nextCheck: Int64?) {
        lists.withLock { lists in
            guard let known = lists[list], known.version == version else { return }
            lists[list]?.version = next
            lists[list]?.nextCheck = [known.nextCheck, nextCheck].compactMap(\.self).min()
        }
    }
}
