// A line that a button copies, where the browser lets it.
// @ts-check

class CopyLine extends HTMLElement {
  connectedCallback() {
    const field = this.querySelector("input");
    const button = this.querySelector("button");
    if (!field || !button) {
      return;
    }
    field.addEventListener("focus", () => field.select());
    button.hidden = !navigator.clipboard;
    button.addEventListener("click", async () => {
      await navigator.clipboard.writeText(field.value);
      button.textContent = this.dataset.copied ?? "";
    });
  }
}

customElements.define("copy-line", CopyLine);
