// What stands beside the table, one part at a time: the points, or the log. Screen readers hear the log all the time.
// @ts-check

export class Tabs {
  /** @param {HTMLElement} list The tabs, each with the id of its panel in `aria-controls`. */
  constructor(list) {
    this.tabs = /** @type {HTMLElement[]} */ ([...list.querySelectorAll("[role=tab]")]);
    list.addEventListener("click", (event) => {
      const tab = /** @type {Element} */ (event.target).closest("[role=tab]");
      if (tab) {
        this.open(tab.id);
      }
    });
    list.addEventListener("keydown", (event) => this.#press(event));
  }

  /** Show one. @param {string} id */
  open(id) {
    for (const tab of this.tabs) {
      const isOpen = tab.id === id;
      tab.setAttribute("aria-selected", String(isOpen));
      tab.tabIndex = isOpen ? 0 : -1;
      const panel = /** @type {HTMLElement} */ (document.getElementById(tab.getAttribute("aria-controls") ?? ""));
      panel.classList.toggle("behind-tab", !isOpen);
      for (const list of panel.querySelectorAll("[role=log]")) {
        /** @type {HTMLElement} */ (list).tabIndex = isOpen ? 0 : -1;
        list.scrollTop = list.scrollHeight;
      }
    }
  }

  /** @param {KeyboardEvent} event */
  #press(event) {
    const at = this.tabs.indexOf(/** @type {HTMLElement} */ (event.target));
    const way = { ArrowLeft: -1, ArrowRight: 1 }[event.key];
    if (at >= 0 && way) {
      event.preventDefault();
      const next = this.tabs[(at + way + this.tabs.length) % this.tabs.length];
      this.open(next.id);
      next.focus();
    }
  }
}
