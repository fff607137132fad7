import MicroHTTP
import ReorderService
import ReorderStore

/// All event streams of one list. Wakes them after a change, and caches rendered events, because
/// most streams send the same ones.
///
/// From the change to the client: `ListChannel` (of the service) has a list's recent changes and
/// notifies each `ListWatch`. This object has one `ListWatch` for all streams of the list. Each
/// stream has a `ListEventSource`, which knows the last version that the client has received.
final class ListStreams: Sendable {
    let topic: StreamTopic
    let watch: ListWatch
    private let listStreams: WeakRegistry<ListStreams>
    private let tags: EntityTags
    private let rendered = RenderedEvents<ClosedRange<Int>>()

    init(_ list: String, _ service: ListService, in listStreams: WeakRegistry<ListStreams>) {
        let topic = StreamTopic()
        self.topic = topic
        self.listStreams = listStreams
        tags = EntityTags(epoch: service.epoch)
        watch = service.watch(list) { topic.wake() }
    }

    deinit { listStreams.remove(watch.list) }

    /// The events of consecutive changes. The result is cached, because most streams are at the
    /// same version.
    func events(_ changes: [StoredChange]) -> EventBytes {
        guard let first = changes.first?.version, let last = changes.last?.version else {
            return EventBytes { _ in }
        }
        return rendered.events(first...last) { text in
            for change in changes {
                text.appendEvent("change", id: tags.token(change.version), data: change.bytes)
            }
        }
    }
}
