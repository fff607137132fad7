import ReorderStore

/// The limits of a service.
package struct ServiceLimits: Sendable {
    /// The maximum number of tasks in a list.
    package var tasksPerList: Int
    /// The maximum number of sections in a list.
    package var sectionsPerList: Int
    /// The maximum memory for cached lists in bytes. Lists in use can exceed it.
    package var cacheBytes: Int

    /// Which changes are stored.
    package var history: HistoryRetention

    /// How long responses are stored for repeated requests.
    package var retention: ResponseRetention

    /// How long deleted lists can be restored.
    package var bin: BinRetention

    package var drags: DragLimits

    package var undos = UndoLimits()

    /// The maximum number of tasks that a request handles on an event loop's thread. Workers
    /// handle larger requests.
    package var tasksOnLoop = 1_000

    /// The maximum size of the titles and `data` that a request searches on an event loop's thread.
    package var searchedBytesOnLoop = 64 << 10

    package var pieces = PieceSizes()

    /// The size above which a commit is large. Large commits have their own thread, so that
    /// they do not delay the commits of other lists.
    package var largeCommit = LargeCommit()

    package init(
        tasksPerList: Int = 1_000_000, sectionsPerList: Int = 10_000,
        cacheBytes: Int = 256 << 20,
        history: HistoryRetention = .standard, retention: ResponseRetention = .standard,
        bin: BinRetention = .standard, drags: DragLimits = DragLimits()
    ) {
        self.tasksPerList = tasksPerList
        self.sectionsPerList = sectionsPerList
        self.cacheBytes = cacheBytes
        self.history = history
        self.retention = retention
        self.bin = bin
        self.drags = drags
    }
}

/// The limits on the number of drags and on their events.
package struct DragLimits: Sendable {
    package var perList = 100
    package var perServer = 1_000
    package var secondsToLive = 12.0
    /// The minimum time between two events of one drag.
    package var secondsBetweenEvents = 0.05

    package init() {}
}

/// The limits on undos.
package struct UndoLimits: Sendable {
    /// The maximum number of operations in a change that can be undone. Each task of a deleted
    /// subtree counts as one.
    package var operations = 100_000
    /// The maximum number of running and waiting undos for one list.
    package var ofList = 8
    /// The maximum number of running and waiting undos for all lists.
    package var ofServer = 64

    package init() {}
}
