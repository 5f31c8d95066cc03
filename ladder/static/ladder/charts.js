// Rating curves that answer the pointer, drawn by uPlot over what the server drew as SVG; without scripts that stays.
"use strict";

// A canvas cannot read var(): an element wears the colour, and is asked what it became.
function colourOf(box, name, share) {
  const probe = document.createElement("i");
  probe.style.color = share ? `color-mix(in srgb, var(${name}) ${share}%, transparent)` : `var(${name})`;
  box.append(probe);
  const colour = getComputedStyle(probe).color;
  probe.remove();
  return colour;
}

function versionMarks(box, versions) {
  return (plot) => {
    const { ctx } = plot;
    const { top, height } = plot.bbox;
    ctx.save();
    ctx.strokeStyle = ctx.fillStyle = colourOf(box, "--site-muted");
    ctx.font = `${11 * devicePixelRatio}px sans-serif`;
    ctx.textAlign = "left";
    ctx.setLineDash([4 * devicePixelRatio, 3 * devicePixelRatio]);
    for (const [index, label] of versions) {
      const x = plot.valToPos(index, "x", true);
      ctx.beginPath();
      ctx.moveTo(x, top);
      ctx.lineTo(x, top + height);
      ctx.stroke();
      ctx.fillText(label, x + 4 * devicePixelRatio, top + 11 * devicePixelRatio);
    }
    ctx.restore();
  };
}

function drawCurve(box) {
  const { at, r, low, high, versions } = JSON.parse(box.dataset.curve);
  const words = box.dataset;
  const day = new Intl.DateTimeFormat("sv-SE", { dateStyle: "short", timeZone: "UTC" });
  const minute = new Intl.DateTimeFormat("sv-SE", { dateStyle: "short", timeStyle: "short", timeZone: "UTC" });
  const hour = new Intl.DateTimeFormat("sv-SE", { timeStyle: "short", timeZone: "UTC" });
  const axisFormat = at.at(-1) - at[0] > 86400 ? day : hour;
  const when = (format) => (index) => (Number.isInteger(index) && at[index] ? format.format(at[index] * 1000) : "");
  const shown = (value) => (value === null ? "–" : String(Math.round(value)));
  const place = document.createElement("div");
  place.className = "plot";
  place.setAttribute("aria-hidden", "true");
  box.querySelector("svg").before(place);
  const axis = { stroke: () => colourOf(box, "--site-muted"), grid: { stroke: () => colourOf(box, "--site-line"), width: 1 }, ticks: { show: false } };
  const quiet = { stroke: "transparent", points: { show: false } };
  const plot = new uPlot({
    width: box.clientWidth,
    height: 280,
    scales: { x: { time: false } },
    axes: [
      { ...axis, grid: { show: false }, space: 90, values: (_, marks) => marks.map(when(axisFormat)) },
      { ...axis, size: 48, values: (_, marks) => marks.map(String) },
    ],
    series: [
      { label: words.when, value: (_, index) => (index === null ? "–" : when(minute)(index)) },
      { label: words.rating, stroke: () => colourOf(box, "--line-0"), width: 2, points: { show: false }, value: (_, value) => shown(value) },
      { ...quiet, label: words.interval, value: (_, value, series, index) => (index === null ? "–" : `${shown(low[index])} – ${shown(high[index])}`) },
      { ...quiet, label: "", class: "unseen" },
    ],
    bands: [{ series: [3, 2], fill: () => colourOf(box, "--line-0", 16) }],
    hooks: { draw: [versionMarks(box, versions)] },
  }, [at.map((_, index) => index), r, low, high], place);
  box.querySelector("svg").classList.add("sr");
  new ResizeObserver(() => plot.setSize({ width: box.clientWidth, height: 280 })).observe(box);
  matchMedia("(prefers-color-scheme: dark)").addEventListener("change", () => plot.redraw(false, true));
}

document.querySelectorAll("[data-curve]").forEach(drawCurve);
