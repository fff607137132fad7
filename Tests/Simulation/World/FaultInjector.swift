/// Crashes and stops servers, starts them again, sets their clocks, and orders what needs all
/// servers or clients.
final class FaultInjector: Part {
    private let world: World

    init(_ world: World) {
        self.world = world
        super.init("faults")
        rests = true
        wait()
    }

    private func wait() {
        let milliseconds = UInt64(world.scheduler.random.below(800))
        due = world.scheduler.now + milliseconds * Scheduler.millisecond
    }

    override func step() {
        guard !world.isCalm else { return }
        wait()
        guard !world.isAway else { return }
        let random = world.scheduler.random.below(100)
        let server = world.server()
        guard server.process != nil else {
            if random < 50, !world.isClosed { server.start() }
            return
        }
        if world.has(.crash, percent: 12) {
            server.crash()
        } else if world.has(.stop, percent: 6) {
            let hangs = world.scheduler.random.chance(40)
            world.order { server.stop(hangs: hangs) }
        } else if world.has(.clock, percent: 10) {
            let seconds = [-3_600.0, -60, -1, 0, 0, 1, 60, 3_600]
            server.clockError = seconds[world.scheduler.random.below(seconds.count)]
        } else if world.has(.restore, percent: 25) {
            world.order { [world] in world.storeOperator.work() }
        } else if world.hub != nil, world.has(.rewind, percent: 12) {
            world.order { [world] in world.storeOperator.rewind() }
        } else if world.has(.absence, percent: 4) {
            world.order { [world] in Absence(world).run() }
        }
    }
}
