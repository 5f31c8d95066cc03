// Progressive extras: every page reads and works without this file.
"use strict";

// Tables of class "sortable": each heading with text becomes a button that sorts the rows, within each tbody.
// A cell's data-sort is its key (plain numbers, the same in every language); else its text, as a number where it is
// one. Cells without a key stay last. Numbers begin with the largest, words with A. data-plain: a heading stays one.
function sortKey(row, column) {
  const cell = row.cells[column];
  const text = (cell?.dataset.sort ?? cell?.textContent ?? "").trim();
  const number = Number(text.replace(/[−–]/g, "-").replace(/[,\s%]/g, ""));
  if (text === "" || text === "–") return null;
  return Number.isNaN(number) ? text.toLowerCase() : number;
}

function compare(a, b, sign) {
  if (a === null || b === null) return (a === null) - (b === null);
  if (typeof a === "number" && typeof b === "number") return sign * (a - b);
  if (typeof a === "number") return -1;
  if (typeof b === "number") return 1;
  return sign * a.localeCompare(b, document.documentElement.lang);
}

function sortBy(table, heading, column) {
  const before = heading.getAttribute("aria-sort");
  const first = heading.classList.contains("num") ? "descending" : "ascending";
  const direction = before === null ? first : before === "ascending" ? "descending" : "ascending";
  for (const other of table.tHead.rows[0].cells) other.removeAttribute("aria-sort");
  heading.setAttribute("aria-sort", direction);
  const sign = direction === "ascending" ? 1 : -1;
  for (const body of table.tBodies) {
    const rows = [...body.rows];
    rows.sort((one, two) => compare(sortKey(one, column), sortKey(two, column), sign));
    body.append(...rows);
  }
}

function makeSortable(table) {
  if (!table.tHead || !table.tBodies.length) return;
  [...table.tHead.rows[0].cells].forEach((heading, column) => {
    if (!heading.textContent.trim() || "plain" in heading.dataset || heading.querySelector("button")) return;
    const button = document.createElement("button");
    button.type = "button";
    button.append(...heading.childNodes);
    button.addEventListener("click", () => sortBy(table, heading, column));
    heading.append(button);
  });
}
document.querySelectorAll("table.sortable").forEach(makeSortable);

// Menus close by Escape, by a press elsewhere, and when another one opens.
const menus = [...document.querySelectorAll("details.menu")];
function closeMenus(except) {
  for (const menu of menus) if (menu !== except) menu.open = false;
}
document.addEventListener("click", (event) => closeMenus(event.target.closest("details.menu")));
document.addEventListener("keydown", (event) => {
  const open = event.key === "Escape" && menus.find((menu) => menu.open);
  if (!open) return;
  open.open = false;
  open.querySelector("summary").focus();
});

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
