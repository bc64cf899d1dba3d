// The page's steps: files → columns → answer → threshold. Names and values are set as text, never as markup.
import { showThresholds } from "/static/threshold.js";

const $ = (id) => document.getElementById(id);
const SEVERAL = { 2: ["a", "b"], 3: ["truth", "a", "b"] };
const SPOKEN = { truth: "truth", a: "A", b: "B" };
let chosen = { files: [], example: "" };
let looked = null; // the columns of what was chosen
let job = "";

function element(tag, text, attributes = {}) {
  const made = document.createElement(tag);
  if (text !== undefined) made.textContent = text;
  for (const [name, value] of Object.entries(attributes)) made.setAttribute(name, value);
  return made;
}

function showError(box, error) {
  const parts = [element("p", error.what, { class: "what" })];
  if (error.expected) parts.push(element("p", `Expected: ${error.expected}`));
  if (error.next) parts.push(element("p", `Next: ${error.next}`));
  box.replaceChildren(...parts);
  box.hidden = false;
  box.focus();
}

async function ask(path, options) {
  let answer;
  try {
    answer = await fetch(path, options);
  } catch {
    throw {
      what: "The server did not answer, or a file has changed since it was chosen.", expected: "clearwin serve, running",
      next: "choose the files again, or start the server again and reload this page",
    };
  }
  if (answer.ok) return answer;
  const told = await answer.json().catch(() => ({}));
  throw told.error ?? { what: `The server answered ${answer.status}.` };
}

// --- 1: files ---------------------------------------------------------------------------------------------------

function sent(files) {
  const form = new FormData();
  for (const file of files) form.append("files", file, file.name);
  if (chosen.example) form.append("example", chosen.example);
  return form;
}

async function take(files, example = "") {
  chosen = { files, example };
  $("files-error").hidden = true;
  $("question").hidden = $("answer").hidden = $("slider").hidden = true;
  const size = files.reduce((sum, file) => sum + file.size, 0);
  const most = Number(document.body.dataset.maxUpload);
  if (size > most) {
    const mb = (bytes) => `${(bytes / 2 ** 20).toFixed(0)} MiB`;
    return showError($("files-error"), {
      what: `The files are larger than ${mb(most)}: ${mb(size)}.`, expected: "less than that in one request",
      next: "pack them with gzip, leave out columns that are not needed, or use the command",
    });
  }
  $("files-status").textContent = "Looking at the columns …";
  try {
    looked = await (await ask("/api/columns", { method: "POST", body: sent(files) })).json();
    $("files-status").textContent = looked.files.map((f) => f.file).join(", ");
    showColumns();
  } catch (error) {
    $("files-status").textContent = "";
    showError($("files-error"), error);
  }
}

$("files").addEventListener("click", () => { $("files").value = ""; }); // so that a corrected file can be chosen again
$("files").addEventListener("change", () => $("files").files.length && take([...$("files").files]));
for (const button of document.querySelectorAll(".example")) {
  button.addEventListener("click", () => { $("files").value = ""; take([], button.dataset.example); });
}
for (const [event, over] of [["dragover", true], ["dragleave", false], ["drop", false]]) {
  $("drop").addEventListener(event, (e) => {
    e.preventDefault();
    $("drop").classList.toggle("over", over);
    if (event === "drop" && e.dataTransfer.files.length) take([...e.dataTransfer.files]);
  });
}

// --- 2: columns -------------------------------------------------------------------------------------------------

function tableOf({ file, columns }) {
  const table = element("table");
  table.append(element("caption", file));
  const head = table.createTHead().insertRow();
  for (const name of ["column", "a few values", "different values"]) head.append(element("th", name, { scope: "col" }));
  const body = table.createTBody();
  for (const column of columns) {
    const row = body.insertRow();
    row.append(element("th", column.name, { scope: "row" }));
    const first = column.more ? ` in the first ${column.of.toLocaleString("en")} rows` : "";
    row.append(element("td", column.values.join(" · ")), element("td", `${column.different.toLocaleString("en")}${first}`));
  }
  const scroll = element("div", undefined, { class: "scroll", role: "region", tabindex: "0", "aria-label": `Columns of ${file}` });
  scroll.append(table);
  return scroll;
}

