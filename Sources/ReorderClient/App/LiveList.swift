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
/// Changes made before a large list is read are stored at once, and visible when its rows are there.
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
    /// Whether a list is in sync with the server.
    public typealias Phase = ListPhase
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
    @ObservationIgnored var subscription: ListSubscription?
    /// Opens the list on another thread; nil if it is open or can't be opened.
    @ObservationIgnored private(set) var opening: Task<Void, Never>?
    /// The steps that wait in the inbox until the list is open.
    @ObservationIgnored var early: [(operations: [String], kind: UndoStep.Kind)] = []
    /// The tasks that other people drag.
    @ObservationIgnored var dragged: [TaskID: OtherDrag] = [:]
    /// Builds rows on another thread; nil if the rows are those of the newest state.
    @ObservationIgnored var building: Task<Void, Never>?
    /// The changes that the server has refused, and how often they had changed then.
    @ObservationIgnored var refusals: [Refused] = []
    @ObservationIgnored private var refusalChanges = 0
    /// The new ids of tasks that came back from a deletion while another list had theirs, by the former ones.
    @ObservationIgnored var newIDs: [TaskID: TaskID] = [:]
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
        open()
    }

    private func open() {
        if client.isQuickToOpen(id) {
            begin(OpenedList.open(id, client))
        } else {
            openSoon()
        }
    }

    /// Opens the list on another thread: reading a large one takes too long for the main thread. Changes wait in the inbox meanwhile.
    private func openSoon() {
        let (id, client, steps) = (id, client, early.count)
        opening = Task { [weak self] in
            let opened = await Task.detached { OpenedList.open(id, client) }.value
            guard let self else { return }
            // The last ones may not be taken over: opening an open list again is quick.
            if self.early.count > steps, case .success = opened { return self.openSoon() }
            self.opening = nil
            self.begin(opened)
        }
    }

    /// Opens the list if that has failed before, for example because another process had its file.
    func reopen() {
        guard synced == nil, opening == nil, case .failed(.storage) = phase else { return }
        open()
    }

    /// All visible rows, in order. O(rows).
    public var rows: [Row] { sections.flatMap(\.rows) }

    /// The row of a task; nil if the list does not contain the task. O(log n).
    public func row(_ task: TaskID) -> Row? {
        snapshot.task(task).map { marks(of: CollectionOfOne(task)).row($0) }
    }

    /// The newest list, also while its rows are being built.
    var newest: ReorderableList { draft?.list ?? synced?.snapshot ?? displayed }

    // MARK: Following

    private func begin(_ opened: Result<OpenedList, ClientError>) {
        switch opened {
        case _ where phase == .signedOut: break
        case .failure(let error): phase = error == .closed ? .signedOut : .failed(error)
        case .success(let opened):
            (synced, subscription) = (opened.list, opened.subscription)
            dragged = opened.dragged
            if let sections = opened.sections { show(sections, of: opened.subscription.start) }
            pushEarlySteps(opened.adopted)
            refresh()
            let signals = opened.subscription.signals
            Task { [weak self] in
                for await _ in signals { self?.refresh() }
                self?.refresh()
            }
        }
    }

    /// The list was ended: the store has signed out, or another client has used the list's file, so that it must be read again.
    func runnerStopped() {
        guard !client.isSignedOut else { return end() }
        leave()
        open()
    }

    private func leave() {
        building?.cancel()
        (synced, subscription, building) = (nil, nil, nil)
        (refusals, refusalChanges, newIDs) = ([], 0, [:])
    }

    /// After signing out, the list is empty.
    func end() {
        let former = (sections, displayed, synced)
        // To release many rows takes long.
        defer { Task.detached { _ = former } }
        leave()
        (sections, title, isLoaded) = ([], "", false)
        snapshot = ReorderableList(settings: ListSettings(title: ""))
        undoStack = UndoStack()
        (localRefusals, early) = ([], [])
        (notice, waitingCount, phase) = (nil, 0, .signedOut)
        noteUndo()
    }

    /// Takes over all changes until now. O(k log n) for k changed rows, and O(n / 256); or, if many rows have changed, O(1), and another
    /// thread builds the rows.
    func refresh() {
        guard let synced else { return }
        let known = refusalChanges
        let state = synced.runner.read { machine in
            (
                status: machine.status, isStopped: machine.isStopped,
                refusalChanges: machine.refusalChanges,
                refusals: machine.refusalChanges == known ? nil : machine.refusals
            )
        }
        guard !state.isStopped else { return runnerStopped() }
        refreshRows()
        set(\.waitingCount, state.status.pending)
        set(\.phase, Phase(state.status))
        if let refusals = state.refusals {
            let known = Set(self.refusals.map(\.id))
            (self.refusals, refusalChanges) = (refusals, state.refusalChanges)
            if makeWithNewIDs(refusals.filter { !known.contains($0.id) }) { return refresh() }
            forgetRefusedSteps()
            refreshNotice()
        }
        noteUndo()
    }

    func set<Value: Equatable>(
        _ property: ReferenceWritableKeyPath<LiveList, Value>, _ value: Value
    ) {
        if self[keyPath: property] != value { self[keyPath: property] = value }
    }

    /// Contacts the server at once, for example when the user pulls to refresh. Returns when everything is sent and the rows are those of
    /// the server, or when that has failed.
    ///
    /// - Returns: whether nothing waits any more.
    @discardableResult
    public func refreshNow() async -> Bool {
        reopen()
        await opening?.value
        guard let synced else { return false }
        defer { refresh() }
        return await synced.refreshNow()
    }
}

/// A list that was opened, with its sections.
private struct OpenedList: Sendable {
    let list: SyncedList
    let subscription: ListSubscription
    /// nil if the list is not loaded.
    let sections: [LiveList.Section]?
    let dragged: [TaskID: OtherDrag]
    /// The steps that were taken over from the inbox.
    let adopted: [AppliedStep]

    /// O(tasks), unless the list is open already: then O(rows).
    static func open(_ id: String, _ client: ReorderClient) -> Result<OpenedList, ClientError> {
        do throws(ClientError) {
            let list = try client.openNow(id)
            list.runner.takeInbox()
            let subscription = list.subscribe()
            let (isLoaded, marks, adopted) = list.runner.read { machine in
                (
                    machine.shown != nil,
                    RowMarks(waiting: machine.waiting.tasks, dragged: machine.draggedTasks),
                    machine.adopted
                )
            }
            return .success(
                OpenedList(
                    list: list, subscription: subscription,
                    sections: isLoaded ? LiveList.Section.all(of: subscription.start, marks) : nil,
                    dragged: marks.dragged, adopted: adopted))
        } catch {
            return .failure(error)
        }
    }
}
