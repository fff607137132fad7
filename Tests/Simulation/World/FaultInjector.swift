/// Crashes and stops servers, starts them again, and sets their clocks.
final class FaultInjector: Part {
    private let world: World

    init(_ world: World) {
        self.world = world
        super.init("faults")
        wait()
    }

    private func wait() {
        let milliseconds = UInt64(world.scheduler.random.below(800))
        due = world.scheduler.now + milliseconds * Scheduler.millisecond
    }

    override func step() {
        guard !world.isCalm else { return }
        wait()
        let random = world.scheduler.random.below(100)
        let server = world.server()
        guard server.process != nil else {
            if random < 50 { server.start() }
            return
        }
        if world.has(.crash, percent: 12) {
            world.count("crash")
            server.crash()
        } else if world.has(.stop, percent: 6) {
            world.count("stop")
            world.requestStop(of: server)
        } else if world.has(.clock, percent: 10) {
            world.count("clock")
            let seconds = [-3_600.0, -60, -1, 0, 0, 1, 60, 3_600]
            server.clockError = seconds[world.scheduler.random.below(seconds.count)]
        }
    }
}
