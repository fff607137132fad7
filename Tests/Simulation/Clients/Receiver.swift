import Foundation
import MicroHTTP
import RandomRuns
import ReorderWebhooks

/// An app that makes a webhook and receives its events. It fails at times, and comes back.
///
/// Every change of its lists arrives at it at least once, in the order of the versions, signed. It ignores events that
/// it has received before.
final class Receiver: Part, WaitingClient {
    private let world: World
    private let selection: FeedCopy.Selection
    private let secret = WebhookSecret(
        "whsec_" + Data(repeating: 5, count: 32).base64EncodedString())
    private var count = 0
    private var sending: Sending?
    /// The number of the webhooks that it has tried to make. Each has a URL of its own.
    private var made = 0
    /// The id of the webhook; nil without a response.
    private var id: String?
    private var copy: FeedCopy?
    /// The versions that responses had shown before the webhook was made.
    private var floor: [String: Int] = [:]
    /// The number of restores of the store when the webhook certainly existed.
    private var restores = 0
    /// The bodies of the events that it has received, by their ids.
    private var bodies: [String: [UInt8]] = [:]
    private var failsUntil: UInt64 = 0
    /// Whether the last attempt to send it an event failed. The next one can be late.
    var isFailing = false
    /// When events were refused, by their ids.
    private var refusedAt: [String: UInt64] = [:]

    init(_ name: String, _ world: World) {
        self.world = world
        let list = Writer.list(world.scheduler.random.below(world.scenario.lists))
        let all = [FeedCopy.Selection.all, .all, .prefix("l"), .named([list])]
        selection = all[world.scheduler.random.below(all.count)]
        super.init(name)
        rests = true
        wait()
        world.scheduler.add(self)
    }

    var isIdle: Bool { sending == nil }

    var lackedChange: LackedChange? {
        let now = world.scheduler.now
        guard id != nil, restores == world.checker.restores, !isFailing, now >= failsUntil,
            // Several servers first decide which of them delivers.
            world.hub == nil, let process = world.servers[0].process
        else { return nil }
        return copy?.lackedChange(on: "\(url) since \(process.openedAt)", world.checker.journal)
    }

    private func wait() {
        let milliseconds = UInt64(world.scheduler.random.below(2_000))
        due = world.scheduler.now + milliseconds * Scheduler.millisecond
    }

    func setAway(_ isAway: Bool) { if !isAway { wait() } }

    private var missing: String? {
        let journal = world.checker.journal
        guard id != nil, restores == world.checker.restores else { return nil }
        return copy?.missing(journal.lists.mapValues(\.version), journal)
    }

    /// Whether it has received all changes of its lists.
    var isInSync: Bool { missing == nil }
    var state: String { "\(name) lacks \(missing ?? "nothing")" }

    private var url: String { "https://\(name).example/\(made)" }

    override func step() {
        guard !world.isAway, !world.isEnding else { return }
        wait()
        if world.scheduler.random.below(20) == 0 {
            let seconds = UInt64(world.scheduler.random.below(20))
            failsUntil = world.scheduler.now + seconds * Scheduler.second
        }
        guard sending == nil, id == nil || restores != world.checker.restores else { return }
        count += 1
        // After a restore, the store may have the webhook or not.
        guard let id else { return make() }
        send(
            Intention("\(name).\(count)", .guest, .get, "/webhooks/\(id)", action: "read a webhook")
        )
    }

    private func make() {
        made += 1
        (copy, bodies) = (nil, [:])
        let lists =
            switch selection {
            case .all: "[\"*\"]"
            case .prefix(let prefix): "[\"\(prefix)*\"]"
            case .named(let lists): "\(lists)"
            }
        let intention = Intention(
            "\(name).\(count)", .guest, .post, "/webhooks",
            "{\"url\":\"\(url)\",\"lists\":\(lists),\"secret\":\"\(secret?.text ?? "")\"}",
            action: "make a webhook")
        floor = world.checker.seen
        restores = world.checker.restores
        send(intention)
    }

    private func send(_ intention: Intention) {
        let attempt = world.checker.attempt(intention)
        sending = Sending(attempt, to: world.server(), world) { [weak self] response in
            guard let self else { return }
            sending = nil
            wait()
            guard let response, attempt.answeredAfter == world.checker.restores else { return }
            switch response.status {
            case 200: restores = world.checker.restores
            case 201:
                id = ParsedJSON.object(response.plainBody)?["id"] as? String
                if copy == nil { copy = begin() }
            case 404: id = nil
            default: break
            }
        }
    }

    private func begin() -> FeedCopy {
        var copy = FeedCopy(selection, at: "", since: floor, world.checker.journal)
        copy.isWebhook = true
        return copy
    }

    // MARK: Events

    func isReceiver(of url: String) -> Bool { url == self.url }

    /// An event arrives.
    func receive(_ message: WebhookMessage) -> WebhookOutcome {
        let id = field("webhook-id", message)
        if world.scheduler.now < failsUntil, !world.isCalm {
            refusedAt[id] = world.scheduler.now
            world.checker.reach("an event for a receiver that fails")
            return world.scheduler.random.chance(50)
                ? .response(503, retryAfter: 5) : .failure("The connection was refused.")
        }
        let time = Int(field("webhook-timestamp", message)) ?? 0
        if field("webhook-signature", message)
            != secret?.signature(of: message.body, id: id, time: time)
        {
            fail("\(id) has another signature")
        }
        // A server that has not noticed a restore, or that has ended since.
        guard id.hasSuffix("-\(world.checker.journal.epoch)") else { return .response(200) }
        if let refused = refusedAt.removeValue(forKey: id),
            world.servers.contains(where: { $0.process?.startedAt ?? 0 > refused })
        {
            world.checker.reach("webhook: an event again after a failure and a start")
        }
        if let body = bodies[id] {
            if body != message.body { fail("\(id) has another content when it is repeated") }
            world.checker.reach("webhook: repeated event")
            return .response(200)
        }
        bodies[id] = message.body
        take(message.body)
        return .response(204)
    }

    private func take(_ body: [UInt8]) {
        guard let name = ParsedJSON.object(body)?["event"] as? String,
            case let head = "{\"event\":\"\(name)\",", body.starts(with: head.utf8)
        else { return fail("an event has another form") }
        let event = FeedCopy.Event(
            name: name, data: [UInt8(ascii: "{")] + body.dropFirst(head.utf8.count))
        var after = copy ?? begin()
        if let difference = after.take([event], next: nil, world.checker.journal) {
            fail(difference)
        }
        copy = after
        world.checker.reach("webhook: \(name)")
    }

    private func field(_ name: String, _ message: WebhookMessage) -> String {
        message.fields.first { $0.name == name }?.value ?? ""
    }

    private func fail(_ difference: String) {
        world.checker.fail("a webhook receives each change", "\(name): \(difference)")
    }
}
