// Links to a list, which its owner gives to other people.
import { hasArray } from "./answers.js";

const pathOf = (list, share) =>
  `/lists/${encodeURIComponent(list)}/shares${share === undefined ? "" : `/${encodeURIComponent(share)}`}`;

export async function readShares(server, list, { signal } = {}) {
  const { shares } = await server.send("GET", pathOf(list), {
    signal,
    isDocumented: hasArray("shares"),
  });
  return shares;
}

/** @param options `scope`, and perhaps `name`, `expiresAt` and `history` */
export function makeShare(server, list, { scope, name, expiresAt, history }) {
  const body = { scope, name, expiresAt: expiresAt?.toISOString?.() ?? expiresAt, history };
  return server.send("POST", pathOf(list), { body });
}

export async function removeShare(server, list, share) {
  await server.send("DELETE", pathOf(list, share));
}
