// What a response means for a request: the table of docs/sync.md.
