import ArgumentParser
import PostgresStore
import ReorderStore
import SQLiteStore

/// The value of `--store`.
enum StoreLocation: CustomStringConvertible {
    case memory
    case file(path: String)
    case postgres(url: String)

    /// Without an option.
    static let standard = StoreLocation.file(path: "reorderd.db")

    init?(argument: String) {
        if argument == "memory" {
            self = .memory
        } else if argument.hasPrefix("file:"), argument.utf8.count > 5 {
            self = .file(path: String(argument.dropFirst(5)))
        } else if ["postgres://", "postgresql://"].contains(where: argument.hasPrefix) {
            self = .postgres(url: argument)
        } else {
            return nil
        }
    }

    /// - Throws: a `ValidationError` with the valid forms, and a suggestion for a plain path.
    init(option argument: String) throws {
        guard let location = StoreLocation(argument: argument) else {
            let forms = "a store is memory, file:PATH or postgres://USER@HOST/DATABASE"
            let isPath = !argument.isEmpty && Self.isPath(argument)
            throw ValidationError(isPath ? "\(forms); did you mean file:\(argument)?" : forms)
        }
        self = location
    }

    /// The kind of store, for metrics and the log.
    var kind: String {
        switch self {
        case .memory: "memory"
        case .file: "file"
        case .postgres: "postgres"
        }
    }

    var description: String {
        switch self {
        case .memory: "memory"
        case .file(let path): "file:\(path)"
        // The URL may contain a password.
        case .postgres: "PostgreSQL"
        }
    }

    private static func openFile(
        _ path: String, _ report: (String) -> Void
    ) throws(StoreError) -> SQLiteListStore {
        let store = try SQLiteListStore(path: path)
        if let before = store.convertedFormat {
            report(
                "\(path) was converted from version \(before) of the file format to version "
                    + "\(SQLiteListStore.format); older programs can't read it")
        }
        return store
    }

    /// Opens the store to read its state at one moment. Servers may keep writing to a store in
    /// PostgreSQL.
    func openReadOnly() throws(StoreError) -> any ListStore {
        guard case .postgres(let url) = self else { return try open() }
        return try PostgresReadOnlyStore(url: url)
    }

    /// Opens the store.
    ///
    /// - Parameters:
    ///   - postgres: the options for a store in PostgreSQL.
    ///   - report: receives messages for the log: that a file was converted, and about a store in PostgreSQL while
    ///     it is open.
    func open(
        postgres: PostgresListStore.Options = PostgresListStore.Options(),
        report: @escaping @Sendable (String) -> Void = { _ in }
    ) throws(StoreError) -> any ListStore {
        switch self {
        case .memory: MemoryListStore()
        case .file(let path): try Self.openFile(path, report)
        case .postgres(let url):
            try PostgresListStore(url: url, options: postgres, report: report)
        }
    }
}
