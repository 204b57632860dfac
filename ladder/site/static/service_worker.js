// The service worker: without a connection it shows a page that says so. It keeps that page and its style sheet alone.
// @ts-check

const OFFLINE = "/offline";
const STORE = "pigpen-offline";
const worker = /** @type {any} */ (self);

/** Keep the page and what it names, in place of those from before. */
async function keep() {
  const response = await fetch(OFFLINE, { cache: "reload" });
  const text = await response.clone().text();
  const named = [...text.matchAll(/<link rel="(?:stylesheet|icon)" href="([^"]+)"/g)].map((found) => found[1]);
  await caches.delete(STORE);
  const store = await caches.open(STORE);
  await store.put(OFFLINE, response);
  await store.addAll(named);
}

/** @param {any} event */
async function answered(event) {
  try {
    return (await event.preloadResponse) ?? (await fetch(event.request));
  } catch {
    return (await caches.match(OFFLINE)) ?? Response.error();
  }
}

worker.addEventListener("install", (/** @type {any} */ event) => event.waitUntil(keep().then(() => worker.skipWaiting())));
worker.addEventListener("activate", (/** @type {any} */ event) => {
  event.waitUntil(worker.registration.navigationPreload?.enable());
});
worker.addEventListener("fetch", (/** @type {any} */ event) => {
  if (event.request.mode === "navigate" && event.request.method === "GET") {
    event.respondWith(answered(event));
  } else if (event.request.destination === "style" || event.request.url.endsWith("/icon.svg")) {
    event.respondWith(fetch(event.request).catch(async () => (await caches.match(event.request)) ?? Response.error()));
  }
});
