// The service worker: it stores the page's files, so that the page opens without a network. It never responds to requests of the API.
//
// Each build of the page has its own worker, at the path of its files, and its own cache.

const folder = location.pathname.replace(/[^/]*$/, "");
const prefix = "reorderd page ";
const cacheName = prefix + folder;
/** With a bad network, the stored page is shown after this time. */
const patienceMilliseconds = 3_000;

addEventListener("install", (event) => event.waitUntil(install()));
addEventListener("activate", (event) => event.waitUntil(activate()));
addEventListener("fetch", (event) => {
  const { request } = event;
  const { origin, pathname } = new URL(request.url);
  if (request.method !== "GET" || origin !== location.origin) return;
  if (request.mode === "navigate" && pathname === "/") event.respondWith(page(request));
  else if (pathname.startsWith(folder)) event.respondWith(file(request));
});

/** Stores the document, the files that it names, and the modules that these import: all of them or none. */
async function install() {
  const document = await fetch("/", { cache: "no-cache" });
  const text = await document.clone().text();
  const paths = new Set(text.match(/\/web\/[\w/.-]+/g));
  if (!paths.has(`${folder}app.js`)) throw new Error("The server has another build.");
  const cache = await caches.open(cacheName);
  for (const path of paths) {
    const response = await fetch(path);
    if (!response.ok) throw new Error(`${path}: status ${response.status}`);
    await cache.put(path, response.clone());
    if (!path.endsWith(".js")) continue;
    for (const [, name] of (await response.text()).matchAll(/from "\.\/([\w.-]+)"/g))
      paths.add(folder + name); // the loop visits it later
  }
  await cache.put("/", document);
  await skipWaiting();
}

async function activate() {
  for (const name of await caches.keys())
    if (name.startsWith(prefix) && name !== cacheName) await caches.delete(name);
  await clients.claim();
}

/** The server's document, or the stored one if the server does not respond. */
async function page(request) {
  const stored = async () => (await caches.open(cacheName)).match("/");
  const late = new Promise((resolve) => setTimeout(resolve, patienceMilliseconds));
  try {
    const response = await Promise.race([fetch(request), late.then(stored)]);
    if (response.status < 500) return response;
  } catch {
    // There is no network.
  }
  return (await stored()) ?? Response.error();
}

async function file(request) {
  return (await (await caches.open(cacheName)).match(request)) ?? fetch(request);
}
