// The page's steps: files → columns → answer → threshold.
import { showThresholds } from "/static/threshold.js";
import { $, ask, element, hideFieldError, showError, showFieldError, turnTo } from "/static/dom.js";
import { classesOfTruth, inOrder, positiveClass, showChanged, showColumns, visible } from "/static/columns.js";

let chosen = { files: [], example: "" };
let job = ""; // that is under way
let turn = 0; // of files and questions: what answers to an earlier one is dropped
let looking = null; // can stop the request for the columns
let changed = false; // the form, since the question was asked

// --- 1: files ---------------------------------------------------------------------------------------------------

function sent(files) {
  const form = new FormData();
  for (const file of files) form.append("files", file, file.name);
  if (chosen.example) form.append("example", chosen.example);
  return form;
}

// the server has a limited number of places; keepalive: also when this page is being left
function drop(id) {
  fetch(`/api/jobs/${id}`, { method: "DELETE", keepalive: true }).catch(() => {});
}

function stop() {
  looking?.abort();
  if (job) drop(job);
  job = "";
}

async function take(files, example = "") {
  const mine = ++turn;
  stop();
  chosen = { files, example };
  $("files-error").hidden = true;
  $("question").hidden = $("answer").hidden = $("slider").hidden = true;
  offerPilot(false);
  busy(false);
  const size = files.reduce((sum, file) => sum + file.size, 0);
  const most = Number(document.body.dataset.maxUpload);
  if (size > most) {
    const mb = (bytes) => `${(bytes / 2 ** 20).toFixed(0)} MiB`;
    $("files-status").textContent = "";
    return showError($("files-error"), {
      what: `The files are larger than ${mb(most)}: ${mb(size)}.`, expected: "less than that in one request",
      next: "pack them with gzip, leave out columns that are not needed, or use the command",
    });
  }
  $("files-status").textContent = "Looking at the columns …";
  looking = new AbortController();
  try {
    const answer = await ask("/api/columns", { method: "POST", body: sent(files), signal: looking.signal });
    const found = await answer.json();
    if (mine !== turn) return;
    $("result").replaceChildren();
    hideFieldError();
    showColumns(found);
    offerPilot(!found.logs);
    $("files-status").textContent = found.files.map((f) => visible(f.file)).join(", ");
  } catch (error) {
    if (mine !== turn) return;
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
    if (event === "drop" && e.dataTransfer.files.length) {
      $("files").value = "";
      take([...e.dataTransfer.files]);
    }
  });
}
// a file dropped beside the box would replace this page
for (const event of ["dragover", "drop"]) document.addEventListener(event, (e) => e.preventDefault());
addEventListener("pagehide", stop);
// the browser may remember the files that were chosen, after a way back
addEventListener("pageshow", () => $("files").files.length && !chosen.files.length && take([...$("files").files]));

// --- 3: the answer ----------------------------------------------------------------------------------------------

function question() {
  const form = sent(inOrder(chosen.files));
  for (const field of $("question").elements) {
    const given = field.name && field.value !== "" && !field.disabled && (field.type !== "checkbox" || field.checked);
    if (!given || field.closest(".of-tables[hidden], .of-logs[hidden]")) continue;
    for (const value of field.multiple ? [...field.selectedOptions].map((o) => o.value) : [field.value]) form.append(field.name, value);
  }
  if (form.has("positive")) form.set("positive", positiveClass());
  const options = $("options").value.trim();
  if (options) form.set("measure", `${form.get("measure")}(${options})`);
  return form;
}

// without files a plan goes by assumed rates; with a pilot columns and measure are those of step 2
function offerPilot(there) {
  $("pilot-field").hidden = !there;
  $("plan-pilot").checked = there;
  showRates();
}

function showRates() {
  for (const part of $("plan").querySelectorAll(".without-pilot")) part.hidden = $("plan-pilot").checked;
}

function plan() {
  const pilot = $("plan-pilot").checked, form = pilot ? question() : new FormData();
  const taken = new Set(["files", "example", ...$("plan").dataset.pilot.split(" ")]);
  for (const name of new Set(form.keys())) if (!taken.has(name)) form.delete(name);
  if ([...form.keys()].includes("n_resamples")) form.delete("n_resamples"); // a plan has a number of its own
  for (const field of $("plan").elements) {
    if (field.name && field.value !== "" && !(pilot && field.closest(".without-pilot"))) form.append(field.name, field.value);
  }
  return form;
}

