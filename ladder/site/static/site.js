// What every page has: times and days as the reader writes them, an address that is the same in all languages, and a
// service worker that says so where there is no connection.
// @ts-check

const DAY_LENGTH = "2027-01-15".length;
const language = document.documentElement.lang;
/** The reader's own kind of the page's language, such as en-GB, if the browser says one. */
const locale = navigator.languages.find((each) => each.split("-")[0] === language.split("-")[0]) ?? language;

/** @param {HTMLTimeElement} element */
function localise(element) {
  const time = new Date(element.dateTime);
  if (Number.isNaN(time.getTime())) return;
  element.title = element.textContent ?? "";
  /** @type {Intl.DateTimeFormatOptions} */
  const form = element.dateTime.length === DAY_LENGTH ? { dateStyle: "medium", timeZone: "UTC" } : { dateStyle: "medium", timeStyle: "short" };
  element.textContent = new Intl.DateTimeFormat(locale, form).format(time);
}

for (const element of document.querySelectorAll("time[datetime]")) {
  localise(/** @type {HTMLTimeElement} */ (element));
}

for (const element of document.querySelectorAll("svg text[data-day]")) {
  const day = new Date(element.getAttribute("data-day") ?? "");
  element.textContent = new Intl.DateTimeFormat(locale, { dateStyle: "medium", timeZone: "UTC" }).format(day);
}

const address = new URL(location.href);
if (address.searchParams.has("lang")) {
  address.searchParams.delete("lang"); // the server remembers it
  history.replaceState(null, "", address);
}

if ("serviceWorker" in navigator) {
  addEventListener("load", () => void navigator.serviceWorker.register("/sw.js").catch(() => {})); // a browser may refuse it
}
