import ArgumentParser
import ReorderStore
import SQLiteStore

/// Where lists are kept, as the command line says it.
enum StoreLocation: ExpressibleByArgument {
    case memory
    case file(path: String)

    init?(argument: String) {
        if argument == "memory" {
            self = .memory
        } else if argument.hasPrefix("file:"), argument.utf8.count > 5 {
            self = .file(path: String(argument.dropFirst(5)))
        } else {
            return nil
        }
    }

    var defaultValueDescription: String {
        switch self {
        case .memory: "memory"
        case .file(let path): "file:\(path)"
        }
    }

    func open() throws(StoreError) -> any ListStore {
        switch self {
        case .memory: MemoryListStore()
        case .file(let path): try SQLiteListStore(path: path)
        }
    }
}
