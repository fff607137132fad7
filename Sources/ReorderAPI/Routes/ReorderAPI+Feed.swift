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
        return feedPlace(since) { [self] place in
            let events = FeedEventSource(service, selection, from: place)
            return stream(events, service.feed, request, permit)
        }
    }

    /// Finds the last position, if a client names no place.
    private func feedPlace(
        _ place: FeedToken?, _ next: @escaping @Sendable (FeedToken) throws -> Job
    ) -> Job {
        .wait(
            for: { [service] done in
                guard let place else {
                    return service.feed.readLastPosition { done($0.map { .at($0) }) }
                }
                done(.success(place))
            }, next)
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
        let query = FeedQuery(request: request, selection: selection, limit: limit)
        // The watch begins before the changes are read. Otherwise a change in between would be missed.
        let poll =
            since == nil || seconds == 0
            ? nil : LongPoll(seconds: seconds, of: service.feed)
        return feedPlace(since) { [self] place in
            switch place {
            case .lists(let from, let end, let list):
                lists(from: from, end: end, after: list, query)
            case .at(let position): changes(after: position, query, poll)
            }
        }
    }

    private struct FeedQuery {
        let request: Request
        let selection: FeedSelection
        let limit: Int
    }

    /// Skips pages in which the client has no change.
    ///
    /// - Parameter poll: for changes if there are none now; nil responds without changes.
    private func changes(after position: Int, _ query: FeedQuery, _ poll: LongPoll?) -> Job {
        .wait(
            for: { [service] in
                service.feed.read(after: position, bytes: Self.changesPageBytes, $0)
            }
        ) { [self] page in
            switch page {
            case .gap(let from, let end): return lists(from: from, end: end, after: nil, query)
            case .entries(let entries, let isLast, let end):
                let wanted = entries.filter { query.selection.contains($0) }
                if wanted.isEmpty, let poll {
                    // The next page is read at once, unless the time is over.
                    if !isLast { poll.lookAgain() }
                    return .poll(poll) { [self] isOver in
                        changes(after: end, query, isOver ? nil : poll)
                    }
                }
                let isCut = wanted.count > query.limit
                return try respond(
                    FeedPageDocument(
                        events: wanted.prefix(query.limit).map {
                            query.selection.event($0, epoch: service.epoch)
                        },
                        next: .at(isCut ? wanted[query.limit - 1].position : end),
                        hasMore: isCut || !isLast), query)
            }
        }
    }

    private func lists(from: Int, end: Int, after list: String?, _ query: FeedQuery) -> Job {
        .wait(
            for: { [service] in
                service.feed.readHeads(
                    of: query.selection.ranges, after: list, changedFrom: from,
                    limit: query.limit, $0)
            }
        ) { [self] found in
            try respond(
                FeedPageDocument(
                    events: found.heads.map { FeedEvent($0, epoch: service.epoch) },
                    next: found.cursor.map { .lists(from: from, end: end, after: $0) } ?? .at(end),
                    hasMore: true), query)
        }
    }

    private func respond(_ page: FeedPageDocument, _ query: FeedQuery) throws -> Job {
        try access?.recheck(query.request)
        return .respond(.read(page.body(tags)))
    }
}

/// The body of a page of the feed.
private struct FeedPageDocument {
    let events: [FeedEvent]
    let next: FeedToken
    let hasMore: Bool

    func body(_ tags: EntityTags) -> [UInt8] {
        var writer = JSONWriter()
        writer.beginObject()
        writer.name("events")
        writer.beginArray()
        for event in events { event.writeObject(to: &writer) }
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
        guard let place = FeedToken(id[...], tags, mayLackEpoch: true) else {
            throw Problem(.badRequest, "Last-Event-ID is not the id of an event of this feed.")
        }
        return place
    }
}
