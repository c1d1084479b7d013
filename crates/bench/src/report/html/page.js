"use strict";
(() => {
  const all = (selector, of = document) => Array.from(of.querySelectorAll(selector));

  // A click on a head sorts by it; what has no value stays at the end.
  function sort(head) {
    const table = head.closest("table");
    const place = Array.from(head.parentNode.children).indexOf(head);
    const up = head.getAttribute("aria-sort") !== "ascending";
    const sign = up ? 1 : -1;
    all("th[aria-sort]", table).forEach((other) => other.removeAttribute("aria-sort"));
    head.setAttribute("aria-sort", up ? "ascending" : "descending");
    const body = table.tBodies[0];
    const value = (row) => row.children[place].dataset.value ?? "";
    const rows = Array.from(body.rows).map((row, n) => ({ row, n, value: value(row) }));
    rows.sort((a, b) => {
      if (a.value === "" || b.value === "") return (a.value === "") - (b.value === "") || a.n - b.n;
      const [x, y] = [Number(a.value), Number(b.value)];
      const order = Number.isNaN(x) || Number.isNaN(y) ? a.value.localeCompare(b.value) : x - y;
      return sign * order || a.n - b.n;
    });
    body.append(...rows.map((one) => one.row));
  }
  all("th button").forEach((button) => button.addEventListener("click", () => sort(button.closest("th"))));

  // Rows by their name, sections by their shape and their load tool.
  const name = document.getElementById("by-name");
  const selects = all(".filter select");
  const said = document.getElementById("shown");
  function filter() {
    const wanted = name.value.trim().toLowerCase();
    const shown = new Set();
    const every = new Set();
    all("[data-name]").forEach((row) => {
      row.hidden = wanted !== "" && !row.dataset.name.toLowerCase().includes(wanted);
      every.add(row.dataset.name);
      if (!row.hidden) shown.add(row.dataset.name);
    });
    all("[data-shape]").forEach((section) => {
      // What is of several load tools says none.
      const own = (one) => section.dataset[one.name] ?? one.value;
      section.hidden = selects.some((one) => one.value !== "" && own(one) !== one.value);
    });
    said.textContent = wanted === "" ? "" : `${shown.size} of ${every.size} targets`;
  }
  if (name) {
    name.addEventListener("input", filter);
    selects.forEach((one) => one.addEventListener("change", filter));
    filter();
  }

  all(".copy").forEach((button) => button.addEventListener("click", async () => {
    const command = button.parentNode.querySelector(".command");
    let words = "copied";
    try {
      await navigator.clipboard.writeText(command.textContent);
    } catch {
      // A page that was opened as a file may not write to the clipboard: the text is marked for the keyboard.
      getSelection().selectAllChildren(command);
      words = "marked";
    }
    button.textContent = words;
    setTimeout(() => { button.textContent = "copy"; }, 1500);
  }));
})();
