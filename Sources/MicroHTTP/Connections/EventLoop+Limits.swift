extension EventLoop {
    struct Limits {
        let maximumBodyBytes: Int
        /// Limits all bodies of this loop together. Bodies up to `smallBodyBytes` are accepted even
        /// if they exceed it.
        let maximumBodiesBytes: Int
        let maximumDiscardedBytes: Int
        let bodySliceBytes: Int
        let idleMilliseconds: Int
        /// 0: no limit.
        let requestMilliseconds: Int
        private let slowestBytesPerSecond: Int
        private let longestSendingMilliseconds: Int

        init(_ configuration: HTTPServerConfiguration) {
            maximumBodyBytes = configuration.maximumBodyBytes
            // The largest body fits, even if each of many loops has a small part.
            maximumBodiesBytes = max(
                maximumBodyBytes, configuration.maximumBodiesBytes / configuration.threadCount)
            maximumDiscardedBytes = configuration.maximumDiscardedBytes
            bodySliceBytes = configuration.bodySliceBytes
            idleMilliseconds = configuration.idleTimeoutSeconds * 1000
            requestMilliseconds = Int(configuration.requestTimeoutSeconds * 1000)
            slowestBytesPerSecond = configuration.slowestResponseBytesPerSecond
            longestSendingMilliseconds = Int(configuration.maximumResponseSeconds * 1000)
        }

        /// The time in which a client must read a response: the time for a request, plus the body's
        /// time at the slowest rate, which is at most `longestSendingMilliseconds`.
        func sendingMilliseconds(bytes: Int) -> Int {
            requestMilliseconds
                + min(longestSendingMilliseconds, bytes * 1000 / slowestBytesPerSecond)
        }

        /// Bodies up to this size are accepted even if other bodies use all the memory.
        static let smallBodyBytes = 64 << 10
    }
}
