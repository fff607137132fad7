import MicroHTTP
import ReorderJSON
import ReorderService
import ReorderStore

extension ReorderAPI {
    /// Sends the changes of many lists as server-sent events.
    func getFeedEvents(_ request: Request) throws -> Job {
        let selection = try FeedSelection(request)
        let since = try request.lastSeenPlace(tags)
        let permit = try permit(for: request)
        // The request keeps this object while it waits, so that no event is missed before the
        // stream begins.
        let streams = feedStreams.object(FeedStreams.name) {
            FeedStreams(service, in: feedStreams)
        }
        return .run { [self] call in
            let place = try since ?? .at(service.lastPosition(call.context))
            let events = FeedEventSource(service, streams.watch, selection, from: place, permit)
            return stream(events, streams.topic, request)
        }
    }

    /// Returns a page of the changes of many lists. With `wait`, a request that finds no changes
    /// waits for one.
    func getFeedChanges(_ request: Request) throws -> Job {
        let selection = try FeedSelection(request)
        let since = try request.feedPlace(tags)
        let limit = try request.number(
            "limit", in: 1...Self.maximumChangesPage, default: Self.defaultChangesPage)
        let seconds = try request.number(
            "wait", in: 0...Self.maximumWaitSeconds, default: 0)
        var watch: FeedWatch?
        // Up to here, a waiting request has found no change for its client.
        var position: Int?
        return .run { [self] call in
            // The watch begins before the changes are read. Otherwise a change in between would be
            // missed.
            if seconds > 0, watch == nil { watch = service.watchFeed(for: call) }
            var page = FeedPageDocument()
            switch try since ?? .at(service.lastPosition(call.context)) {
            case .lists(let from, let end, let list):
                try readLists(
                    from: from, end: end, after: list, selection, limit: limit, into: &page, call)
            case .at(let start):
                var reached = position ?? start
                defer { position = reached }
                try readChanges(
                    after: &reached, selection, limit: limit,
                    waitSeconds: since == nil ? 0 : seconds, into: &page, call)
            }
            try access?.recheck(request)
            return .read(page.body(tags))
        }
    }

    /// - Parameter position: advances over pages in which the client has no change.
    private func readChanges(
        after position: inout Int, _ selection: FeedSelection, limit: Int, waitSeconds: Int,
        into page: inout FeedPageDocument, _ call: Call
    ) throws {
        while true {
            switch try service.feedPage(
                after: position, bytes: Self.changesPageBytes, call.context)
            {
            case .gap(let from, let end):
                return try readLists(
                    from: from, end: end, after: nil, selection, limit: limit, into: &page, call)
            case .entries(let entries, let isLast, let end):
                let wanted = entries.filter { selection.contains($0.list) }
                page.events = wanted.prefix(limit).map {
                    selection.event($0, epoch: service.epoch)
                }
                let isCut = wanted.count > limit
                page.next = .at(isCut ? wanted[limit - 1].position : end)
                page.hasMore = isCut || !isLast
                guard wanted.isEmpty, waitSeconds > 0, !call.isTimeOver else { return }
                position = end
                if isLast { call.wait(atMostSeconds: waitSeconds) }
                try service.skipFeedPage(isLast: isLast, call.context)
            }
        }
    }

    private func readLists(
        from: Int, end: Int, after list: String?, _ selection: FeedSelection, limit: Int,
        into page: inout FeedPageDocument, _ call: Call
    ) throws {
        let found = try service.feedHeads(
            of: selection.ranges, after: list, changedFrom: from, limit: limit, call.context)
        page.events = found.heads.map { FeedEvent($0, epoch: service.epoch) }
        page.next = found.cursor.map { .lists(from: from, end: end, after: $0) } ?? .at(end)
        page.hasMore = true
    }
}

/// The body of a page of the feed.
private struct FeedPageDocument {
    var events: [FeedEvent] = []
    var next = FeedToken.at(0)
    var hasMore = false

    func body(_ tags: EntityTags) -> [UInt8] {
        var writer = JSONWriter()
        writer.beginObject()
        writer.name("events")
        writer.beginArray()
        for event in events {
            writer.beginObject()
            writer.name("event")
            writer.string(event.name)
            event.write(to: &writer)
            writer.endObject()
        }
        writer.endArray()
        writer.name("next")
        writer.stringOrNull(next.text(tags))
        writer.name("more")
        writer.bool(hasMore)
        writer.endObject()
        return writer.takeBytes()
    }
}

extension Request {
    /// The place in the parameter `since`.
    fileprivate func feedPlace(_ tags: EntityTags) throws(Problem) -> FeedToken? {
        guard let text = query["since"] else { return nil }
        guard let place = FeedToken(text[...], tags) else {
            throw Problem(
                .invalidQuery,
                "The parameter since must be the id of an event of this feed, or next of a page.")
        }
        return place
    }

    /// The place in `Last-Event-ID` if the client reconnects, and otherwise in the parameter
    /// `since`.
    fileprivate func lastSeenPlace(_ tags: EntityTags) throws(Problem) -> FeedToken? {
        let since = try feedPlace(tags)
        guard let id = lastEventID else { return since }
        guard let place = FeedToken(id[...], tags) else {
            throw Problem(.badRequest, "Last-Event-ID is not the id of an event of this feed.")
        }
        return place
    }
}
