// The slider: matrix, precision, recall, F1, cost and the point on the ROC at a threshold, from exact counts.
import { $, element } from "/static/dom.js";

const SVG = "http://www.w3.org/2000/svg";
const LEFT = 50, TOP = 10, SIZE = 280;

const x = (rate) => LEFT + SIZE * rate;
const y = (rate) => TOP + SIZE * (1 - rate);
const share = (part, whole) => (whole ? part / whole : null);
const shown = (value) => (value === null ? "undefined (0/0)" : value.toFixed(4));

function drawn(tag, attributes, text) {
  const made = document.createElementNS(SVG, tag);
  for (const [name, value] of Object.entries(attributes)) made.setAttribute(name, value);
  if (text !== undefined) made.textContent = text;
  return made;
}

function countsAt(points, model, i) {
  const { tp, fp } = points.models[model];
  return { tp: tp[i], fp: fp[i], fn: points.positives - tp[i], tn: points.negatives - fp[i] };
}

const COSTS = ["cost_fn", "cost_fp", "prior"];

// of the costs and the prior, or null where one of them cannot be taken
function costsGiven() {
  const wrong = COSTS.filter((id) => $(id).value === "" || !(Number($(id).value) >= 0) || (id === "prior" && Number($(id).value) > 1));
  for (const id of COSTS) {
    if (wrong.includes(id)) $(id).setAttribute("aria-invalid", "true"); else $(id).removeAttribute("aria-invalid");
  }
  $("costs-error").hidden = wrong.length === 0;
  const told = { cost_fn: "The cost of a false negative is 0 or more", cost_fp: "the cost of a false positive is 0 or more", prior: "the share of positives is from 0 to 1" };
  $("costs-error").textContent = wrong.length ? `No expected cost: ${wrong.map((id) => told[id]).join("; ").toLowerCase()}.` : "";
  return wrong.length ? null : COSTS.map((id) => Number($(id).value));
}

function ratesOf({ tp, fp, fn, tn }, costs) {
  const found = {
    precision: share(tp, tp + fp), recall: share(tp, tp + fn), F1: share(2 * tp, 2 * tp + fp + fn),
    "false positive rate": share(fp, fp + tn),
  };
  if (!costs) return found;
  const [cost, alarm, prior] = costs;
  // keller2004 (7)
  return { ...found, "expected cost": cost * prior * share(fn, tp + fn) + alarm * (1 - prior) * share(fp, fp + tn) };
}

// the threshold with the best F1, to start from
function bestF1(points, model) {
  let best = 0, top = -1;
  points.thresholds.forEach((_, i) => {
    const { tp, fp, fn } = countsAt(points, model, i);
    const f1 = share(2 * tp, 2 * tp + fp + fn) ?? -1;
    if (f1 > top) [best, top] = [i, f1];
  });
  return best;
}

function row(name, cells) {
  const made = element("tr");
  made.append(element("th", name, { scope: "row" }), ...cells.map((cell) => element("td", cell)));
  return made;
}

function matrixOf(points, { tp, fp, fn, tn }) {
  const table = element("table", undefined, { class: "matrix" });
  table.append(element("caption", "Confusion matrix: rows are the truth, columns the decision"));
  const head = table.createTHead().insertRow();
  for (const name of ["truth", points.positive, points.negative]) head.append(element("th", name, { scope: "col" }));
  table.createTBody().append(row(points.positive, [tp, fn].map(String)), row(points.negative, [fp, tn].map(String)));
  return table;
}

function showModel(points, model, i, costs) {
  const counts = countsAt(points, model, i), rates = ratesOf(counts, costs);
  const text = String(points.thresholds[i]); // every digit: a rounded one would call other items positive
  $(`at-${model}`).textContent = `threshold ${text}`;
  $(`slide-${model}`).setAttribute("aria-valuetext", `${text}, precision ${shown(rates.precision)}, recall ${shown(rates.recall)}`);
  const table = element("table", undefined, { class: "rates" });
  table.createTBody().append(...Object.entries(rates).map(([name, value]) => row(name, [shown(value)])));
  $(`counts-${model}`).replaceChildren(matrixOf(points, counts), table);
  const mark = $(`mark-${model}`);
  mark.setAttribute("cx", x(rates["false positive rate"]));
  mark.setAttribute("cy", y(rates.recall));
}

