// What a page keeps in the browser for the next visit. A browser may refuse that; then nothing is kept.
// @ts-check

/** @param {string} key @returns {string | null} */
export function kept(key) {
  try {
    return localStorage.getItem(key);
  } catch {
    return null;
  }
}

/** @param {string} key @param {string} value */
export function keep(key, value) {
  try {
    localStorage.setItem(key, value);
  } catch {
    // The browser refuses it.
  }
}
