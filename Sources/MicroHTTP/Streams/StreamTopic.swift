import Synchronization

/// Streams that are woken together. Waking costs the same for any number of streams: each event loop is notified
/// once, and finds its own streams.
package final class StreamTopic: Sendable {
    private let listeners = Mutex<[any TopicListener]>([])

    package init() {}

    /// Makes all streams of the topic call their sources. Thread-safe.
    ///
    /// Complexity: O(event loops). It costs almost nothing for a loop that has not handled the
    /// previous call yet.
    package func wake() {
        for listener in listeners.withLock({ $0 }) { listener.topicWoken() }
    }

    /// The topic's streams on a loop.
    func part(on loop: EventLoop) -> TopicPart {
        listeners.withLock { listeners in
            for case let part as TopicPart in listeners where part.loop === loop { return part }
            let part = TopicPart(loop)
            listeners.append(part)
            return part
        }
    }

    /// Also wakes a listener that is not an event loop. The topic keeps it.
    package func add(_ listener: any Wakeable) {
        listeners.withLock { $0.append(OtherListener(listener: listener)) }
    }

    private struct OtherListener: TopicListener {
        let listener: any Wakeable
        func topicWoken() { listener.wake() }
    }
}

protocol TopicListener: Sendable {
    func topicWoken()
}

/// A topic's streams on one loop.
///
/// `@unchecked Sendable`: `members` is touched by the loop's thread only.
final class TopicPart: TopicListener, @unchecked Sendable {
    let loop: EventLoop
    private var members: [StreamConnection] = []
    /// Whether the loop was notified and has not taken the streams yet.
    private let isNotified = Atomic<Bool>(false)

    init(_ loop: EventLoop) {
        self.loop = loop
    }

    func topicWoken() {
        guard !isNotified.exchange(true, ordering: .acquiringAndReleasing) else { return }
        loop.topicWoken(self)
    }

    // MARK: On the loop's thread

    /// Returns the streams. The next `topicWoken` notifies the loop again.
    func takeStreams() -> [StreamConnection] {
        isNotified.store(false, ordering: .sequentiallyConsistent)
        return members
    }

    func add(_ stream: StreamConnection) {
        stream.topicPlace = members.count
        members.append(stream)
    }

    func remove(_ stream: StreamConnection) {
        let last = members.removeLast()
        guard last !== stream else { return }
        last.topicPlace = stream.topicPlace
        members[stream.topicPlace] = last
    }
}
