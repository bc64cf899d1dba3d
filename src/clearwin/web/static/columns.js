// Step 2: the columns that were found, who is who, and what the form then offers.
import { $, element, turnTo } from "/static/dom.js";

const SEVERAL = { 2: ["a", "b"], 3: ["truth", "a", "b"] };
const SPOKEN = { truth: "truth", a: "A", b: "B" };
let looked = null; // what /api/columns answered
let lastTruth = ""; // before a measure of values took it away

// a name as it is to be shown: the server writes out what cannot be seen in it, and what turns the direction of writing
export function visible(name) {
  return Object.hasOwn(looked.shown, name) ? looked.shown[name] : name;
}

function tableOf({ file, columns }) {
  const table = element("table");
  table.append(element("caption", visible(file)));
  const head = table.createTHead().insertRow();
  for (const name of ["column", "a few values", "different values"]) head.append(element("th", name, { scope: "col" }));
  const body = table.createTBody();
  for (const column of columns) {
    const row = body.insertRow();
    row.append(element("th", visible(column.name), { scope: "row" }));
    const first = column.more ? ` in the first ${column.of.toLocaleString("en")} rows` : "";
    row.append(element("td", column.values.join(" · ")), element("td", `${column.different.toLocaleString("en")}${first}`));
  }
  const scroll = element("div", undefined, { class: "scroll", role: "region", tabindex: "0", "aria-label": `Columns of ${visible(file)}` });
  scroll.append(table);
  return scroll;
}

function fill(select, columns, value, empty) {
  const options = columns.map((name) => element("option", visible(name), { value: name }));
  if (empty !== undefined) options.unshift(element("option", empty, { value: "" }));
  select.replaceChildren(...options);
  select.value = columns.includes(value) ? value : options[0]?.value ?? "";
}

function showRoles() {
  const several = looked.files.length > 1;
  $("roles").hidden = !several;
  $("roles").replaceChildren();
  if (!several) return;
  looked.files.forEach(({ file }, i) => {
    const field = element("p", undefined, { class: "field" });
    const select = element("select", undefined, { id: `role-${i}` });
    for (const role of SEVERAL[looked.files.length]) select.append(element("option", SPOKEN[role], { value: role }));
    select.value = looked.guess.roles[i];
    select.addEventListener("change", () => { swapRoles(i); fillColumns(); });
    field.append(element("label", `${visible(file)} has`, { for: `role-${i}` }), select);
    $("roles").append(field);
  });
}

// evaluation logs know themselves what is what: no columns are asked for, and the measure may be theirs
function showLogs() {
  const logs = looked.logs;
  $("logs").textContent = logs ?? "";
  $("logs").hidden = !logs;
  $("roles").hidden = true;
  for (const part of document.querySelectorAll(".of-tables")) part.hidden = Boolean(logs);
  for (const part of document.querySelectorAll(".of-logs")) part.hidden = !logs;
  $("own-measure")?.remove();
  if (!logs) return;
  const own = { id: "own-measure", value: "", "data-help": "The metric that the logs have.", "data-kind": "logs", "data-tests": "", "data-options": "" };
  $("measure").prepend(element("option", "that of the logs", own));
}

// every role belongs to one file: the file that had the role takes the one that became free
function swapRoles(changed) {
  const selects = [...$("roles").querySelectorAll("select")];
  const free = SEVERAL[selects.length].find((role) => !selects.some((s) => s.value === role));
  selects.forEach((s, i) => { if (i !== changed && s.value === selects[changed].value) s.value = free; });
}

// of two files the truth is taken from A's
function fileOf(role) {
  if (looked.files.length === 1) return 0;
  const wanted = looked.files.length === 2 && role === "truth" ? "a" : role;
  return [...$("roles").querySelectorAll("select")].findIndex((s) => s.value === wanted);
}

// the files in the order that the server takes them
export function inOrder(files) {
  return files.length > 1 && !looked.logs ? SEVERAL[files.length].map((role) => files[fileOf(role)]) : files;
}

function fillColumns(id = looked.guess.id) {
  const { guess, files } = looked;
  const several = files.length > 1;
  const names = (i) => (i < 0 ? [] : files[i].columns.map((c) => c.name));
  const common = names(0).filter((name) => files.every((f) => f.columns.some((c) => c.name === name)));
  fill($("id"), common, id, several ? undefined : "none");
  for (const role of ["truth", "a", "b"]) {
    const own = names(fileOf(role)).filter((name) => !several || name !== $("id").value);
    const rest = own.filter((name) => name !== guess.truth);
    const only = role !== "truth" && rest.length === 1 ? rest[0] : ""; // of several none is taken unasked
    const value = own.includes(guess[role]) ? guess[role] : only;
    fill($(role), own, value, role === "truth" && files.length < 3 ? "none" : value ? undefined : "choose a column");
  }
  for (const select of $("more").querySelectorAll("select.column")) {
    fill(select, names(fileOf("truth")), "", select.multiple ? undefined : "none");
    if (select.multiple) select.selectedIndex = -1;
  }
  const both = files.length === 2 ? " Taken from A's file; where B's file has the same column, both have to agree." : "";
  $("truth-help").textContent = `The column with the true labels.${both}`;
  showClasses();
}

