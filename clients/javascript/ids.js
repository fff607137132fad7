// Ids made on this device.

/** The longest name in a `Client-Id`, after its encoding. The server's limit for the whole is 128 bytes. */
const mostNameBytes = 80;

let lastMilliseconds = 0;
let lastCount = 0;

/**
 * A UUID of version 7. Ids made in one window grow, also within a millisecond, so sorting by id is sorting by time.
 * `crypto.randomUUID` is not used: it makes random ids, and does not exist in pages loaded over plain HTTP.
 */
export function makeID() {
  const now = Date.now();
  if (now > lastMilliseconds) {
    lastMilliseconds = now;
    lastCount = 0;
  } else {
    lastCount += 1;
    if (lastCount > 0xfff) {
      lastMilliseconds += 1;
      lastCount = 0;
    }
  }
  const time = lastMilliseconds.toString(16).padStart(12, "0");
  const count = lastCount.toString(16).padStart(3, "0");
  const random = crypto.getRandomValues(new Uint8Array(8));
  random[0] = (random[0] & 0x3f) | 0x80;
  const rest = [...random].map((byte) => byte.toString(16).padStart(2, "0")).join("");
  return `${time.slice(0, 8)}-${time.slice(8)}-7${count}-${rest.slice(0, 4)}-${rest.slice(4)}`;
}

/** A `Client-Id` with a person's name in it: the encoded name, `~`, and the id. A long name is cut. */
export function withName(id, name) {
  let encoded = "";
  for (const character of name.trim().replaceAll("~", "-")) {
    const next = encoded + encodeURIComponent(character.toWellFormed());
    if (next.length > mostNameBytes) break;
    encoded = next;
  }
  return encoded === "" ? id : `${encoded}~${id}`;
}

/** The id in a `Client-Id`, without a name. */
export function withoutName(client) {
  return client.slice(client.indexOf("~") + 1);
}

/** The name in a `Client-Id`, or null. */
export function nameIn(client) {
  if (!client?.includes("~")) return null;
  try {
    return decodeURIComponent(client.split("~")[0]) || null;
  } catch {
    return null; // another program uses this character in another way
  }
}
