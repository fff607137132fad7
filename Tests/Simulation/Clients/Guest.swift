import MicroHTTP
import RandomRuns

/// A client with tokens that allow only some of what others may do: tokens that an administrator has made, links to
/// lists, and signed tokens. They are revoked, or they expire, and the client goes on to use them.
final class Guest: Part {
    let world: World
    var count = 0
    private var sending: Sending?
    private var stream: (sending: Sending, attempt: Attempt, token: HeldToken)?
    private var tokens: [HeldToken] = []

    init(_ name: String, _ world: World) {
        self.world = world
        super.init(name)
        rests = true
        wait()
        world.scheduler.add(self)
    }

    var isIdle: Bool { sending == nil }

    private func wait() {
        let milliseconds = UInt64(random(chance(50) ? 20 : 400))
        due = world.scheduler.now + milliseconds * Scheduler.millisecond
    }

    func chance(_ percent: Int) -> Bool { world.scheduler.random.chance(percent) }
    func random(_ count: Int) -> Int { world.scheduler.random.below(count) }

    func setAway(_ isAway: Bool) {
        guard isAway else { return wait() }
        endStream()
        due = .max
    }

    override func step() {
        guard !world.isAway else { return }
        checkStream()
        guard !world.isEnding else { return endStream() }
        wait()
        guard sending == nil else { return }
        count += 1
        tokens.removeAll { $0.restores != world.checker.restores }
        guard !tokens.isEmpty, !chance(6) else { return makeToken() }
        let token = tokens[random(tokens.count)]
        switch random(100) {
        case 0..<5:
            // Often the token of the stream, which then ends.
            let token = chance(60) ? stream?.token ?? token : token
            if token.id != nil { revoke(token) }
        case 5..<20 where stream == nil: openStream(token)
        case 20..<25 where stream != nil: endStream()
        default:
            let (intention, access) = request(with: token)
            intention.access = access
            send(intention) { _, _ in }
        }
    }

    private func send(
        _ intention: Intention, _ receive: @escaping (Response?, Attempt) -> Void
    ) {
        let attempt = world.checker.attempt(intention)
        sending = Sending(attempt, to: world.server(), world) { [weak self] response in
            self?.sending = nil
            self?.wait()
            receive(response, attempt)
        }
    }

    // MARK: Tokens

    private var seconds: Double { world.startSeconds + Double(world.scheduler.now) / 1e9 }

    private func makeToken() {
        // Tokens are used for some time after their end.
        if tokens.count > 3 { tokens.removeFirst() }
        switch random(3) {
        case 0:
            let grants = grants()
            // The clock of its issuer may be wrong by a minute.
            let expires = Int(seconds) + 2 + random(chance(50) ? 10 : 300)
            let text = Credentials.signed(name: name, grants, expires: expires - 60)
            add(
                HeldToken(
                    text, grants, expires: Double(expires), at: world.scheduler.now,
                    restores: world.checker.restores))
        case 1: makeLink()
        default:
            let grants = grants()
            let intention = Intention(
                "\(name).\(count)", .guest, .post, "/tokens", body(grants), action: "make a token")
            send(intention) { [weak self] response, attempt in
                self?.take(response, grants, attempt)
            }
        }
    }

    func body(_ grants: [HeldToken.Grant]) -> String {
        "{\"name\":\"\(name)\",\"grants\":[\(grants.map(\.json).joined(separator: ","))]}"
    }

    /// Each scope with each kind of pattern, at times several.
    func grants() -> [HeldToken.Grant] {
        (0..<1 + random(3)).map { _ in
            let scopes = ["read", "write", "purge", "admin", "metrics", "read", "write"]
            let patterns = ["*", "l*", "l0", "l1", "l2", "f*", "x"]
            return HeldToken.Grant(
                scope: scopes[random(scopes.count)],
                lists: (0..<1 + random(2)).map { _ in patterns[random(patterns.count)] })
        }
    }

    private func makeLink() {
        let list = world.list()
        let scope = chance(50) ? "read" : "write"
        let isNew = chance(50)
        let intention = Intention(
            "\(name).\(count)", .guest, .post, "/lists/\(list)/shares",
            "{\"scope\":\"\(scope)\",\"history\":\"\(isNew ? "new" : "all")\"}",
            action: "make a link")
        let before = world.checker.seen[list] ?? 0
        send(intention) { [weak self] response, attempt in
            let grants = [HeldToken.Grant(scope: scope, lists: [list])]
            self?.take(response, grants, attempt, link: list, after: isNew ? before : 0)
        }
    }

