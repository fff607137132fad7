import Foundation
import Observation
import ReorderEngine

/// A list to display and change: its rows follow the server, other devices and the user's own changes.
///
/// ```swift
/// List {
///     ForEach(list.sections) { section in
///         Section(section.title) {
///             ForEach(section.rows) { TaskRow($0).moveDisabled($0.isLocked) }
///                 .onMove { list.move($0, to: $1, in: section) }
///                 .onDelete { list.delete($0, in: section) }
///         }
///     }
/// }
/// ```
///
/// Get one from ``ReorderStore/list(_:)``. Changes are visible and stored on the device when their call returns, and sent as soon as
/// the server can be reached. No call throws: if the list's rules refuse a change, it returns false and ``notice`` has the reason.
/// There is nothing to close: if the app releases the list, what waits is still sent.
@MainActor @Observable
public final class LiveList: Identifiable {
    /// The list's id.
    public nonisolated let id: String
    /// The displayed title; empty until the list is loaded.
    public internal(set) var title = ""
    /// The sections with their visible rows. The first one has the rows without a section, if there are any. A list without sections has
    /// one section.
    public internal(set) var sections: [Section] = []
    /// Whether the rows are there. A list that was displayed on this device before has them at once, also without a network.
    public internal(set) var isLoaded = false
    /// Whether the list is in sync, and why not.
    public internal(set) var phase = Phase.connecting
    /// When the server last confirmed that the rows are current; nil if it has not since the list was opened.
    public var lastContact: Date? { synced?.status.lastContact }
    /// The number of changes of this list that wait to be sent.
    public internal(set) var waitingCount = 0
    /// What the user should know: changes that were refused. nil after ``dismissNotice()``.
    public internal(set) var notice: Notice?
    /// Whether ``undo()`` has something to undo.
    public internal(set) var canUndo = false
    /// Whether ``redo()`` has something to redo.
    public internal(set) var canRedo = false
    /// The list that ``sections`` display, for what they do not answer: placements, hidden tasks, drop positions. It is a value.
    public internal(set) var snapshot: ReorderableList {
        get {
            access(keyPath: \.snapshot)
            return draft?.list ?? displayed
        }
        set { withMutation(keyPath: \.snapshot) { displayed = newValue } }
    }

    /// Not observed by the macro, which would compare the lists: O(tasks).
    @ObservationIgnored private(set) var displayed = ReorderableList(
        settings: ListSettings(title: ""))
    @ObservationIgnored let client: ReorderClient
    @ObservationIgnored var synced: SyncedList?
    @ObservationIgnored private var subscription: DeltaSubscription?
    @ObservationIgnored var marks = RowMarks()
    /// The step that is being made.
    @ObservationIgnored var draft: StepDraft?
    @ObservationIgnored var undoStack = UndoStack()
    /// The reasons for which changes were refused at once.
    @ObservationIgnored var localRefusals: [Notice.Entry] = []
    /// Passes a step to the undo manager.
    @ObservationIgnored var registerUndo: (@MainActor (UndoStep, UndoStack.Direction) -> Void)?
    @ObservationIgnored weak var undoManagerObject: AnyObject?

    init(id: String, client: ReorderClient) {
        self.id = id
        self.client = client
        if client.isQuickToOpen(id) {
            begin(OpenedList.open(id, client))
        } else {
            openSoon()
        }
    }

    /// Opens the list on another thread: reading a large one takes too long for the main thread.
    private func openSoon() {
        let (id, client) = (id, client)
        Task { [weak self] in
            let opened = await Task.detached { OpenedList.open(id, client) }.value
            self?.begin(opened)
        }
    }

    /// All visible rows, in order. O(rows).
    public var rows: [Row] { sections.flatMap(\.rows) }

    /// The row of a task; nil if the list does not contain the task. O(log n).
    public func row(_ task: TaskID) -> Row? { snapshot.task(task).map { marks.row($0) } }

    // MARK: Following

    private func begin(_ opened: Result<OpenedList, ClientError>) {
        switch opened {
        case _ where phase == .signedOut: break
        case .failure(let error): phase = error == .closed ? .signedOut : .failed(error)
        case .success(let opened):
            (synced, subscription) = (opened.list, opened.subscription)
            (snapshot, sections) = (opened.subscription.start, opened.sections)
            refresh()
            let signals = opened.subscription.signals
            Task { [weak self] in
                for await _ in signals { self?.refresh() }
                self?.refresh()
            }
        }
    }

    /// After signing out, the list is empty.
    func end() {
        (synced, subscription) = (nil, nil)
        (sections, title, isLoaded) = ([], "", false)
        snapshot = ReorderableList(settings: ListSettings(title: ""))
        undoStack = UndoStack()
        localRefusals = []
        (notice, waitingCount, phase) = (nil, 0, .signedOut)
        noteUndo()
    }

    /// Takes over all changes until now. O(k log n) for k changed rows, and O(n / 256).
    func refresh() {
        guard let synced, let subscription else { return }
        // Together: a list that is loaded has its rows.
        let (state, rows) = synced.runner.read { machine in
            (
                (
                    isLoaded: machine.shown != nil, status: machine.status,
                    marks: RowMarks(machine), refusals: machine.unacknowledgedRefusals,
                    isStopped: machine.isStopped
                ), subscription.takeTouched()
            )
        }
        var (before, after, touched) = rows
        touched.add(
            marks.difference(from: state.marks).map { .update(task: $0, set: TaskUpdate()) })
        marks = state.marks
        if state.isLoaded, !touched.isEmpty {
            var sections = sections
            sections.update(from: before, to: after, touched, marks)
            self.sections = sections
            snapshot = after
        }
        set(\.title, after.settings.title)
        set(\.isLoaded, state.isLoaded)
        set(\.waitingCount, state.status.pending)
        set(\.phase, state.isStopped ? .signedOut : Phase(state.status))
        undoStack.forget(Set(state.refusals.map(\.id)))
        noteUndo()
        set(\.notice, Notice(refusals: state.refusals, local: localRefusals, in: after))
    }

    func set<Value: Equatable>(
        _ property: ReferenceWritableKeyPath<LiveList, Value>, _ value: Value
    ) {
        if self[keyPath: property] != value { self[keyPath: property] = value }
    }

    /// Contacts the server at once, for example when the user pulls to refresh. Returns when everything is sent, or has failed.
    ///
    /// - Returns: whether nothing waits any more.
    @discardableResult
    public func refreshNow() async -> Bool { await synced?.runner.flush() ?? false }
}

/// A list that was opened, with its sections.
private struct OpenedList: Sendable {
    let list: SyncedList
    let subscription: DeltaSubscription
    let sections: [LiveList.Section]

    /// O(tasks), unless the list is open already: then O(rows).
    static func open(_ id: String, _ client: ReorderClient) -> Result<OpenedList, ClientError> {
        do throws(ClientError) {
            let list = try client.openNow(id)
            let subscription = list.runner.subscribe(list.handle)
            let isLoaded = list.runner.read { $0.shown != nil }
            return .success(
                OpenedList(
                    list: list, subscription: subscription,
                    sections: isLoaded
                        ? LiveList.Section.all(of: subscription.start, RowMarks()) : []))
        } catch {
            return .failure(error)
        }
    }
}