function fill(select, columns, value, empty) {
  const options = columns.map((name) => element("option", name, { value: name }));
  if (empty !== undefined) options.unshift(element("option", empty, { value: "" }));
  select.replaceChildren(...options);
  select.value = columns.includes(value) ? value : options[0]?.value ?? "";
}

// which of several files is whose; by their names if those tell, else as they came
function guessRoles() {
  const roles = SEVERAL[looked.files.length];
  const truth = looked.files.findIndex((f) => /truth|gold|label|key|ref|target/i.test(f.file));
  const order = looked.files.map((_, i) => i);
  if (roles.length === 3 && truth > 0) order.unshift(...order.splice(truth, 1));
  const found = [];
  order.forEach((file, place) => { found[file] = roles[place]; });
  return found;
}

function showRoles() {
  const several = looked.files.length > 1;
  $("roles").hidden = !several;
  $("roles").replaceChildren();
  if (!several) return;
  const guessed = guessRoles();
  looked.files.forEach(({ file }, i) => {
    const field = element("p", undefined, { class: "field" });
    const select = element("select", undefined, { id: `role-${i}` });
    for (const role of SEVERAL[looked.files.length]) select.append(element("option", SPOKEN[role], { value: role }));
    select.value = guessed[i];
    select.addEventListener("change", () => { swapRoles(i); fillColumns(); });
    field.append(element("label", `${file} has`, { for: `role-${i}` }), select);
    $("roles").append(field);
  });
}

// every role belongs to one file: the file that had the role takes the one that became free
function swapRoles(changed) {
  const selects = [...$("roles").querySelectorAll("select")];
  const free = SEVERAL[selects.length].find((role) => !selects.some((s) => s.value === role));
  selects.forEach((s, i) => { if (i !== changed && s.value === selects[changed].value) s.value = free; });
}

function fileOf(role) {
  if (looked.files.length === 1) return 0;
  return [...$("roles").querySelectorAll("select")].findIndex((s) => s.value === role);
}

function fillColumns() {
  const { guess, files } = looked;
  const names = (i) => (i < 0 ? [] : files[i].columns.map((c) => c.name));
  const common = names(0).filter((name) => files.every((f) => f.columns.some((c) => c.name === name)));
  const id = files.length > 1 ? guess.id && common.includes(guess.id) ? guess.id : common[0] : guess.id;
  fill($("id"), common, id, files.length > 1 ? undefined : "none");
  for (const role of ["truth", "a", "b"]) {
    const own = names(fileOf(role)).filter((name) => files.length === 1 || name !== $("id").value);
    fill($(role), own, guess[role], files.length > 1 && own.length === 1 ? undefined : role === "truth" ? "none" : undefined);
    if (files.length > 1) $(role).value = own.includes(guess[role]) ? guess[role] : own[0] ?? "";
  }
  const first = names(files.length === 1 ? 0 : Math.max(fileOf("truth"), files.length === 2 ? fileOf("a") : 0));
  for (const role of ["group", "strata"]) fill($(role), first, "", "none");
  showClasses();
}

function showClasses() {
  const column = looked.files[Math.max(fileOf("truth"), 0)].columns.find((c) => c.name === $("truth").value);
  $("classes").replaceChildren(...(column?.classes ?? []).map((name) => element("option", undefined, { value: name })));
}

function showColumns() {
  $("tables").replaceChildren(...looked.files.filter((f) => f.columns.length).map(tableOf));
  showRoles();
  fillColumns();
  $("measure").value = looked.guess.measure ?? "f1";
  $("positive").value = looked.guess.positive ?? "";
  showHelp();
  $("question").hidden = false;
  $("columns-title").focus();
}

