import ReorderService
import ReorderStore
import Testing

@testable import ReorderWebhooks

/// What one webhook does next, without threads: what arrives while it works must not be lost.
@Suite struct DeliveryStepTests {
    private static let epoch = "0123456789ab"

    private static func webhook(url: String = "https://a.example", _ lists: [String] = ["*"])
        -> Webhook
    {
        Webhook(
            id: "w", url: url, lists: lists, secret: WebhookSecret(), createdAt: 0, createdBy: nil,
            progress: Webhook.Progress(position: 3, epoch: epoch))
    }

    private static func change(_ position: Int, of list: String = "l") -> JournalEntry {
        let json = #"{"version":\#(position),"at":"2026-01-01T00:00:00.000Z","ops":[]}"#
        return JournalEntry(
            position: position, list: list,
            change: StoredChange(version: position, bytes: Array(json.utf8)))
    }

    private static func page(_ positions: ClosedRange<Int>?, end: Int) -> FeedPage {
        .entries(positions?.map { change($0) } ?? [], isLast: true, end: end)
    }

    /// The next step: `read` with its position, `send` with the event's id, or `nothing`.
    private static func step(_ delivery: inout Delivery, at now: UInt64 = 0) -> String {
        switch delivery.next(at: now, mayBegin: true) {
        case .nothing: "nothing"
        case .wait(let time): "wait \(time)"
        case .read(.at(let position)): "read \(position)"
        case .read(.lists(let from, let end, _)): "lists \(from) to \(end)"
        case .send(let event): "send \(event.id.prefix { $0 != "-" })"
        }
    }

    private static func accept(_ delivery: inout Delivery) {
        delivery.end(.response(204), date: 0, now: 0, random: 0)
    }

    @Test(arguments: [200: true, 299: true, 199: false, 300: false])
    func onlyAStatus2xxIsASuccess(status: Int, isSuccess: Bool) {
        #expect(
            (Webhook.Result(.response(status), of: "e", at: 0).error == nil) == isSuccess)
        var delivery = Delivery(Self.webhook(), number: 1, epoch: Self.epoch)
        _ = Self.step(&delivery)
        delivery.take(Self.page(4...4, end: 4))
        _ = Self.step(&delivery)
        delivery.end(.response(status), date: 0, now: 0, random: 0)
        #expect(Self.step(&delivery).hasPrefix("wait") != isSuccess)
    }

    /// The page was read before the news, so it may lack the change.
    @Test(arguments: [nil, 4...4])
    func newsDuringTheReadOfTheLastPageAreRead(found: ClosedRange<Int>?) {
        for hasNews in [false, true] {
            var delivery = Delivery(Self.webhook(), number: 1, epoch: Self.epoch)
            var steps = [Self.step(&delivery)]
            // Nothing else begins meanwhile.
            steps.append(Self.step(&delivery))
            if hasNews { delivery.receiveNews() }
            delivery.take(Self.page(found, end: found?.upperBound ?? 3))
            steps.append(Self.step(&delivery))
            if found != nil {
                Self.accept(&delivery)
                steps.append(Self.step(&delivery))
            }
            let next = hasNews ? "read \(found?.upperBound ?? 3)" : "nothing"
            #expect(
                steps == ["read 3", "nothing"] + (found == nil ? [] : ["send p4"]) + [next],
                "\(hasNews)")
        }
    }

    @Test func newsAfterTheLastPageAreRead() {
        var delivery = Delivery(Self.webhook(), number: 1, epoch: Self.epoch)
        var steps = [Self.step(&delivery)]
        delivery.take(Self.page(nil, end: 3))
        steps.append(Self.step(&delivery))
        delivery.receiveNews()
        steps.append(Self.step(&delivery))
        // The news of before this read do not count again.
        delivery.take(Self.page(4...5, end: 5))
        steps.append(Self.step(&delivery))
        Self.accept(&delivery)
        steps.append(Self.step(&delivery))
        Self.accept(&delivery)
        steps.append(Self.step(&delivery))
        #expect(steps == ["read 3", "nothing", "read 3", "send p4", "send p5", "nothing"])
    }

    /// New settings that come during an attempt hold from its end on.
    @Test func settingsThatComeDuringAnAttemptFollowIt() {
        for isBusy in [false, true] {
            var delivery = Delivery(Self.webhook(), number: 1, epoch: Self.epoch)
            var steps = [Self.step(&delivery)]
            delivery.take(Self.page(4...4, end: 4))
            if isBusy { steps.append(Self.step(&delivery)) }
            var changed = Self.webhook(url: "https://b.example", ["m"])
            changed.progress = delivery.webhook.progress
            delivery.update(changed)
            #expect(delivery.webhook.url == (isBusy ? "https://a.example" : changed.url))
            if isBusy { Self.accept(&delivery) }
            #expect(delivery.webhook.url == changed.url)
            #expect(delivery.webhook.progress.position == (isBusy ? 4 : 3))
            // What was read for the former lists is read again.
            steps.append(Self.step(&delivery))
            let page = [Self.change(5), Self.change(6, of: "m")]
            delivery.take(.entries(page, isLast: true, end: 6))
            steps.append(Self.step(&delivery))
            #expect(
                steps == ["read 3"] + (isBusy ? ["send p4", "read 4"] : ["read 3"]) + ["send p6"])
            // They hold until the next ones come.
            Self.accept(&delivery)
            changed.url = "https://c.example"
            delivery.update(changed)
            delivery.receiveNews()
            #expect(Self.step(&delivery) == "read 6")
            delivery.take(Self.page(nil, end: 6))
            #expect(delivery.webhook.url == "https://c.example")
        }
    }
}
