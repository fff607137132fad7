import ListModel
import MicroHTTP
import RandomRuns
import ReorderEngine
import ReorderJSON

/// A client that reads pages of tasks, of one list or of all, and single tasks by their ids.
final class Searcher: Part {
    private let world: World
    private var count = 0
    private var sending: Sending?
    /// The pages that the client is reading, and how many it has read.
    private var scan: PageScan?
    private var pageCount = 0
    /// A first page that the client has read.
    private typealias Copy = (request: PageRequest, tag: String, body: [UInt8])
    private var copies: [Copy] = []
    /// A page of which the person folds or unfolds a task, and then reads it again.
    private var toFold: Copy?
    private var toReadAgain: Copy?

    init(_ name: String, _ world: World) {
        self.world = world
        super.init(name)
        rests = true
        wait()
        world.scheduler.add(self)
    }

    var isIdle: Bool { sending == nil }

    /// The client is back after an absence.
    func comeBack() {
        (scan, toFold, toReadAgain) = (nil, nil, nil)
        wait()
    }

    private func wait() {
        // The lists change between two pages of some scans.
        let isQuick = world.scheduler.random.chance(50) || toFold != nil || toReadAgain != nil
        let limit = isQuick ? 20 : 300
        let milliseconds = UInt64(world.scheduler.random.below(limit))
        due = world.scheduler.now + milliseconds * Scheduler.millisecond
    }

    override func step() {
        guard !world.isEnding, !world.isAway else { return }
        count += 1
        if scan == nil, world.scheduler.random.chance(25) { return send(readTasks()) { _, _ in } }
        if let move = moveOfLastTask() { return send(move) { _, _ in } }
        if let page = toFold.take(), let fold = fold(on: page) {
            toReadAgain = page
            return send(fold) { _, _ in }
        }
        let isAgain = scan == nil && !copies.isEmpty && world.scheduler.random.chance(30)
        let copy =
            toReadAgain.take()
            ?? (isAgain ? copies[world.scheduler.random.below(copies.count)] : nil)
        let request = copy?.request ?? scan?.request ?? begin()
        let intention = Intention(
            "\(name).\(count)", .readPage, .get, request.target, list: request.list,
            action: request.list == nil ? "search" : request.folds == nil ? "page" : "folded page")
        intention.page = request
        if let copy {
            intention.headers.append(("If-None-Match", copy.tag))
            intention.pageCopy = copy.body
        }
        send(intention) { [weak self] response, attempt in self?.receive(response, attempt) }
    }

    /// Folds or unfolds a task that a page shows.
    private func fold(on page: Copy) -> Intention? {
        guard let list = page.request.list, let folds = page.request.folds,
            let state = world.checker.journal.lists[list]?.list
        else { return nil }
        let parents = state.tasks.filter { $0.subtasks > 0 }.map(\.id)
        guard !parents.isEmpty else { return nil }
        let task = parents[world.scheduler.random.below(parents.count)]
        let isFolded = world.scheduler.random.chance(50)
        let intention = Intention(
            "\(name).\(count)", .write, .post, "/tasks/\(task)/collapse?folds=\(folds)",
            "{\"collapsed\":\(isFolded)}", action: "fold")
        intention.decision = .fold(task, isFolded)
        return intention
    }

    /// At times, between two pages: a move of what is above the last task, or of the task itself.
    private func moveOfLastTask() -> Intention? {
        guard let scan, let last = scan.request.previous?.task, world.scheduler.random.chance(25),
            let list = world.checker.journal.holders[last],
            let state = world.checker.journal.lists[list]?.list
        else { return nil }
        var task = last
        while let parent = state.task(task)?.placement.parent, world.scheduler.random.chance(80) {
            task = parent
        }
        let position = world.scheduler.random.chance(50) ? 0 : 99
        let command = Command.move(
            MoveRequest(.task(task), to: Destination(place: .init(.own, position: position))))
        let (method, target, body) = command.parts(in: list)
        let intention = Intention(
            "\(name).\(count)", .write, method, target, body, list: list,
            action: "move between pages")
        intention.decision = .one(command)
        return intention
    }

    private func send(
        _ intention: Intention, _ receive: @escaping (Response, Attempt) -> Void
    ) {
        let attempt = world.checker.attempt(intention)
        if scan == nil, let page = intention.page {
            pageCount = 0
            scan = PageScan(
                page, floor: world.checker.floor(of: attempt), restores: attempt.restores)
        }
        sending = Sending(attempt, to: world.server(), world) { [weak self] response in
            self?.sending = nil
            self?.wait()
            if let response { receive(response, attempt) }
        }
    }

    private func begin() -> PageRequest {
        let random = { [world] (count: Int) in world.scheduler.random.below(count) }
        let journal = world.checker.journal
        var request = PageRequest(limit: 1 + random(6))
        if random(3) == 0 { request.isDone = random(2) == 0 }
        if random(4) == 0 { request.title = ["TITLE", "w1", "by"][random(3)] }
        guard random(4) > 0 else { return request }
        let list = world.list()
        request.list = list
        request.isVisibleOnly = random(3) == 0
        if journal.has("f0"), random(2) == 0 {
            (request.folds, request.isVisibleOnly) = ("f0", true)
        }
        let state = journal.lists[list]?.list
        switch random(5) {
        case 0: request.place = .section(random(2) == 0 ? nil : state?.sections.first?.id)
        case 1:
            let parents = state?.tasks.filter { $0.subtasks > 0 }.map(\.id) ?? []
            request.place = .parent(parents.isEmpty ? nil : parents[random(parents.count)])
        default: break
        }
        return request
    }

    private func receive(_ response: Response, _ attempt: Attempt) {
        guard var scan else { return }
        self.scan = nil
        let copy = response.status == 304 ? attempt.intention.pageCopy : nil
        guard attempt.answeredAfter == world.checker.restores,
            scan.restores == world.checker.restores, response.status == 200 || copy != nil,
            let page = TaskPageFacts(copy ?? response.plainBody)
        else { return }
        if copy != nil { world.checker.reach("page that the client has") }
        if scan.request.cursor == nil, let tag = response.headers["ETag"] {
            copies.removeAll { $0.request.target == scan.request.target }
            copies.append((scan.request, tag, copy ?? response.plainBody))
            if copies.count > 3 { copies.removeFirst() }
            if scan.request.folds != nil, world.scheduler.random.chance(40) {
                toFold = copies.last
                return
            }
        }
        let journal = world.checker.journal
        scan.add(page, journal.epoch)
        guard page.cursor != nil else {
            world.checker.reach(pageCount > 0 ? "scan of several pages" : "scan of one page")
            if let difference = scan.difference(journal) {
                world.checker.fail("pages have each task once", "\(name): \(difference)")
            }
            return
        }
        pageCount += 1
        if pageCount < 30 { self.scan = scan }
    }

    // MARK: Tasks by their ids

    private func readTasks() -> Intention {
        let holders = world.checker.journal.holders.keys.sorted()
        var ids: [TaskID] = []
        for _ in 0..<1 + world.scheduler.random.below(5) {
            let id =
                holders.isEmpty || world.scheduler.random.chance(10)
                ? "t\(world.scheduler.random.below(world.scenario.tasks))"
                : holders[world.scheduler.random.below(holders.count)]
            if !ids.contains(id) { ids.append(id) }
        }
        let intention = Intention(
            "\(name).\(count)", .readTasks, .get, "/tasks?ids=\(ids.joined(separator: ","))",
            action: "tasks by ids")
        intention.tasks = ids
        return intention
    }
}
