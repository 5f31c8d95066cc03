// Progressive extras: every page reads and works without this file.
"use strict";

// Tables of class "sortable": each heading with text becomes a button that sorts the rows of the first tbody.
// A cell's data-sort is its key; else its text, as a number where it is one.
function sortKey(row, column) {
  const cell = row.cells[column];
  const text = (cell?.dataset.sort ?? cell?.textContent ?? "").trim();
  const number = Number(text.replace(/[−–]/g, "-").replace(/[,\s%]/g, ""));
  return text !== "" && !Number.isNaN(number) ? number : text.toLowerCase();
}

function compare(a, b) {
  if (typeof a === "number" && typeof b === "number") return a - b;
  if (typeof a === "number") return -1;
  if (typeof b === "number") return 1;
  return a.localeCompare(b);
}

function sortBy(table, heading, column) {
  const direction = heading.getAttribute("aria-sort") === "descending" ? "ascending" : "descending";
  for (const other of table.tHead.rows[0].cells) other.removeAttribute("aria-sort");
  heading.setAttribute("aria-sort", direction);
  const sign = direction === "ascending" ? 1 : -1;
  const rows = [...table.tBodies[0].rows];
  rows.sort((one, two) => sign * compare(sortKey(one, column), sortKey(two, column)));
  table.tBodies[0].append(...rows);
}

for (const table of document.querySelectorAll("table.sortable")) {
  if (!table.tHead || !table.tBodies.length) continue;
  [...table.tHead.rows[0].cells].forEach((heading, column) => {
    if (!heading.textContent.trim()) return;
    const button = document.createElement("button");
    button.type = "button";
    button.append(...heading.childNodes);
    button.addEventListener("click", () => sortBy(table, heading, column));
    heading.append(button);
  });
}

// A link to #d3 or #d3t5s1 opens the deal it points into.
function openTarget() {
  const name = decodeURIComponent(location.hash.slice(1));
  const target = name && document.getElementById(name);
  if (!target) return;
  for (let at = target; at; at = at.parentElement) if (at.tagName === "DETAILS") at.open = true;
  target.scrollIntoView();
}
addEventListener("hashchange", openTarget);
openTarget();