export function classesOfTruth() {
  const column = looked.files[Math.max(fileOf("truth"), 0)].columns.find((c) => c.name === $("truth").value);
  return column?.classes ?? [];
}

function showClasses() {
  $("classes").replaceChildren(...classesOfTruth().map((name) => element("option", undefined, { value: visible(name) })));
}

// the class as the file has it, because the field has it as it is shown; a text that is not a class stays what it is
export function positiveClass() {
  const classes = classesOfTruth(), text = $("positive").value;
  return classes.includes(text) ? text : classes.find((name) => visible(name) === text) ?? text;
}

export function showColumns(found) {
  looked = found;
  lastTruth = looked.guess.truth ?? "";
  $("question").reset(); // nothing of the files before may stay, least of all where it is not seen
  $("options").value = "";
  $("tables").replaceChildren(...looked.files.filter((f) => f.columns.length).map(tableOf));
  showLogs();
  if (!looked.logs) showRoles();
  fillColumns();
  const { doubt } = looked.guess;
  $("guess").textContent = doubt ? `${doubt} Choose the columns and the measure yourself.` : "Are these the right columns? They were guessed from names and values.";
  $("guess").classList.toggle("warning", Boolean(doubt));
  $("measure").value = looked.logs ? "" : looked.guess.measure || "f1";
  $("positive").value = visible(looked.guess.positive ?? "");
  $("separator").value = looked.guess.separator ?? "";
  showHelp();
  $("more").open = showChanged() > 0;
  $("question").hidden = false;
  turnTo($("columns-title"));
}

const kindOf = () => $("measure").selectedOptions[0].dataset.kind;

function showHelp() {
  for (const id of ["measure", "test", "claim"]) $(`${id}-help`).textContent = $(id).selectedOptions[0]?.dataset.help ?? "";
  const { tests, options } = $("measure").selectedOptions[0].dataset;
  const any = kindOf() === "logs"; // which test fits is known when they are read
  for (const option of $("test").options) option.disabled = option.value !== "auto" && !any && !tests.split(" ").includes(option.value);
  if ($("test").selectedOptions[0].disabled) { $("test").value = "auto"; return showHelp(); }
  for (const id of ["method", "interval"]) offer($(id), $("test").selectedOptions[0].dataset[id]);
  $("options-field").hidden = !options;
  $("options-help").textContent = options ? `Such as ${options}, which is the default.` : "";
  if (kindOf() === "values") $("truth").value = "";
}

// what the test does not know cannot be chosen
function offer(select, known) {
  for (const option of select.options) option.disabled = option.value !== "auto" && !known.split(" ").includes(option.value);
  if (select.selectedOptions[0].disabled) select.value = "auto";
}

// say which of the hidden settings are not the default, and how many
export function showChanged() {
  const fields = [...$("more").querySelectorAll("input, select")];
  const changed = fields.filter((f) => (f.type === "checkbox" ? f.checked : f.tagName === "SELECT" ? f.selectedIndex > (f.multiple ? -1 : 0) : f.value !== f.defaultValue));
  const names = changed.map((f) => document.querySelector(`label[for="${f.id}"]`).textContent.toLowerCase());
  $("changed").textContent = names.length ? ` (changed: ${names.join(", ")})` : "";
  return names.length;
}

$("measure").addEventListener("change", () => {
  $("options").value = ""; // those of another measure mean nothing here
  if (kindOf() !== "values" && !$("truth").value && [...$("truth").options].some((o) => o.value === lastTruth)) $("truth").value = lastTruth;
  showHelp();
  showClasses();
});
for (const id of ["test", "claim"]) $(id).addEventListener("change", showHelp);
$("truth").addEventListener("change", () => {
  if ($("truth").value) lastTruth = $("truth").value;
  if ($("truth").value && kindOf() === "values") { // which take no truth
    const scores = looked.files[fileOf("a")].columns.find((c) => c.name === $("a").value)?.scores;
    $("measure").value = classesOfTruth().length === 2 && scores ? "auc" : classesOfTruth().length ? "accuracy" : "mae";
  }
  showHelp();
  showClasses();
});
$("id").addEventListener("change", () => looked.files.length > 1 && fillColumns($("id").value));
