import ReorderService

/// A worker whose threads are steps of the simulation.
///
/// `@unchecked Sendable`: one thread uses a whole simulation.
final class SimulatedWorker: Part, Worker, @unchecked Sendable {
    private let scheduler: Scheduler
    private let threadCount: Int
    /// The steps that are to be done because of wakes.
    private var wakeCount = 0
    private var runningCount = 0
    private var endedCount = 0
    private var timer = UInt64.max
    /// The maximum time in milliseconds until a thread that is woken runs.
    private let delay: Int
    private var wakesAt: UInt64 = 0
    private var body: (@Sendable () -> NextStep)?
    private(set) var isStopping = false
    private var isDead = false

    init(_ name: String, threadCount: Int, delay: Int = 0, _ scheduler: Scheduler) {
        self.delay = delay
        self.scheduler = scheduler
        self.threadCount = threadCount
        super.init(name)
        scheduler.add(self)
    }

    func start(first: NextStep, _ step: @escaping @Sendable () -> NextStep) {
        body = step
        if case .at(let time) = first { timer = time }
        update()
    }

    func wake() {
        wakeCount += 1
        if delay > 0, wakeCount == 1 {
            let milliseconds = UInt64(scheduler.random.below(delay))
            wakesAt = scheduler.now + milliseconds * Scheduler.millisecond
        }
        update()
    }

    func stop() {
        isStopping = true
        wakeCount += threadCount
        update()
    }

    func join(until uptime: UInt64) -> Bool {
        scheduler.run(until: min(uptime, scheduler.now + 600 * Scheduler.second)) { hasEnded }
        return hasEnded
    }

    private var hasEnded: Bool { endedCount == threadCount || isDead }

    /// Ends the worker in the middle of its work, like its process.
    func kill() {
        isDead = true
        body = nil
        scheduler.remove(self)
    }

    override func step() {
        guard let body else { return }
        if wakeCount > 0 { wakeCount -= 1 }
        timer = .max
        runningCount += 1
        update()
        let next = body()
        runningCount -= 1
        switch next {
        case .whenWoken: break
        case .at(let time): timer = time
        case .end:
            endedCount += 1
            if endedCount == threadCount {
                self.body = nil
                scheduler.remove(self)
            }
        }
        update()
    }

    private func update() {
        guard body != nil, runningCount + endedCount < threadCount else {
            due = .max
            return
        }
        due = wakeCount > 0 ? max(scheduler.now, wakesAt) : timer
    }
}
