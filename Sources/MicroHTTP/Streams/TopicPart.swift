import Synchronization

/// A topic's streams on one loop.
///
/// `@unchecked Sendable`: `members`, and `streams` without its inbox, are touched by the loop's thread only.
final class TopicPart: Wakeable, LoopWork, @unchecked Sendable {
    let streams: StreamSet
    private var members: [StreamConnection] = []
    /// Whether the loop was notified and has not taken the streams yet.
    private let isNotified = Atomic<Bool>(false)

    init(_ streams: StreamSet) {
        self.streams = streams
    }

    func wake() {
        guard !isNotified.exchange(true, ordering: .acquiringAndReleasing) else { return }
        streams.inbox.put(self)
    }

    // MARK: On the loop's thread

    /// Makes the streams ask their sources for bytes. The next `wake` notifies the loop again.
    func proceedOnLoop() {
        isNotified.store(false, ordering: .sequentiallyConsistent)
        for stream in members { streams.makeReady(stream) }
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

extension StreamTopic {
    /// The topic's streams on a loop.
    func part(of streams: StreamSet) -> TopicPart {
        listeners.withLock { listeners in
            for case let part as TopicPart in listeners where part.streams === streams {
                return part
            }
            let part = TopicPart(streams)
            listeners.append(part)
            return part
        }
    }
}
