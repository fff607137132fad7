extension EventLoop {
    struct Limits {
        let maximumBodyBytes: Int
        let maximumDiscardedBytes: Int
        let idleMilliseconds: Int
        /// 0: any time.
        let requestMilliseconds: Int
        let slowestBytesPerSecond: Int
    }

    /// What other threads have for a loop.
    struct Inbox {
        var answered: [Exchange] = []
        /// Topics and streams that are woken.
        var topics: [TopicPart] = []
        var streams: [StreamConnection] = []
        var alarms: [Alarm] = []
        /// Set while the thread waits, or is about to: only then does a new answer have to wake it.
        var isWaiting = false
        var stopGraceSeconds: Double?

        var isEmpty: Bool {
            answered.isEmpty && topics.isEmpty && streams.isEmpty && alarms.isEmpty
        }
    }
}
