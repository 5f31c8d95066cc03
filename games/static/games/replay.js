/*
  Steps through a replay. The stage of the page gets all steps of a deal from the server, one <section> each, and shows
  one of them; nothing is drawn here. Keys: arrows for a step or a trick, brackets or page keys for a deal, space plays.
  Links "#d3t5s1" open the stage at deal 3, trick 5, seat 1. Without this script the same links lead to tables.
*/
"use strict";

(function () {
  const stage = document.getElementById("stage");
  if (!stage) return;
  const find = (selector) => stage.querySelector(selector);
  const box = find("[data-moments]"), views = find("[data-views]"), playing = find("[data-play]");
  const status = find("[data-status]"), link = find("[data-link]");
  const base = stage.dataset.base, deals = Number(stage.dataset.deals), page = "page" in stage.dataset;
  const PAUSE = 1100;
  let deal = 0, step = 0, timer = 0, asked = 0;
  let aim = 0; // the deal that was asked for last: keys that come faster than deals count from it

  const sections = () => Array.from(box.children);
  const trickOf = (section) => section.dataset.trick || "";
  const starts = () =>
    sections().flatMap((section, at, all) => (at && trickOf(all[at - 1]) === trickOf(section) ? [] : [at + 1]));

  function turn(section) {
    for (const zone of section.querySelectorAll("[data-seen]"))
      zone.classList.toggle("down", views.value !== "all" && !zone.dataset.seen.split(" ").includes(views.value));
  }

  function address(number) {
    return `${base}deals/${deal}/?step=${number}&view=${views.value}`;
  }

  function show(number) {
    const all = sections();
    step = Math.min(Math.max(number, 1), all.length);
    all.forEach((section, at) => { section.hidden = at + 1 !== step; });
    const now = all[step - 1];
    turn(now);
    const told = Array.from(now.querySelectorAll(".told, .told .if-up, .told .if-down"))
      .filter((part) => !part.querySelector(".zone") && getComputedStyle(part).display !== "none");
    status.textContent = told.map((part) => part.textContent.trim()).join(" ");
    const targets = { back: step - 1, on: step + 1, "trick-back": trick(-1), "trick-on": trick(1) };
    for (const [name, to] of Object.entries(targets))
      find(`[data-go="${name}"]`).href = address(Math.min(Math.max(to, 1), all.length));
    find('[data-go="deal-back"]').href = `${base}deals/${Math.max(deal - 1, 1)}/?view=${views.value}`;
    find('[data-go="deal-on"]').href = `${base}deals/${Math.min(deal + 1, deals)}/?view=${views.value}`;
    const here = now.dataset.seat && now.dataset.trick ? `#${now.dataset.anchor}` : "";
    if (page) history.replaceState(null, "", address(step));
    else history.replaceState(null, "", here || `#d${deal}`);
    if (link) link.href = here ? `${base}${here}` : address(step);
  }

  function trick(by) {
    const all = starts();
    return by > 0 ? all.find((start) => start > step) ?? sections().length : all.filter((start) => start < step).pop() ?? 1;
  }

  async function open(number, choose) {
    if (number < 1 || number > deals) return pause();
    if (page && deal && number !== deal) {
      const at = choose === last ? 9999 : 1;
      return location.assign(`${base}deals/${number}/?step=${at}&view=${views.value}`);
    }
    const mine = (asked += 1);
    aim = number;
    if (number !== deal) {
      stage.setAttribute("aria-busy", "true");
      const answer = await fetch(`${base}deals/${number}/steps/`).catch(() => null);
      if (mine !== asked) return;
      stage.removeAttribute("aria-busy");
      if (!answer || !answer.ok) { aim = deal; status.textContent = stage.dataset.failed || ""; return pause(); }
      box.innerHTML = await answer.text();
      deal = number;
      const heading = find("[data-deal-title]");
      if (heading) heading.textContent = stage.dataset.title.replace("0", String(number));
    }
    show(choose(sections()));
  }

  const first = () => 1;
  const last = (all) => all.length;
  const moves = {
    back: () => (step > 1 ? show(step - 1) : open(deal - 1, last)),
    on: () => (step < sections().length ? show(step + 1) : open(deal + 1, first)),
    "trick-back": () => show(trick(-1)),
    "trick-on": () => (step < sections().length ? show(trick(1)) : open(deal + 1, first)),
    "deal-back": () => open(Math.max(aim - 1, 1), first),
    "deal-on": () => open(Math.min(aim + 1, deals), first),
  };

  function pause() {
    clearInterval(timer);
    timer = 0;
    playing.textContent = "▷";
    playing.setAttribute("aria-label", playing.dataset.playing);
  }

  function play() {
    if (timer) return pause();
    timer = setInterval(() => (deal === deals && step === sections().length ? pause() : moves.on()), PAUSE);
    playing.textContent = "❚❚";
    playing.setAttribute("aria-label", playing.dataset.pause);
  }

  const keys = {
    ArrowLeft: "back", ArrowRight: "on", ArrowUp: "trick-back", ArrowDown: "trick-on",
    "[": "deal-back", "]": "deal-on", PageUp: "deal-back", PageDown: "deal-on",
  };
  stage.addEventListener("keydown", (event) => {
    if (event.altKey || event.ctrlKey || event.metaKey || event.target.matches("select, input")) return;
    const shifted = event.shiftKey && { ArrowLeft: "trick-back", ArrowRight: "trick-on" }[event.key];
    const move = shifted || keys[event.key];
    if (event.key === " " && !event.target.matches("a, button")) { event.preventDefault(); play(); }
    else if (move) { event.preventDefault(); pause(); moves[move](); }
  });
  stage.addEventListener("click", (event) => {
    const go = event.target.closest("[data-go]");
    if (!go || event.ctrlKey || event.metaKey || event.shiftKey) return;
    event.preventDefault();
    pause();
    moves[go.dataset.go]();
  });
  views.addEventListener("change", () => show(step));
  playing.addEventListener("click", play);
  const copy = find("[data-copy]");
  if (copy && link && navigator.clipboard) {
    copy.hidden = false;
    copy.addEventListener("click", async () => {
      await navigator.clipboard.writeText(link.href);
      status.textContent = copy.dataset.done;
    });
  }

  function enter(number, choose) {
    stage.hidden = false;
    open(number, choose).then(() => { stage.focus({ preventScroll: true }); stage.scrollIntoView({ block: "start" }); });
  }

  function follow() {
    const hash = /^#d(\d+)t(\d+)(?:s(\d+))?$/.exec(location.hash);
    const whole = /^#d(\d+)$/.exec(location.hash);
    if (whole) document.getElementById(whole[0].slice(1))?.setAttribute("open", "");
    if (!hash) return;
    document.getElementById(`d${hash[1]}`)?.setAttribute("open", "");
    enter(Number(hash[1]), (all) => {
      const at = all.findIndex((one) => one.dataset.trick === hash[2] && (!hash[3] || one.dataset.seat === hash[3]));
      return at < 0 ? 1 : at + 1;
    });
  }

  playing.dataset.playing = playing.getAttribute("aria-label");
  playing.hidden = false;
  find("[data-keys]").hidden = false;
  find("[data-plain]").hidden = true;
  if (page) open(Number(stage.dataset.deal), () => Number(stage.dataset.step));
  else {
    for (const opener of document.querySelectorAll("[data-open-deal]"))
      opener.addEventListener("click", (event) => {
        if (event.ctrlKey || event.metaKey || event.shiftKey) return;
        event.preventDefault();
        enter(Number(opener.dataset.openDeal), first);
      });
    addEventListener("hashchange", follow);
    follow();
  }
})();