    private func take(
        _ response: Response?, _ grants: [HeldToken.Grant], _ attempt: Attempt,
        link: String? = nil, after version: Int = 0
    ) {
        guard response?.status == 201, attempt.answeredAfter == world.checker.restores,
            let body = response.flatMap({ ParsedJSON.object($0.plainBody) }),
            let text = body["token"] as? String, let id = body["id"] as? String
        else { return }
        let token = HeldToken(
            text, grants, expires: nil, id: id, link: link, madeBy: attempt,
            at: world.scheduler.now, restores: world.checker.restores)
        token.historyAfter = version
        add(token)
    }

    private func add(_ token: HeldToken) { tokens.append(token) }

    private func revoke(_ token: HeldToken) {
        let target = token.link.map { "/lists/\($0)/shares/" } ?? "/tokens/"
        let intention = Intention(
            "\(name).\(count)", .guest, .delete, target + (token.id ?? ""),
            action: "revoke a token")
        token.isPerhapsRevoked = true
        send(intention) { [weak self, world] response, attempt in
            guard response?.status == 204 else { return }
            token.end(by: attempt, at: world.scheduler.now)
            if let ended = self?.ended, ended.token === token {
                self?.countEnd(ended.attempt, token)
            }
        }
    }

    // MARK: Streams

    private func openStream(_ token: HeldToken) {
        guard chance(60) else { return openStream(token, ticket: nil) }
        let intention = Intention(
            "\(name).\(count)", .guest, .post, "/event-tickets", action: "ticket")
        intention.access = NeededAccess(token: token)
        send(intention) { [weak self] response, _ in
            let body = response.flatMap { ParsedJSON.object($0.plainBody) }
            guard let self, response?.status == 201, let ticket = body?["ticket"] as? String
            else { return }
            count += 1
            openStream(token, ticket: ticket)
        }
    }

    private func openStream(_ token: HeldToken, ticket: String?) {
        guard stream == nil, !world.isEnding, !world.isAway else { return }
        let list = chance(60) ? world.list() : nil
        let intention = Intention(
            "\(name).\(count)", .events, .get,
            (list.map { "/lists/\($0)" } ?? "") + "/events"
                + (ticket.map { "?ticket=\($0)" } ?? ""), action: "stream of a guest")
        var access = NeededAccess(token: token)
        if let list { access.lists = [("read", list)] }
        intention.access = access
        intention.hasTicket = ticket != nil
        let attempt = world.checker.attempt(intention)
        let sending = Sending(attempt, to: world.server(), world) { [weak self] response in
            if response?.stream == nil { self?.stream = nil }
        }
        stream = (sending, attempt, token)
        sending.onEvents = { [weak self, weak sending] bytes in
            guard let self, let sending, stream?.sending === sending else { return }
            guard let bytes else {
                stream = nil
                countEnd(attempt, token)
                if token.isPerhapsRevoked { ended = (attempt, token) }
                if let ticket, chance(70) {
                    // An `EventSource` uses its ticket again.
                    count += 1
                    openStream(token, ticket: ticket)
                }
                return
            }
            guard attempt.answeredAfter == world.checker.restores else { return }
            for line in String(decoding: bytes, as: UTF8.self).split(separator: "\n")
            where line.hasPrefix("data: ") {
                world.checker.checkEvent(
                    Array(line.dropFirst(6).utf8), attempt, tokenHasEnded: sending.tokenHasEnded)
                world.checker.reach("an event for a guest")
            }
        }
    }

    /// A stream that has ended while its token was being revoked: a server ends it before the response arrives.
    private var ended: (attempt: Attempt, token: HeldToken)?

    /// Counts streams that a server has ended because of their tokens.
    private func countEnd(_ attempt: Attempt, _ token: HeldToken) {
        guard attempt.answeredAfter == world.checker.restores,
            world.checker.hasEnded(token, for: attempt)
        else { return }
        let credential = attempt.intention.hasTicket ? "ticket" : "token"
        let end = token.expires == nil ? "revoked" : "expired"
        world.checker.reach("a stream of a \(credential) whose token is \(end)")
    }

    private func endStream() {
        let former = stream?.sending
        stream = nil
        former?.cancel()
    }

    /// A stream does not go on for long after its token has ended.
    private func checkStream() {
        guard let stream, stream.sending.stream != nil,
            stream.attempt.answeredAfter == world.checker.restores,
            !world.scenario.faults.contains(.clock),
            world.checker.hasEnded(stream.token, for: stream.attempt)
        else { return endedSince = .max }
        endedSince = min(endedSince, world.scheduler.now)
        if world.scheduler.now > endedSince + 3 * Scheduler.second {
            world.checker.fail("a stream ends with its token", stream.attempt.tag)
        }
    }

    private var endedSince = UInt64.max
}
