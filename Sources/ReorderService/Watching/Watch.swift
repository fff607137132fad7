/// Notifies its watchers of news: of a list, or of all lists.
package protocol Channel: AnyObject, Sendable {
    /// Calls `onNews` after all news from now on, until the watch is removed.
    func add(_ watch: Watch, _ onNews: @escaping @Sendable () -> Void)
    func remove(_ watch: Watch)
}

extension Channel {
    /// Begins a watch, which receives all news from now on.
    ///
    /// - Parameter onNews: called after news, on any thread. It must be quick.
    package func watch(onNews: @escaping @Sendable () -> Void) -> Watch { Watch(self, onNews) }
}

/// A watch on a channel. It ends when it is released.
package final class Watch: Sendable {
    private let channel: any Channel

    fileprivate init(_ channel: any Channel, _ onNews: @escaping @Sendable () -> Void) {
        self.channel = channel
        channel.add(self, onNews)
    }

    deinit { channel.remove(self) }
}
