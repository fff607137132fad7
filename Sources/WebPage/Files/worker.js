// The service worker: it stores the page's files, so that the page opens without a network. It never responds to requests of the API.
//
// Each build of the page has its own worker, at the path of its files, and its own cache.

const folder = location.pathname.replace(/[^/]*$/, "");
/** The path of the page: `/`, or the path below which a proxy has the server. */
const root = folder.replace(/web\/[^/]*\/$/, "");
const prefix = `reorderd page ${root}web/`;
const cacheName = `reorderd page ${folder}`;
/** With a bad network, the stored page is shown after this time. */
const patienceMilliseconds = 3_000;

addEventListener("install", (event) => event.waitUntil(store().then(() => skipWaiting())));
addEventListener("activate", (event) => event.waitUntil(activate()));
addEventListener("fetch", (event) => {
  const { request } = event;
  const { origin, pathname } = new URL(request.url);
  if (request.method !== "GET" || origin !== location.origin) return;
  if (request.mode === "navigate" && pathname === root) event.respondWith(page(event));
  else if (pathname.startsWith(folder)) event.respondWith(file(request));
});

/** Stores the document and the files that it names: all of them or none. */
async function store() {
  const document = await fetch(root, { cache: "no-cache" });
  const text = await document.clone().text();
  const paths = new Set(text.match(/(?<=")web\/[\w/.-]+/g)?.map((path) => root + path));
  if (!paths.has(`${folder}app.js`)) throw new Error("The server has another build.");
  const cache = await caches.open(cacheName);
  for (const path of paths) {
    const response = await fetch(path);
    if (!response.ok) throw new Error(`${path}: status ${response.status}`);
    await cache.put(path, unvaried(response));
  }
  await cache.put(root, unvaried(document));
}

/** A response that answers each request for its path. A server or a proxy that adds `Vary` does not mean the page. */
function unvaried({ body, status, headers }) {
  const others = [...headers].filter(([name]) => name !== "vary");
  return new Response(body, { status, headers: others });
}

/** What is stored for a path; undefined if nothing is, or if the browser has no storage. */
async function stored(path) {
  try {
    return await (await caches.open(cacheName)).match(path);
  } catch {
    return undefined;
  }
}

async function activate() {
  for (const name of await caches.keys())
    if (name.startsWith(prefix) && name !== cacheName) await caches.delete(name);
  await clients.claim();
}

/**
 * The server's document, or the stored one if the server does not respond, or responds with an error. If the document is not stored
 * any more, the server has as much time as it needs.
 */
async function page(event) {
  const response = fetch(event.request);
  const late = new Promise((resolve) => setTimeout(resolve, patienceMilliseconds));
  const isUsable = (one) => one !== undefined && !isError(one);
  const first = await Promise.race([response.catch(() => undefined), late]);
  if (isUsable(first)) return first;
  const document = await stored(root);
  if (document !== undefined) return document;
  event.waitUntil(response.then(store).catch(() => {})); // the browser has removed it
  return response;
}

/** Errors of the server or of a proxy. Those that ask the person to log in are not among them. */
function isError({ status }) {
  return status >= 400 && ![401, 407, 511].includes(status);
}

async function file(request) {
  return (await stored(new URL(request.url).pathname)) ?? fetch(request);
}
