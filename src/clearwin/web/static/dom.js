// Small things that every step uses. Names and values are set as text, never as markup.
export const $ = (id) => document.getElementById(id);

export function element(tag, text, attributes = {}) {
  const made = document.createElement(tag);
  if (text !== undefined) made.textContent = text;
  for (const [name, value] of Object.entries(attributes)) made.setAttribute(name, value);
  return made;
}

export async function ask(path, options) {
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

// the command's words name its options: here they are fields
function inFields(text) {
  return text.replace(/--([a-z][a-z-]*)/g, (option, name) => {
    const id = name.replaceAll("-", "_");
    const label = document.querySelector(`label[for="${id}"]`) ?? document.querySelector(`label[for="plan-${id}"]`);
    return label ? `“${label.textContent}”` : option;
  });
}

function partsOf(error) {
  const parts = [element("p", inFields(error.what), { class: "what" })];
  if (error.expected) parts.push(element("p", `Expected: ${inFields(error.expected)}`));
  if (error.next) parts.push(element("p", `Next: ${inFields(error.next)}`));
  return parts;
}

export function showError(box, error) {
  box.replaceChildren(...partsOf(error));
  box.hidden = false;
  box.scrollIntoView({ block: "nearest" });
  box.focus({ preventScroll: true });
}

// beside the field that it is about; `also` are further elements, such as buttons with answers
export function showFieldError(field, error, also = []) {
  hideFieldError();
  const box = element("div", undefined, { id: "field-error", class: "error", role: "alert" });
  box.append(...partsOf(error), ...also);
  field.closest(".field").after(box);
  const details = field.closest("details");
  if (details) details.open = true;
  field.setAttribute("aria-invalid", "true");
  field.setAttribute("aria-errormessage", "field-error");
  field.scrollIntoView({ block: "center" });
  field.focus({ preventScroll: true });
}

export function hideFieldError() {
  $("field-error")?.remove();
  for (const field of document.querySelectorAll("form [aria-invalid]")) {
    field.removeAttribute("aria-invalid");
    field.removeAttribute("aria-errormessage");
  }
}

// to the top of the window, and read aloud
export function turnTo(title) {
  title.scrollIntoView({ block: "start" });
  title.focus({ preventScroll: true });
}
