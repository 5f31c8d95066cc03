// The lobby of an event: tests the device before check-in, and takes a person to the table once it is there.
"use strict";

const lobby = document.querySelector("[data-lobby]");
const device = document.querySelector("[data-device]");

function tell(test, words) {
  const list = device.querySelector("ul");
  const line = list.querySelector(`[data-test="${test}"]`) || list.appendChild(document.createElement("li"));
  line.dataset.test = test;
  line.textContent = device.querySelector(`[data-words="${words}"]`).content.textContent;
}

function note(name, value) {
  const field = document.createElement("input");
  field.type = "hidden";
  field.name = name;
  field.value = value;
  device.append(field);
}

if (device) {
  tell("script", "script");
  note("script", "yes");
  const streams = "EventSource" in window;
  tell("stream", streams ? "stream" : "no-stream");
  note("stream", streams ? "yes" : "no");
  tell("window", window.innerWidth >= 360 ? "window" : "no-window");
  note("width", window.innerWidth);
  note("height", window.innerHeight);
  note("touch", "ontouchstart" in window ? "yes" : "no");
  note("language", navigator.language);
}

// While one waits, the part of the page that is one's own is looked at again; a form that is being filled in is left alone.
async function look() {
  if (document.hidden) return;
  const answer = await fetch(location.href, { headers: { Accept: "text/html" } });
  if (!answer.ok) return;
  const fresh = new DOMParser().parseFromString(await answer.text(), "text/html").querySelector("[data-lobby]");
  const shown = document.querySelector("[data-lobby]");
  if (!fresh || !shown || fresh.textContent.trim() === shown.textContent.trim()) return;
  shown.replaceWith(fresh);
  const go = fresh.querySelector("[data-go]");
  if (go) go.click();
}

if (lobby && ["check_in", "running"].includes(lobby.dataset.lobby) && !device) {
  setInterval(() => look().catch(() => undefined), 3000);
}
