const files = ["./", "reorderd.js"].map((path) => new URL(path, location).href);

addEventListener("install", (event) => event.waitUntil(caches.open("app").then((cache) => cache.addAll(files))));
addEventListener("fetch", (event) => {
  if (files.includes(event.request.url.split("#")[0])) event.respondWith(respond(event.request));
});

async function respond(request) {
  const cache = await caches.open("app");
  try {
    const response = await fetch(request);
    if (response.ok) await cache.put(request, response.clone());
    return response;
  } catch {
    return (await cache.match(request)) ?? Response.error();
  }
}
