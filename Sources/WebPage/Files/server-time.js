// The time of the server. The clock of this device may be wrong.
import { home } from "./app.js";

/** @returns milliseconds, as `Date.now` does; the device's own time if the server does not respond */
export async function serverTime() {
  try {
    const { headers } = await fetch(`${home}/healthz`, { method: "HEAD", cache: "no-store" });
    return Date.parse(headers.get("Date")) || Date.now();
  } catch {
    return Date.now();
  }
}
