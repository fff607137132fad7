import Synchronization

/// A topic's streams on one loop. It exists while there are any.
///
/// `@unchecked Sendable`: `members`, and `streams` without its inbox, are touched by the loop's thread only; `watch` does not
/// change after the initializer.
final class TopicPart: LoopWork, @unchecked Sendable {
    let topic: any StreamTopic
    let streams: StreamSet
    private var members: [StreamConnection] = []
    /// Whether the loop was notified and has not taken the streams yet.
    private let isNotified = Atomic<Bool>(false)
    private var watch: (any Sendable)?

    init(_ topic: any StreamTopic, of streams: StreamSet) {
        self.topic = topic
        self.streams = streams
        watch = topic.watch { [weak self] in self?.notify() }
    }

    /// Called from any thread.
    private func notify() {
        guard !isNotified.exchange(true, ordering: .acquiringAndReleasing) else { return }
        streams.inbox.put(self)
    }

    // MARK: On the loop's thread

    /// Makes the streams ask their sources for bytes. The next news notifies the loop again.
    func proceedOnLoop() {
        isNotified.store(false, ordering: .sequentiallyConsistent)
        for stream in members { streams.makeReady(stream) }
    }

    var isEmpty: Bool { members.isEmpty }

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
