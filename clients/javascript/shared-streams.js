// One event stream of a list, and one of all lists, for all windows of a browser.
//
// The window that holds the list's lock has the stream, and passes its events on. The others wait for the lock, so one of them
// continues when that window is closed or hidden. It asks the server for the events after its own version, so none is missing or
// repeated. A window that joins the others reads what it has missed from a stream of its own, which it then closes.
import { Unreachable } from "./server.js";

/** A stream is closed after this time, because `refetch` or the drags in progress follow the first event. */
const drainMilliseconds = 200;

/**
 * Receives the events that a list has after a version, with a stream that is closed then. Aborting `read` closes it earlier.
 * @param onCurrent is called when the version is current
 */
export async function catchUp(server, list, version, { signal, read }, onOpen, onEvent, onCurrent) {
  let current = Infinity;
  let isCurrent = false;
  const receive = (event, data) => {
    if (event === "hello") current = data.version;
    onEvent(event, data);
    if (isCurrent || Number.parseInt(version(), 10) < current) return;
    isCurrent = true;
    onCurrent();
    setTimeout(() => read.abort(), drainMilliseconds);
  };
  try {
    await server.follow(list, version, AbortSignal.any([signal, read.signal]), onOpen, receive);
  } catch (error) {
    if (!read.signal.aborted) throw error;
  }
  if (!read.signal.aborted) throw new Unreachable();
}

class SharedStreams {
  #server;
  #name;

  constructor(server, name) {
    this.#server = server;
    this.#name = name;
  }

  /** Receives the events of a list, as `Server.follow` does. */
  async follow(list, version, signal, onOpen, onEvent) {
    const name = `${this.#name} ${list}`;
    /** A browser that blocks storage also forbids locks and channels. */
    let isForbidden = true;
    let channel;
    const lead = () =>
      this.#server.follow(list, version, signal, onOpen, (event, data) => {
        channel.postMessage({ event, data });
        onEvent(event, data);
      });
    try {
      channel = new BroadcastChannel(name);
      const options = { ifAvailable: true };
      const isFirst = await navigator.locks.request(name, options, async (lock) => {
        isForbidden = false;
        if (lock) await lead();
        return lock !== null;
      });
      if (!isFirst && !signal.aborted)
        await this.#join({ list, name, channel, lead, version, signal, onOpen, onEvent });
    } catch (error) {
      if (!isForbidden) throw error;
      await this.#server.follow(list, version, signal, onOpen, onEvent);
    } finally {
      channel?.close();
    }
  }

  /**
   * Receives the events of all lists, as `Server.followAll` does. The first event is `hello`, or `joined` if another window has the
   * stream.
   * @throws {DOMException} if the browser forbids locks
   */
  async followAll(signal, onEvent) {
    const name = `all ${this.#name}`;
    const channel = new BroadcastChannel(name);
    const lead = () => {
      channel.onmessage = null;
      return this.#server.followAll(signal, (event, data) => {
        channel.postMessage({ event, data });
        onEvent(event, data);
      });
    };
    channel.onmessage = ({ data: { event, data } }) => onEvent(event, data);
    try {
      const options = { ifAvailable: true };
      const isFirst = await navigator.locks.request(name, options, async (lock) => {
        if (lock) await lead();
        return lock !== null;
      });
      if (isFirst || signal.aborted) return;
      onEvent("joined", {});
      await navigator.locks.request(name, { signal }, lead);
    } finally {
      channel.close();
    }
  }

  /** Receives the events from another window, until this window gets the lock and has the stream itself. */
  async #join({ list, name, channel, lead, version, signal, onOpen, onEvent }) {
    /** Ends the own stream. */
    const joined = new AbortController();
    const failed = new AbortController();
    /** The events of the other window before this window has their predecessors. */
    let early = [];
    channel.onmessage = ({ data: { event, data } }) => {
      if (early) early.push([event, data]);
      else onEvent(event, data);
    };
    const onCurrent = () => {
      for (const one of early.splice(0)) onEvent(...one);
      early = null;
    };
    const signals = { signal, read: joined };
    const reading = catchUp(this.#server, list, version, signals, onOpen, onEvent, onCurrent);
    const options = { signal: AbortSignal.any([signal, failed.signal]) };
    const turn = navigator.locks.request(name, options, () => {
      channel.onmessage = null;
      joined.abort();
      return lead();
    });
    try {
      await Promise.all([reading, turn]);
    } finally {
      joined.abort();
      failed.abort();
    }
  }
}

/**
 * @param name the streams of connections with the same name are shared; null: each window has its own
 * @returns an object with the method `follow` of `Server`; and `followAll`, if streams can be shared
 */
export function makeStreams(server, name) {
  const canShare = name !== null && globalThis.navigator?.locks && globalThis.BroadcastChannel;
  if (canShare) return new SharedStreams(server, name);
  return { follow: (...parts) => server.follow(...parts) };
}
