// The restoring of deleted lists.
import { connection } from "./connection.js";

/** Restores a deleted list, and opens it. @returns whether it was restored; if not, a note shows the reason */
export async function restore(id, notes) {
  try {
    await connection.restoreList(id);
  } catch (error) {
    notes.complain(error);
    return false;
  }
  location.hash = id;
  return true;
}