function drawRoc(points) {
  const parts = [
    drawn("rect", { class: "axis", x: LEFT, y: TOP, width: SIZE, height: SIZE }),
    drawn("line", { class: "axis chance", x1: x(0), y1: y(0), x2: x(1), y2: y(1) }),
  ];
  for (const tick of [0, 0.5, 1]) {
    parts.push(drawn("text", { x: x(tick), y: y(0) + 16, "text-anchor": "middle" }, String(tick)));
    parts.push(drawn("text", { x: LEFT - 6, y: y(tick) + 4, "text-anchor": "end" }, String(tick)));
  }
  parts.push(drawn("text", { x: x(0.5), y: y(0) + 34, "text-anchor": "middle" }, "false positive rate"));
  parts.push(drawn("text", { x: 14, y: y(0.5), "text-anchor": "middle", transform: `rotate(-90 14 ${y(0.5)})` }, "recall"));
  points.models.forEach(({ name, tp, fp }, i) => {
    const line = tp.map((hits, k) => `${x(fp[k] / points.negatives)},${y(hits / points.positives)}`).join(" ");
    parts.push(drawn("polyline", { class: `curve of-${i}`, points: line }));
    parts.push(drawn("line", { class: `curve of-${i}`, x1: x(0.52), x2: x(0.6), y1: y(0.06 + 0.08 * (1 - i)), y2: y(0.06 + 0.08 * (1 - i)) }));
    const short = name.length > 18 ? `${name.slice(0, 17)}…` : name;
    parts.push(drawn("text", { x: x(0.62), y: y(0.06 + 0.08 * (1 - i)) + 4 }, short));
  });
  points.models.forEach((_, i) => parts.push(drawn("circle", { id: `mark-${i}`, class: `at-${i}`, r: 6 })));
  $("roc").replaceChildren(...parts);
}

// the points come from the highest threshold down, and the slider has the highest at its right end; its own inverse
const placeOf = (points, i) => points.thresholds.length - 1 - i;

function panel(points, model, update) {
  const made = element("div", undefined, { class: "model" });
  const slide = element("input", undefined, {
    id: `slide-${model}`, type: "range", min: 0, max: points.thresholds.length - 1, step: 1,
    "aria-label": `Threshold of ${points.models[model].name}`, "aria-describedby": "rises",
  });
  slide.value = placeOf(points, points.start?.[model] ?? bestF1(points, model));
  slide.addEventListener("input", () => update(model));
  const at = element("output", "", { id: `at-${model}`, for: `slide-${model}` });
  made.append(element("h3", points.models[model].name, { id: `name-${model}` }), slide, at);
  made.append(element("div", undefined, { id: `counts-${model}` }));
  return made;
}

export function showThresholds(points) {
  const all = points.models.map((_, i) => i);
  const update = (moved) => {
    if ($("together").checked && moved !== undefined) for (const i of all) $(`slide-${i}`).value = $(`slide-${moved}`).value;
    const costs = costsGiven();
    for (const i of all) showModel(points, i, placeOf(points, Number($(`slide-${i}`).value)), costs);
  };
  $("positive-name").textContent = points.positive;
  $("started").textContent = points.start
    ? "It starts at the thresholds of the comparison."
    : "It starts where each model's F1 is best on these very items, so both look too good. Choose a threshold for use on other items.";
  $("cost_fn").value = $("cost_fp").value = "1";
  $("prior").value = String(points.positives / (points.positives + points.negatives));
  $("slider").hidden = false;
  drawRoc(points);
  $("models").replaceChildren(...all.map((i) => panel(points, i, update)));
  $("together").checked = Boolean(points.start) && all.every((i) => points.start[i] === points.start[0]);
  for (const id of COSTS) $(id).oninput = () => update();
  $("together").onchange = () => update(0);
  update();
}
