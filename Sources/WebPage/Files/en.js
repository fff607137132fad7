// All words of the page in English. A language has the same members in a file of its own.

export const en = {};