function showHelp() {
  for (const id of ["measure", "test", "claim"]) $(`${id}-help`).textContent = $(id).selectedOptions[0]?.dataset.help ?? "";
  const { tests, options, takes } = $("measure").selectedOptions[0].dataset;
  for (const option of $("test").options) option.disabled = option.value !== "auto" && !tests.split(" ").includes(option.value);
  if ($("test").selectedOptions[0].disabled) { $("test").value = "auto"; return showHelp(); }
  $("options-field").hidden = !options;
  $("options-help").textContent = options ? `Such as ${options}, which is the default.` : "";
  if (!options) $("options").value = "";
  $("truth").disabled = takes === "values";
}

for (const id of ["measure", "test", "claim"]) $(id).addEventListener("change", showHelp);
$("truth").addEventListener("change", showClasses);
$("id").addEventListener("change", () => looked.files.length > 1 && fillRolesAgain());

function fillRolesAgain() {
  const kept = $("id").value;
  fillColumns();
  $("id").value = kept;
}

// --- 3: the answer ----------------------------------------------------------------------------------------------

function question() {
  const roles = SEVERAL[looked.files.length];
  const files = chosen.files.length > 1 ? roles.map((role) => chosen.files[fileOf(role)]) : chosen.files;
  const form = sent(files);
  for (const [name, value] of new FormData($("question"))) if (value !== "") form.append(name, value);
  const options = $("options").value.trim();
  if (options) form.set("measure", `${form.get("measure")}(${options})`);
  return form;
}

// the stage is read aloud when it changes; the numbers, which always do, are only shown
function showProgress(now) {
  const stage = now.state === "waiting" ? "waiting for a free place" : now.stage ?? "starting";
  if ($("stage").textContent !== stage) $("stage").textContent = stage;
  const parts = now.total ? [`${now.done.toLocaleString("en")} of ${now.total.toLocaleString("en")}`] : [];
  parts.push(`${now.elapsed.toFixed(0)} s`);
  if (now.estimate >= 2) parts.push(`about ${now.estimate.toFixed(0)} s in all`);
  $("counted").textContent = parts.join(" · ");
  if (now.total) { $("bar").max = now.total; $("bar").value = now.done; } else $("bar").removeAttribute("value");
}

async function finished(id) {
  for (let pause = 150; ; pause = Math.min(pause * 1.3, 1000)) {
    const now = await (await ask(`/api/jobs/${id}`)).json();
    if (now.state === "done") return;
    if (now.error) throw now.error;
    showProgress(now);
    await new Promise((resume) => setTimeout(resume, pause));
  }
}

$("question").addEventListener("submit", async (event) => {
  event.preventDefault();
  const button = $("question").querySelector(".main");
  button.disabled = true;
  $("error").hidden = $("slider").hidden = true;
  $("result").replaceChildren();
  $("answer").hidden = $("progress").hidden = false;
  showProgress({ state: "waiting", elapsed: 0 });
  $("answer-title").focus();
  try {
    job = (await (await ask("/api/compare?wait=false", { method: "POST", body: question() })).json()).id;
    await finished(job);
    await showResult(job);
  } catch (error) {
    showError($("error"), error);
  } finally {
    job = "";
    button.disabled = false;
    $("progress").hidden = true;
  }
});

$("cancel").addEventListener("click", () => job && ask(`/api/jobs/${job}`, { method: "DELETE" }).catch(() => {}));

async function showResult(id) {
  // our own template, in which every name is escaped; nothing in it can run under the page's policy
  const page = new DOMParser().parseFromString(await (await ask(`/jobs/${id}/shown`)).text(), "text/html");
  $("result").replaceChildren(...page.body.childNodes);
  $("copy").addEventListener("click", copyCommand);
  $("answer-title").focus();
  if ($("result").querySelector(".verdict").dataset.thresholds !== "true") return;
  showThresholds(await (await ask(`/api/jobs/${id}/thresholds`)).json());
}

async function copyCommand() {
  try {
    await navigator.clipboard.writeText($("command").textContent);
    $("copied").textContent = "copied";
  } catch {
    getSelection().selectAllChildren($("command"));
    $("copied").textContent = "selected: copy it with Ctrl-C";
  }
}
