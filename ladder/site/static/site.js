// What every page has: times in the reader's own zone.
// @ts-check

/** @param {HTMLTimeElement} element */
function localise(element) {
  const time = new Date(element.dateTime);
  if (Number.isNaN(time.getTime())) return;
  element.title = element.textContent ?? "";
  element.textContent = new Intl.DateTimeFormat(document.documentElement.lang, {
    dateStyle: "medium",
    timeStyle: "short",
  }).format(time);
}

for (const element of document.querySelectorAll("time[datetime]")) {
  localise(/** @type {HTMLTimeElement} */ (element));
}
