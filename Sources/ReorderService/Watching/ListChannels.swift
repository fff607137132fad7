import Synchronization

/// The channels of all watched lists. It holds weak references: a channel exists while it is used elsewhere.
final class ListChannels: Sendable {
    private struct Entry {
        weak var channel: ListChannel?
    }

    private let entries = Mutex<[String: Entry]>([:])
    private let count = Atomic<Int>(0)

    /// The channel of a list, which is made if it does not exist.
    func channel(of list: String) -> ListChannel {
        entries.withLock { entries in
            if let channel = entries[list]?.channel { return channel }
            let channel = ListChannel(list, in: self)
            entries[list] = Entry(channel: channel)
            count.store(entries.count, ordering: .relaxed)
            return channel
        }
    }

    /// The lists that have a channel.
    var lists: [String] { entries.withLock { Array($0.keys) } }

    /// The channel of a list, or nil if it does not exist.
    func existing(_ list: String) -> ListChannel? {
        guard !isEmpty else { return nil }
        return entries.withLock { $0[list]?.channel }
    }

    /// All existing channels. Complexity: O(number).
    var all: [ListChannel] { entries.withLock { $0.values.compactMap(\.channel) } }

    /// Removes a list. Called by the `deinit` of its channel.
    func remove(_ list: String) {
        // Released outside the lock, because `deinit` calls this function.
        let found = entries.withLock { entries in
            let channel = entries[list]?.channel
            // A new channel of this list may exist by now.
            if channel == nil { entries[list] = nil }
            count.store(entries.count, ordering: .relaxed)
            return channel
        }
        withExtendedLifetime(found) {}
    }

    /// Whether no channel exists. Takes no lock.
    var isEmpty: Bool { count.load(ordering: .relaxed) == 0 }
}
