import { Refusal } from "../../clients/javascript/refusal.js";

/** A value, or the code of the refusal. */
export function attempt(act) {
  try {
    return act();
  } catch (error) {
    if (!(error instanceof Refusal)) throw error;
    return error.code;
  }
}
