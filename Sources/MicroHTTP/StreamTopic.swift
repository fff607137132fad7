import Synchronization

/// Streams that are woken together. Waking costs the same however many they are: each event loop is
/// told once, and finds its own.
package final class StreamTopic: Sendable {
    private let listeners = Mutex<[any TopicListener]>([])

    package init() {}

    /// Has all streams of the topic ask their sources. From any thread.
    ///
    /// Complexity: O(event loops). Waking again what has not looked yet costs next to nothing.
    package func wake() {
        for listener in listeners.withLock({ $0 }) { listener.topicHasNews() }
    }

    /// What the topic's streams on a loop have in common.
    func part(on loop: EventLoop) -> TopicPart {
        listeners.withLock { listeners in
            for case let part as TopicPart in listeners where part.loop === loop { return part }
            let part = TopicPart(loop)
            listeners.append(part)
            return part
        }
    }

    /// Tells someone who is not an event loop, as long as the topic lives.
    package func add(_ listener: any Wakeable) {
        listeners.withLock { $0.append(OtherListener(listener: listener)) }
    }

    private struct OtherListener: TopicListener {
        let listener: any Wakeable
        func topicHasNews() { listener.wake() }
    }
}

protocol TopicListener: Sendable {
    func topicHasNews()
}

/// A topic's streams on one loop.
///
/// `@unchecked Sendable`: `members` is touched by the loop's thread only.
final class TopicPart: TopicListener, @unchecked Sendable {
    let loop: EventLoop
    private var members: [StreamConnection] = []
    /// Whether the loop has been told and has not looked yet.
    private let isTold = Atomic<Bool>(false)

    init(_ loop: EventLoop) {
        self.loop = loop
    }

    func topicHasNews() {
        guard !isTold.exchange(true, ordering: .acquiringAndReleasing) else { return }
        loop.hasNews(self)
    }

    // MARK: On the loop's thread

    /// The streams, of which what comes from now on is told again.
    func look() -> [StreamConnection] {
        isTold.store(false, ordering: .sequentiallyConsistent)
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
