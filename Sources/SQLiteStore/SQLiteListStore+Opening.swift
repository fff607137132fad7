import CSQLite
import Foundation
import GRDB
import ReorderStore

extension SQLiteListStore {
    /// Its value is computed once, before the process uses SQLite.
    static let countsNoMemory: Void = reorder_sqlite_count_no_memory()

    /// The file's canonical path: all links to a file must lead to the same lock file.
    static func resolve(
        _ path: String, in files: any FileSystem
    ) throws(StoreError) -> String {
        if let known = files.canonicalPath(path) { return known }
        let url = URL(fileURLWithPath: path)
        guard !path.isEmpty,
            let directory = files.canonicalPath(url.deletingLastPathComponent().path)
        else {
            throw .refused(reason: "\(path): no such directory")
        }
        return directory + "/" + url.lastPathComponent
    }

    static func writing(with log: WriteAheadLog) -> Configuration {
        var configuration = Configuration()
        configuration.busyMode = .timeout(2)
        // A failed rollback must not stop the process; the next append tries again.
        configuration.allowsUnsafeTransactions = true
        configuration.prepareDatabase { database in
            try database.execute(
                sql: """
                    PRAGMA synchronous = FULL;
                    PRAGMA mmap_size = 0;
                    PRAGMA cache_size = -16384;
                    PRAGMA wal_autocheckpoint = 0;
                    PRAGMA journal_size_limit = \(log.checkpointBytes);
                    """)
        }
        return configuration
    }

    static var reading: Configuration {
        var configuration = Configuration()
        configuration.readonly = true
        configuration.busyMode = .timeout(2)
        configuration.prepareDatabase { database in
            try database.execute(sql: "PRAGMA mmap_size = 0; PRAGMA wal_autocheckpoint = 0")
        }
        return configuration
    }
}
