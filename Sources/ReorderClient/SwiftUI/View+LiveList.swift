#if canImport(SwiftUI)
    import SwiftUI

    extension View {
        /// Adds to a view that displays a list what every such view needs: progress until the rows are there, the reason if there are
        /// none, an alert for refused changes, pull to refresh, and undo by the view's undo manager.
        public func following(_ list: LiveList) -> some View { modifier(FollowedList(list: list)) }
    }

    private struct FollowedList: ViewModifier {
        let list: LiveList
        @Environment(\.undoManager) private var undoManager

        func body(content: Content) -> some View {
            content
                .overlay {
                    if let text = list.placeholder {
                        ContentUnavailableView(text, systemImage: "list.bullet")
                    } else if !list.isLoaded {
                        ProgressView()
                    }
                }
                .refreshable { [list] in await list.refreshNow() }
                .alert(list.notice?.message ?? "", isPresented: isAlerting) {
                    Button("OK", role: .cancel) {}
                }
                .onChange(of: undoManager.map { ObjectIdentifier($0) }, initial: true) {
                    list.undoManager = undoManager
                }
        }

        private var isAlerting: Binding<Bool> {
            Binding(
                get: { list.notice != nil }, set: { if !$0 { list.dismissNotice() } })
        }
    }
#endif
