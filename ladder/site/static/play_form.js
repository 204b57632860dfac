// The form for a table: choosing a single opponent is choosing not to have one level for all.
// @ts-check

const chosen = document.querySelector("input[name=level][value=chosen]");
for (const chair of document.querySelectorAll("select[name^=chair]")) {
  chair.addEventListener("change", () => {
    if (chosen instanceof HTMLInputElement) {
      chosen.checked = true;
    }
  });
}