$("plan-pilot").addEventListener("change", showRates);

// the stage is read aloud when it changes; the numbers, which always do, are only shown
function showProgress(now) {
  const step = now.step > 1 ? `, step ${now.step}` : "";
  const stage = now.state === "waiting" ? "waiting for its turn: other comparisons are under way" : `${now.stage ?? "starting"}${step}`;
  if ($("stage").textContent !== stage) $("stage").textContent = stage;
  const parts = now.total ? [`${now.done.toLocaleString("en")} of ${now.total.toLocaleString("en")}`] : [];
  parts.push(`${now.elapsed.toFixed(0)} s`);
  if (now.left >= 2) parts.push(`about ${now.left.toFixed(0)} s left in this step`);
  $("counted").textContent = parts.join(" · ");
  if (now.total) { $("bar").max = now.total; $("bar").value = now.done; } else $("bar").removeAttribute("value");
}

async function finished(id, mine) {
  for (let pause = 150; mine === turn; pause = Math.min(pause * 1.3, 1000)) {
    const now = await (await ask(`/api/jobs/${id}`)).json();
    if (now.state === "done") return;
    if (now.error) throw now.error;
    if (mine === turn) showProgress(now);
    await new Promise((resume) => setTimeout(resume, pause));
  }
}

function busy(yes) {
  for (const button of document.querySelectorAll(".main")) button.disabled = yes;
  $("progress").hidden = !yes;
}

function showStale() {
  const stale = changed && $("result").childNodes.length > 0;
  $("stale").hidden = !stale;
  for (const id of ["result", "slider"]) $(id).classList.toggle("stale", stale);
}

$("question").addEventListener("input", () => {
  changed = true;
  showChanged();
  showStale();
});

$("question").addEventListener("submit", (event) => {
  event.preventDefault();
  if (showChanged()) $("more").open = true;
  answerTo("compare", question());
});

$("plan").addEventListener("submit", (event) => {
  event.preventDefault();
  answerTo("plan", plan());
});

async function answerTo(verb, form) {
  const mine = ++turn;
  stop();
  hideFieldError();
  $("error").hidden = $("slider").hidden = true;
  $("result").replaceChildren();
  changed = false;
  showStale();
  $("answer").hidden = false;
  busy(true);
  showProgress({ elapsed: 0, stage: "sending" });
  turnTo($("answer-title"));
  try {
    const { id } = await (await ask(`/api/${verb}?wait=false&watched=true`, { method: "POST", body: form })).json();
    if (mine !== turn) return drop(id);
    job = id;
    await finished(id, mine);
    if (mine === turn) await showResult(id, mine);
  } catch (error) {
    if (mine === turn) showRefusal(error, verb);
  } finally {
    if (mine === turn) { job = ""; busy(false); }
  }
}

function showRefusal(error, verb) {
  const own = verb === "plan" && error.field && $(`plan-${error.field}`);
  const field = own || (error.field && $(error.field));
  const shown = field && (verb === "plan" ? $("plan") : $("question")).contains(field) && field.closest("[hidden]") === null;
  if (!shown) return showError($("error"), error);
  $("answer").hidden = true;
  showFieldError(field, error, error.field === "positive" ? [choices()] : []);
}

// the classes as buttons: one press answers
function choices() {
  const made = element("p", undefined, { class: "actions" });
  for (const name of classesOfTruth().slice(0, 12)) {
    const button = element("button", visible(name), { type: "button" });
    button.addEventListener("click", () => { $("positive").value = visible(name); $("question").requestSubmit(); });
    made.append(button);
  }
  return made;
}

$("cancel").addEventListener("click", () => job && ask(`/api/jobs/${job}`, { method: "DELETE" }).catch(() => {}));

async function showResult(id, mine) {
  // our own template, in which every name is escaped; nothing in it can run under the page's policy
  const page = new DOMParser().parseFromString(await (await ask(`/jobs/${id}/shown`)).text(), "text/html");
  const thresholds = page.querySelector(".verdict").dataset.thresholds === "true";
  const points = thresholds ? await (await ask(`/api/jobs/${id}/thresholds`)).json() : null;
  if (mine !== turn) return;
  $("progress").hidden = true;
  $("result").replaceChildren(...page.body.childNodes);
  $("copy").addEventListener("click", copyCommand);
  if (points) showThresholds(points);
  showStale();
  turnTo($("answer-title"));
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
