// Pages that update themselves: what carries data-live is drawn again when its channel tells something. Without this
// file they read as they were made.
//
// #live-note says where: data-stream the address, data-since when the page was made, data-as how tables are pushed.
//   data-live="live:12" data-push   the event is the new piece itself
//   data-live="ladder:3"            the page is fetched again and the piece of the same id taken out of it
"use strict";

const note = document.getElementById("live-note");
const FIRST_MS = 150; // a burst of events is one change
const APART_MS = 4000; // a page is not fetched more often
const POLL_MS = 30000; // how often a page looks that gets no stream: too many are open
const LEAVE_MS = 4000; // how long the end of a match is shown before its page opens

const pieces = () => [...document.querySelectorAll("[data-live]")];
const changed = new Set();
let source = null;
let watched = "";
let timer = 0;
let poll = 0;
let fetched = 0;

function say(key, aloud) {
  const text = note.dataset[key];
  note.querySelector(".live-state").textContent = text;
  if (aloud) note.querySelector("[role=status]").textContent = text;
}

// Put a new piece in the place of an old one: what is open stays open, the focus stays where it is, scrolled boxes too.
function put(old, fresh) {
  const kept = (root) => [...root.querySelectorAll("details[data-keep]")];
  const open = new Set(kept(old).filter((box) => box.open).map((box) => box.dataset.keep));
  for (const box of kept(fresh)) box.open = open.has(box.dataset.keep);
  const focusable = (root) => [...root.querySelectorAll("a[href], button, summary, [tabindex]")];
  const at = focusable(old).indexOf(document.activeElement);
  const sorted = [...old.querySelectorAll("table.sortable")].map((table) => sorting(table));
  const boxes = [...old.querySelectorAll(".table-scroll")].map((box) => [box.scrollLeft, box.scrollTop]);
  old.replaceWith(fresh);
  [...fresh.querySelectorAll(".table-scroll")].forEach((box, place) => {
    if (boxes[place]) [box.scrollLeft, box.scrollTop] = boxes[place];
  });
  if (at >= 0) focusable(fresh)[at]?.focus({ preventScroll: true });
  [...fresh.querySelectorAll("table.sortable")].forEach((table, place) => {
    window.makeSortable?.(table);
    if (sorted[place]) sortAgain(table, ...sorted[place]);
  });
}

// By which column a table is sorted, and how; nothing for one as it came.
function sorting(table) {
  const headings = [...(table.tHead?.rows[0].cells ?? [])];
  const column = headings.findIndex((heading) => heading.hasAttribute("aria-sort"));
  return column < 0 ? null : [column, headings[column].getAttribute("aria-sort")];
}

function sortAgain(table, column, direction) {
  const heading = table.tHead?.rows[0].cells[column];
  for (let tries = 0; heading && tries < 2 && heading.getAttribute("aria-sort") !== direction; tries += 1) {
    window.sortBy?.(table, heading, column);
  }
}

function parsed(html) {
  return new DOMParser().parseFromString(html, "text/html");
}

function push(piece, html) {
  const fresh = parsed(html).body.firstElementChild;
  if (!fresh || !piece.isConnected) return;
  put(piece, fresh);
  if (fresh.dataset.over) leave(fresh.dataset.over);
}

function leave(address) {
  source?.close();
  say("over", true);
  setTimeout(() => location.assign(address), LEAVE_MS);
}

async function fetchAgain() {
  timer = 0;
  if (document.hidden) return; // when it is looked at again
  fetched = Date.now();
  const wanted = [...changed];
  changed.clear();
  try {
    const response = await fetch(location.href, { headers: { "X-Requested-With": "live" } });
    if (!response.ok) throw new Error(String(response.status));
    if (response.redirected && new URL(response.url).pathname !== location.pathname) return leave(response.url);
    const page = parsed(await response.text());
    note.dataset.since = page.getElementById("live-note")?.dataset.since ?? note.dataset.since;
    for (const piece of pieces()) {
      const fresh = wanted.includes(piece.dataset.live) && page.getElementById(piece.id);
      if (fresh) put(piece, fresh);
    }
    if (source?.readyState === EventSource.OPEN) say("on");
    watch();
  } catch {
    for (const channel of wanted) changed.add(channel);
    say("off");
    plan(APART_MS);
  }
}

function plan(spread) {
  if (timer || document.hidden) return;
  const wait = Math.max(FIRST_MS, fetched + APART_MS - Date.now()) + Math.random() * spread;
  timer = setTimeout(fetchAgain, wait);
}

function heard(event) {
  const piece = pieces().filter((one) => one.dataset.live === event.type);
  if (piece.length && "push" in piece[0].dataset) {
    piece.forEach((one) => push(one, event.data));
    return;
  }
  changed.add(event.type);
  plan(JSON.parse(event.data).spread_ms ?? 0);
}

function everythingChanged() {
  for (const piece of pieces()) changed.add(piece.dataset.live);
  plan(APART_MS);
}

function watch() {
  const channels = [...new Set(pieces().map((piece) => piece.dataset.live))].slice(0, 24).sort();
  if (document.hidden || (source && source.readyState !== EventSource.CLOSED && watched === channels.join())) return;
  source?.close();
  watched = channels.join();
  const asked = new URLSearchParams(channels.map((channel) => ["on", channel]));
  asked.set("since", note.dataset.since);
  if (note.dataset.as) asked.set("as", note.dataset.as);
  let broken = false;
  source = new EventSource(`${note.dataset.stream}?${asked}`);
  source.addEventListener("open", () => {
    say("on");
    if (broken) everythingChanged();
    broken = false;
  });
  source.addEventListener("error", () => {
    broken = true;
    if (source.readyState !== EventSource.CLOSED) return say("off");
    say("asks"); // refused, for good as far as the browser is concerned
    clearTimeout(poll);
    poll = setTimeout(everythingChanged, POLL_MS);
  });
  source.addEventListener("again", everythingChanged);
  for (const channel of channels) source.addEventListener(channel, heard);
}

document.addEventListener("visibilitychange", () => {
  if (document.hidden) {
    source?.close();
    clearTimeout(timer);
    timer = 0;
  } else {
    everythingChanged();
    watch();
  }
});
addEventListener("pagehide", () => source?.close());
if (note && "EventSource" in window) watch();
