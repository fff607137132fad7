// swift-format-ignore-file: AllPublicDeclarationsHaveDocumentation
// Property wrappers and modifiers.

@propertyWrapper
public struct State<Value> {
    public init(wrappedValue: Value) { value = wrappedValue }
    private let value: Value
    public var wrappedValue: Value {
        get { value }
        nonmutating set {}
    }
    public var projectedValue: Binding<Value> { fatal() }
}

@propertyWrapper @dynamicMemberLookup
public struct Binding<Value> {
    public init(
        get: @escaping @MainActor () -> Value, set: @escaping @MainActor (Value) -> Void
    ) {}
    public var wrappedValue: Value {
        get { fatal() }
        nonmutating set {}
    }
    public var projectedValue: Binding<Value> { self }
    public subscript<Member>(
        dynamicMember path: WritableKeyPath<Value, Member>
    ) -> Binding<Member> { fatal() }
}

@propertyWrapper @dynamicMemberLookup
public struct Bindable<Value: AnyObject> {
    public init(wrappedValue: Value) { self.wrappedValue = wrappedValue }
    public var wrappedValue: Value
    public var projectedValue: Bindable<Value> { self }
    public subscript<Member>(
        dynamicMember path: ReferenceWritableKeyPath<Value, Member>
    ) -> Binding<Member> { fatal() }
}

@propertyWrapper
public struct Environment<Value> {
    public init(_ path: KeyPath<EnvironmentValues, Value>) {}
    public init(_ type: Value.Type) where Value: AnyObject & Observable {}
    public var wrappedValue: Value { fatal() }
}

public struct EnvironmentValues {
    @MainActor public var undoManager: UndoManager? { nil }
    public var scenePhase: ScenePhase { .active }
    public var editMode: Binding<Bool>? { nil }
}

public enum HorizontalEdge: Sendable {
    case leading, trailing
}

public struct Edge: Sendable {
    public struct Set: OptionSet, Sendable {
        public let rawValue: Int8
        public init(rawValue: Int8) { self.rawValue = rawValue }
        public static let leading = Set(rawValue: 1)
        public static let trailing = Set(rawValue: 2)
    }
}

extension View {
    nonisolated public func modifier<Modifier: ViewModifier>(
        _ modifier: Modifier
    ) -> some View { ModifiedView() }
    nonisolated public func moveDisabled(_ isDisabled: Bool) -> some View { ModifiedView() }
    nonisolated public func deleteDisabled(_ isDisabled: Bool) -> some View { ModifiedView() }
    nonisolated public func disabled(_ isDisabled: Bool) -> some View { ModifiedView() }
    nonisolated public func opacity(_ opacity: Double) -> some View { ModifiedView() }
    nonisolated public func padding(
        _ edges: Edge.Set = [], _ length: CGFloat? = nil
    ) -> some View { ModifiedView() }
    nonisolated public func onTapGesture(perform action: @escaping () -> Void) -> some View {
        ModifiedView()
    }
    nonisolated public func onSubmit(_ action: @escaping () -> Void) -> some View {
        ModifiedView()
    }
    nonisolated public func navigationTitle(_ title: String) -> some View { ModifiedView() }
    nonisolated public func searchable(text: Binding<String>) -> some View { ModifiedView() }
    nonisolated public func environment<Value: AnyObject & Observable>(
        _ object: Value?
    ) -> some View { ModifiedView() }
    nonisolated public func overlay<Content: View>(
        @ViewBuilder content: () -> Content
    ) -> some View { ModifiedView() }
    nonisolated public func toolbar<Content: View>(
        @ViewBuilder content: () -> Content
    ) -> some View { ModifiedView() }
    nonisolated public func swipeActions<Content: View>(
        edge: HorizontalEdge = .trailing, @ViewBuilder content: () -> Content
    ) -> some View { ModifiedView() }
    nonisolated public func contextMenu<Content: View>(
        @ViewBuilder menuItems: () -> Content
    ) -> some View { ModifiedView() }
    nonisolated public func refreshable(
        action: @escaping @Sendable () async -> Void
    ) -> some View { ModifiedView() }
    nonisolated public func task<ID: Equatable>(
        id value: ID, @_inheritActorContext _ action: @escaping @Sendable () async -> Void
    ) -> some View { ModifiedView() }
    nonisolated public func task(
        _ action: @escaping @Sendable () async -> Void
    ) -> some View { ModifiedView() }
    nonisolated public func alert<Actions: View>(
        _ title: String, isPresented: Binding<Bool>, @ViewBuilder actions: () -> Actions
    ) -> some View { ModifiedView() }
    nonisolated public func onChange<Value: Equatable>(
        of value: Value, initial: Bool = false, _ action: @escaping () -> Void
    ) -> some View { ModifiedView() }
}
