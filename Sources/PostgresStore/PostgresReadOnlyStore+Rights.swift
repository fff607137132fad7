import ReorderStore

extension PostgresReadOnlyStore {
    /// The rights that a server needs and the role lacks, such as `list (INSERT)`; empty if there are none.
    package func missingRights() throws(StoreError) -> String {
        try read { connection throws(PostgresError) in
            try connection.run([Self.findMissingRights()])[0].text(0, 0)
        }
    }

    private static let findMissingRights = Statement(
        "find-missing-rights",
        """
        SELECT coalesce(string_agg(relname || ' (' || need || ')', ', ' ORDER BY relname, need), '')
        FROM pg_class, unnest(ARRAY['SELECT', 'INSERT', 'UPDATE', 'DELETE']) AS need
        WHERE relnamespace = 'reorderd'::regnamespace AND relkind IN ('r', 'p')
            AND NOT has_table_privilege(pg_class.oid, need)
        """)
}
