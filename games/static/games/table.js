// The table with a script: it goes on by itself, keeps the focus, counts the time, takes keys. Without this file the page
// works by its forms.
"use strict";

(() => {
  const page = document.getElementById("table-page");
  if (!page) return;
  const HEARTBEAT_MS = 20000; // tells that the person is there; a hidden page may have to wait a minute, and says that it is hidden
  const LOST_MS = 3000; // how often a page without its stream asks
  const SHORT_S = [30, 10]; // when it is said that time is short
  const CARD_KEYS = ["Digit1", "Digit2", "Digit3", "Digit4", "Digit5", "Digit6", "Digit7", "Digit8", "Digit9", "Digit0", "KeyA", "KeyB"];

  const FIRST = ["#amount", "[data-enter]", "#hand button:not([aria-disabled])", "#controls button"]; // gets the focus on one's turn

  const polite = document.getElementById("polite");
  const assertive = document.getElementById("assertive");
  const lost = document.getElementById("lost");
  const now = () => document.getElementById("table");

  let chosen = new URLSearchParams(location.search).get("choose") || "";
  let asked = 0; // requests sent; an answer that is overtaken is not shown
  let shown = 0;
  let away = false; // the connection
  let refocus = false; // the focused control went with what was pressed: the next control gets the focus
  let picked = false; // a card was just chosen: the button that sends it gets the focus
  let told = { deal: "", lines: 0, question: "" };
  let clock = null;

  // --- What the server says -------------------------------------------------------------------------------

  async function fetchNow(force) {
    const number = ++asked;
    const query = new URLSearchParams();
    if (chosen) query.set("choose", chosen);
    if (!force) query.set("v", now().dataset.version);
    if (document.hidden) query.set("hidden", "1");
    try {
      const answer = await fetch(`${page.dataset.now}?${query}`, { headers: { "X-Table": "1" }, credentials: "same-origin" });
      if (answer.status === 204) connection(true);
      else await show(answer, number);
    } catch {
      connection(false);
    }
  }

  async function send(form, submitter) { // a button is named "action" too, and form.action would be that
    const number = ++asked;
    const body = new URLSearchParams(new FormData(form, submitter));
    now().setAttribute("aria-busy", "true");
    chosen = "";
    picked = false;
    try {
      const answer = await fetch(form.getAttribute("action"), { method: "POST", body, headers: { "X-Table": "1" }, credentials: "same-origin" });
      await show(answer, number);
    } catch {
      now().removeAttribute("aria-busy");
      connection(false);
    }
  }

  async function show(answer, number) {
    if (!answer.ok) {
      if (answer.status < 500) location.reload(); // signed out, or no such table any more
      throw new Error(String(answer.status));
    }
    const text = await answer.text();
    connection(true);
    if (number < shown) return;
    shown = number;
    const made = new DOMParser().parseFromString(text, "text/html").getElementById("table");
    if (made) replace(document.importNode(made, true));
  }

  function replace(made) {
    const old = now();
    const focused = old.contains(document.activeElement) ? document.activeElement : null;
    const key = focused?.dataset.key;
    const amount = old.querySelector("#amount")?.value;
    const samePhase = old.dataset.phase === made.dataset.phase && old.dataset.deal === made.dataset.deal;
    for (const details of old.querySelectorAll("details[id]")) {
      const twin = made.querySelector(`#${details.id}`);
      if (details.dataset.byPhase !== undefined && !samePhase) continue;
      if (twin && details.dataset.keep !== undefined) twin.open = details.open;
      else if (twin) twin.open = details.open && old.dataset.question === made.dataset.question;
    }
    old.replaceWith(made);
    prepare();
    const select = made.querySelector("#amount");
    if (select && old.dataset.question === made.dataset.question && amount) select.value = amount;
    restore(focused, samePhase || !focused?.dataset.card ? key : "");
    announce();
  }

  function restore(focused, key) {
    const confirm = picked && now().querySelector("#confirm");
    if (confirm) {
      picked = false;
      return confirm.focus({ preventScroll: true });
    }
    if (focused) {
      const twin = key && now().querySelector(`[data-key="${key}"]`);
      if (twin) return twin.focus({ preventScroll: true });
      refocus = true;
    }
    if (now().dataset.over !== undefined) return focused && document.getElementById("again")?.focus();
    if (refocus && now().dataset.yourTurn !== undefined) {
      const next = FIRST.map((what) => now().querySelector(what)).find(Boolean);
      if (next) {
        refocus = false;
        next.focus({ preventScroll: true });
      }
    }
  }

  function connection(good) {
    if (good !== away) return;
    away = !good;
    lost.hidden = good;
    lost.textContent = good ? "" : page.dataset.saidLost;
    say(polite, good ? page.dataset.saidBack : page.dataset.saidLost);
    if (away) setTimeout(retry, LOST_MS);
  }

  function retry() {
    if (!away) return;
    fetchNow(true).finally(() => away && setTimeout(retry, LOST_MS));
  }

  let source = null;
  function listen() {
    if (now().dataset.over !== undefined) return;
    source = new EventSource(page.dataset.stream);
    source.addEventListener(page.dataset.channel, () => fetchNow(false));
    source.addEventListener("again", () => fetchNow(true));
    source.onopen = () => fetchNow(false);
  }

  // Without its stream (a proxy, a server that starts again) the page asks by itself.
  setInterval(() => {
    if (now().dataset.over !== undefined) return source?.close();
    if (source && source.readyState === EventSource.CLOSED) listen();
    if (!source || source.readyState !== EventSource.OPEN) fetchNow(false);
  }, LOST_MS);
  setInterval(() => now().dataset.over === undefined && fetchNow(false), HEARTBEAT_MS);
  // Hidden, it says so at once: its timers may stand still from now on but for one beat a minute.
  let leaving = false;
  addEventListener("pagehide", () => (leaving = true));
  addEventListener("pageshow", () => (leaving = false));
  document.addEventListener("visibilitychange", () => leaving || now().dataset.over !== undefined || fetchNow(!document.hidden));

  // --- What is said aloud ---------------------------------------------------------------------------------

  function say(region, text) {
    if (text) region.textContent = region.textContent === text ? `${text}\u00a0` : text;
  }

  function announce() {
    const table = now();
    const lines = [...table.querySelectorAll("#lines li")];
    const from = table.dataset.deal === told.deal ? told.lines : 0;
    const news = lines.slice(from).map((line) => line.dataset.spoken);
    if (table.dataset.deal !== told.deal && told.deal) news.unshift(...result(table));
    told.deal = table.dataset.deal;
    told.lines = lines.length;
    const words = [...table.querySelectorAll(".notice")].map((notice) => notice.textContent.trim());
    say(polite, [...words, ...news.slice(-12)].join(" "));
    const question = table.dataset.yourTurn !== undefined ? table.dataset.question : "";
    if (question && question !== told.question) {
      const [turn, prompt] = [page.dataset.saidTurn, table.querySelector("#prompt")?.textContent.trim() ?? ""];
      say(assertive, prompt.startsWith(turn) ? prompt : `${turn} ${prompt}`);
    }
    if (table.dataset.over !== undefined && told.question !== "over") {
      say(assertive, table.querySelector("#outcome h2")?.textContent ?? "");
      told.question = "over";
    } else told.question = question;
  }

  function result(table) {
    const found = table.querySelector(".result");
    if (!found) return [];
    const rows = [...found.querySelectorAll("tbody tr")].map((row) => [...row.cells].map((cell) => cell.textContent.trim()).join(", "));
    return [found.querySelector("h2").textContent.trim().replace(/\s+/g, " "), ...rows.map((row) => `${row}.`)];
  }

  // --- The clock ------------------------------------------------------------------------------------------

  function startClock() {
    const { leftMs, bankMs } = now().dataset;
    clock = leftMs === undefined ? null : { ends: performance.now() + Number(leftMs), bank: Number(bankMs), said: SHORT_S.length };
    if (clock) clock.said = SHORT_S.filter((seconds) => Number(leftMs) / 1000 > seconds).length;
    tick();
  }

  function minutes(ms) {
    const seconds = Math.ceil(ms / 1000);
    return `${Math.floor(seconds / 60)}:${String(seconds % 60).padStart(2, "0")}`;
  }

  function tick() {
    const box = document.getElementById("clock");
    if (!clock || !box || away) return;
    const left = Math.max(0, clock.ends - performance.now());
    box.querySelector("[data-clock=act]").textContent = minutes(Math.max(0, left - clock.bank));
    box.querySelector("[data-clock=bank]").textContent = minutes(Math.min(clock.bank, left));
    box.classList.toggle("short", left <= SHORT_S[0] * 1000 || left <= clock.bank);
    const seconds = SHORT_S[SHORT_S.length - clock.said];
    if (clock.said && left <= seconds * 1000) {
      clock.said -= 1;
      say(assertive, page.dataset.saidShort.replace("{n}", String(Math.ceil(left / 1000))));
    }
  }
  setInterval(tick, 250);

  // --- What is pressed ------------------------------------------------------------------------------------

  function prepare() {
    for (const button of now().querySelectorAll("[data-step]")) button.hidden = false;
    startClock();
  }

  function choose(card) {
    chosen = chosen === card ? "" : card;
    picked = Boolean(chosen);
    fetchNow(true);
  }

  function step(by) {
    const select = document.getElementById("amount");
    if (!select) return;
    select.selectedIndex = Math.max(0, Math.min(select.options.length - 1, select.selectedIndex + by));
  }

  page.addEventListener("submit", (event) => {
    const form = event.target;
    if (!now().contains(form) || form.closest("#outcome")) return;
    event.preventDefault();
    if (now().getAttribute("aria-busy")) return;
    if (form.dataset.choosing !== undefined) return choose(event.submitter.value);
    if (form.id === "hand" && !event.submitter) return;
    send(form, event.submitter);
  });

  page.addEventListener("click", (event) => {
    const target = event.target.closest("[data-step], [data-undo], [data-reason]");
    if (!target || !now().contains(target)) return;
    if (target.dataset.step) step(Number(target.dataset.step));
    if (target.dataset.reason) {
      document.getElementById("reason")?.classList.add("asked");
      say(polite, target.dataset.reason);
    }
    if (target.dataset.undo !== undefined) {
      event.preventDefault();
      chosen = "";
      picked = false;
      fetchNow(true);
    }
  });

  // --- Keys -----------------------------------------------------------------------------------------------

  function toggle(id) {
    const details = document.getElementById(id);
    if (!details) return false;
    details.open = !details.open;
    details.querySelector("summary").focus();
    if (details.open) say(polite, id === "last-trick" ? details.querySelector("p").textContent.trim().replace(/\s+/g, " ") : "");
    return true;
  }

  function alongHand(by) {
    const cards = [...now().querySelectorAll("#hand .card-button")];
    if (!cards.length) return false;
    const at = cards.indexOf(document.activeElement);
    const next = at < 0 ? (by > 0 ? 0 : cards.length - 1) : (at + by + cards.length) % cards.length;
    cards[next].focus();
    return true;
  }

  function press(button) {
    if (!button) return false;
    refocus = true;
    button.click();
    return true;
  }

  function card(index, melds) {
    const one = now().querySelectorAll("#hand li")[index];
    if (!one) return false;
    const button = melds ? one.querySelector(".meld-button") : one.querySelector(".card-button");
    if (button?.dataset.reason) button.focus();
    return press(button);
  }

  function pressed(event) {
    const { code, key, shiftKey } = event;
    const inSelect = event.target.matches("select");
    if (key === "?") return toggle("help");
    if (key === "Enter") {
      // Enter presses what has the focus by itself, but a card that cannot be played or is chosen already
      const own = event.target.closest("button:not([aria-disabled], [aria-pressed=true]), a, summary");
      return !own && press(now().querySelector("[data-enter]"));
    }
    if (key === "Escape") return chosen ? press(now().querySelector("[data-undo]")) : false;
    if (inSelect && event.target.id !== "amount") return false;
    if (key === "ArrowUp" || key === "ArrowDown") {
      if (!document.getElementById("amount")) return false;
      step(key === "ArrowUp" ? 1 : -1);
      document.getElementById("amount").focus();
      return true;
    }
    if (key === "ArrowLeft" || key === "ArrowRight") return alongHand(key === "ArrowRight" ? 1 : -1);
    const index = CARD_KEYS.indexOf(code);
    if (index >= 0) return card(index, shiftKey);
    if (code === "KeyL") return toggle("last-trick");
    const letter = /^Key([A-Z])$/.exec(code)?.[1].toLowerCase();
    return letter ? press(now().querySelector(`[data-letter="${letter}"]`)) : false;
  }

  document.addEventListener("keydown", (event) => {
    if (event.defaultPrevented || event.ctrlKey || event.altKey || event.metaKey || event.repeat) return;
    if (event.target.matches("input, textarea")) return;
    if (pressed(event)) event.preventDefault();
  });

  prepare();
  told.deal = now().dataset.deal;
  told.lines = now().querySelectorAll("#lines li").length;
  announce();
  listen();
})();
