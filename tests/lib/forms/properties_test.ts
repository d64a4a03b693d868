/**
 * Properties of generated forms and edits. `SVC_TEST_FORMS` is the number of forms (default: 1,000). A failure prints its
 * seed. With this seed in `SVC_TEST_SEED`, the run is repeated, and the smallest form that fails is searched for.
 */
import assert from "node:assert/strict";
import fc from "fast-check";
import { type Form, type FormField, type FormNode, type FormQuestion, readForm } from "../../../lib/forms/mod.ts";
import { isJsonObject, type JsonObject, type JsonValue } from "../../../utils/json.ts";
import { type Design, KINDS, type Part, RECORDS } from "./_form_design.ts";
import { type Edit, edits, forms, type GeneratedForm, VALUES } from "./_generated_forms.ts";
import { type Body, flatten, ServerModel } from "./_server_model.ts";

const numRuns = Number(Deno.env.get("SVC_TEST_FORMS") ?? 1000);
const repeated = Deno.env.get("SVC_TEST_SEED");
const seed = Number(repeated ?? Date.now() % 2 ** 31);
console.log(`${numRuns} forms, seed ${seed}`);

/** A part that can be filled in, with its design. */
interface Target {
  readonly question: FormQuestion;
  readonly part: Exclude<Part, { type: "group" }>;
}

/** The form after an edit, and the opposite of the edit. */
interface Edited {
  readonly form: Form;
  readonly path: string;
  readonly undo?: (form: Form) => Form;
  /** True if `undo` enters the values of the earlier form. It can do so only in parts that are visible. */
  readonly isRestored?: boolean;
}

Deno.test("a server stores what the person sees, and receives neither undone edits nor what a form does not offer", () => {
  const check = ({ design, content }: GeneratedForm, edits: readonly Edit[]) => {
    const server = new ServerModel(design, content);
    const opened = readForm(freeze(server.open()), { action: "Edit" });
    const printed = print(opened);
    let form = opened;
    for (const edit of edits) {
      const edited = apply(design, form, edit);
      if (edited === undefined) continue;
      const refreshed = refresh(design, server, edited);
      assertUndone(server, form, edited, refreshed);
      form = refreshRow(design, server, { form: refreshed, path: edited.path });
    }
    assert.equal(print(opened), printed, "the form that was opened has changed");
    server.submit(toBody(form.toSubmission({ files: design.files })));
    assertSame(design.parts, form.content, server.content);
    const reopened = readForm(server.open(), { action: "Edit" });
    assert.deepEqual(reopened.toSubmission(), { content: {}, pageInstructions: [], attachments: [] });
  };
  fc.assert(fc.property(forms, edits, check), { numRuns, seed, endOnFailure: repeated === undefined });
});

/** Undoes an edit, and compares what is sent with what was sent before it. */
function assertUndone(
  server: ServerModel,
  before: Form,
  { form, path, undo, isRestored }: Edited,
  refreshed: Form,
): void {
  if (undo === undefined) return;
  const sent = before.toSubmission();
  assert.deepEqual(undo(form).toSubmission(), sent, `after ${path} was changed and changed back`);
  if (refreshed === form) return;
  const computed = callServer(server, undo(refreshed), path);
  const later = isRestored === true ? callServer(server, undo(computed), path) : computed;
  assert.deepEqual(later.toSubmission(), sent, `after ${path} was changed, computed, and changed back`);
}

/** Sends the call that a form needs after a change, and compares what the person sees before and after it. */
function refresh(design: Design, server: ServerModel, { form, path }: Edited): Form {
  return assertKept(design, form, callServer(server, form, path));
}

/** Sends the call that a row needs after a change in it. */
function refreshRow(design: Design, server: ServerModel, { form, path }: Edited): Form {
  const [row] = /^.*\[\d+\]/.exec(path) ?? [];
  const call = row === undefined ? undefined : form.refreshRow(row, { files: design.files });
  if (call?.view === undefined || call.body.interestPage === undefined) return form;
  const response = server.refreshRow(toBody(call.body), call.view, call.body.interestPage);
  const refreshed = form.apply(freeze(response));
  assert.deepEqual(listPaths(refreshed), listPaths(form), "what is asked after a row was computed");
  return assertKept(design, form, refreshed);
}

function listPaths({ questions }: Form): string[] {
  return questions.map(({ path }) => path);
}

/** Asserts that the fields of a form have the same values after it was computed. */
function assertKept(design: Design, form: Form, refreshed: Form): Form {
  const before = new Map(listTargets(design, form).map(({ question }) => [question.path, question]));
  for (const { question, part } of listTargets(design, refreshed)) {
    const known = before.get(question.path);
    if (known?.type !== "field" || question.type !== "field" || part.type !== "field") continue;
    assert.equal(normalize(part, question.value), normalize(part, known.value), `${question.path} after a refresh`);
  }
  return refreshed;
}

function callServer(server: ServerModel, form: Form, path: string): Form {
  const call = form.refreshFor(path, { files: server.files });
  if (call === undefined) return form;
  return form.apply(freeze(server.refresh(toBody(call.body))));
}

function toBody({ content, pageInstructions, attachments }: Body): Body {
  const parsed: Body = JSON.parse(JSON.stringify({ content, pageInstructions, attachments }));
  return parsed;
}

function print(form: Form): string {
  return JSON.stringify([form.nodes, form.toSubmission()]);
}

function freeze<T extends object>(value: T): T {
  for (const member of Object.values(value)) if (typeof member === "object" && member !== null) freeze(member);
  return Object.freeze(value);
}

/** Lists what a person can fill in, also in rows. */
function listTargets(design: Design, form: Form): Target[] {
  const parts = new Map(listParts(design.parts).map((part) => [part.name, part]));
  const list = (questions: readonly FormQuestion[]): Target[] =>
    questions.flatMap((question) => {
      const part = parts.get(question.path.split(".").at(-1)?.replace(/\[\d+\]$/, "") ?? "");
      assert.ok(part !== undefined, `${question.path} is not a part of the design`);
      const inner = question.type === "list" ? question.rows.flatMap(({ nodes }) => list(listEditable(nodes))) : [];
      return [{ question, part }, ...inner];
    });
  return list(form.questions);
}

function listEditable(nodes: readonly FormNode[]): FormQuestion[] {
  return nodes.flatMap((node) => {
    if (!node.isVisible || node.type === "note") return [];
    return node.type === "group" ? listEditable(node.children) : node.isReadOnly ? [] : [node];
  });
}

function listParts(parts: readonly Part[]): Target["part"][] {
  return flatten(parts).flatMap((part) => {
    if (part.type === "group") return [];
    return [part, ...part.type === "page" || part.type === "list" ? listParts(part.parts) : []];
  });
}

/** Edits a form. Returns undefined if the edit does not fit the form. */
function apply(design: Design, form: Form, { target, way, value }: Edit): Edited | undefined {
  const targets = listTargets(design, form);
  const chosen = targets[target % targets.length];
  if (chosen === undefined) return undefined;
  const { question, part } = chosen;
  const { path } = question;
  const restore = (edited: Form) => restoreValues(design, form, edited);
  switch (question.type) {
    case "field": {
      assert.ok(part.type === "field");
      if (part.setter !== undefined) {
        const row = RECORDS[value % RECORDS.length] ?? {};
        const chosen = form.choose(path, { key: row.ID ?? "", text: String(row.Name), row });
        const target = path.replace(/[^.]+$/, part.setter);
        assert.equal(toText(chosen.find(target)), row.Area, `${target} after a choice that sets it`);
        return { path, form: chosen, undo: restore, isRestored: true };
      }
      const values = VALUES[part.kind];
      const entered = part.cascade === undefined ? values[value % values.length] ?? "" : 1 + value % 4;
      const choice = question.choices?.find(({ key }) => String(key) === String(entered));
      const edited = choice !== undefined && way < 5 ? form.choose(path, choice) : form.set(path, entered);
      return { path, form: edited, undo: restore, isRestored: true };
    }
    case "list": {
      const { rows } = question;
      const position = value % (rows.length + 1);
      const row = rows[position % rows.length];
      if (way < 4 && question.canAdd) {
        const inserted = form.list(path).insert(generateRow(part, value), position);
        return { path, form: inserted, undo: (edited) => edited.list(path).remove(position) };
      }
      if (row === undefined) return undefined;
      const from = rows.indexOf(row);
      if (way < 7 && question.canReorder) {
        const to = (from + 1 + way) % rows.length;
        return { path, form: form.list(path).move(from, to), undo: (edited) => edited.list(path).move(to, from) };
      }
      return row.canDelete ? { path, form: form.list(path).remove(from) } : undefined;
    }
    case "reference": {
      const reference = form.reference(path);
      if (part.type === "copy") {
        const { choices = [] } = question;
        const choice = choices[value % Math.max(1, choices.length)];
        if (way > 6 || choice === undefined) return { path, form: reference.clear() };
        const isEmpty = !JSON.stringify(form.toSubmission()).includes(`"${part.name}"`);
        return {
          path,
          form: reference.choose(choice),
          ...(isEmpty && { undo: (edited) => edited.reference(path).clear() }),
        };
      }
      const record = RECORDS[value % RECORDS.length];
      assert.ok(record !== undefined);
      if (question.mode === "multiple") {
        const { chosen } = question;
        if (way < 6) {
          const isKnown = chosen.some(({ key }) => String(key) === String(record.ID));
          const edited = way < 3 ? reference.add(record) : reference.add(record.ID ?? "");
          const place = (edited: Form) => listChosen(edited, path).findIndex(({ key }) => key === record.ID);
          return {
            path,
            form: edited,
            ...(!isKnown && { undo: (edited) => edited.reference(path).remove(place(edited)) }),
          };
        }
        const at = value % Math.max(1, chosen.length);
        const removed = chosen[at];
        if (removed === undefined) return undefined;
        const isLast = at === chosen.length - 1;
        return {
          path,
          form: reference.remove(at),
          ...(isLast && { undo: (edited) => edited.reference(path).add(removed) }),
        };
      }
      const [key] = question.keys;
      const isShort = question.keys.length === 1 && way < 4;
      const edited = way > 7 ? reference.clear() : reference.choose(isShort ? record[key ?? ""] ?? "" : record);
      return { path, form: edited, undo: restore, isRestored: true };
    }
    case "attachment": {
      if (design.files === "attachments" && path.includes("[")) return undefined; // Rows cannot be named.
      if (way > 7 && question.files.length > 0) return { path, form: form.detach(path, value % question.files.length) };
      const isPending = form.toSubmission().pageInstructions.some(({ target }) => target === toTarget(path));
      const edited = form.attach(path, way < 6 ? { ID: `new${value}`, name: "plan.pdf" } : null);
      return { path, form: edited, ...(!isPending && { undo: (edited) => edited.attach(path, []) }) };
    }
  }
}

function toText(question: FormQuestion | undefined): JsonValue | undefined {
  return question?.type === "field" ? question.value : undefined;
}

function listChosen(form: Form, path: string) {
  const question = form.find(path);
  return question?.type === "reference" ? question.chosen : [];
}

function toTarget(path: string): string {
  return `.${path.replaceAll(/\[(\d+)\]/g, (_, row) => `(${Number(row) + 1})`)}`;
}

function generateRow(part: Part, value: number): JsonObject {
  if (part.type !== "list") return {};
  const fields = part.parts.filter((one) => one.type === "field").filter((one) =>
    one.visible === undefined && one.readOnly === undefined && one.isComputed !== true && one.cascade === undefined
  );
  return Object.fromEntries(fields.map((field, i) => [field.name, VALUES[field.kind][(value + i) % 2] ?? ""]));
}

/** Enters the values of an earlier form again, where they differ. */
function restoreValues(design: Design, before: Form, edited: Form): Form {
  let form = edited;
  for (let round = 0; round < 3; round++) {
    for (const { question, part } of listTargets(design, before)) {
      const current = form.find(question.path);
      if (current === undefined || current.isReadOnly || !current.isVisible) continue;
      if (question.type === "field" && current.type === "field" && part.type === "field") {
        const isSame = normalize(part, question.value) === normalize(part, current.value);
        if (!isSame) form = form.set(question.path, question.value ?? null);
      } else if (question.type === "reference" && question.mode === "single") {
        const [old] = question.chosen;
        if (JSON.stringify(old) === JSON.stringify(listChosen(form, question.path)[0])) continue;
        const reference = form.reference(question.path);
        form = old === undefined ? reference.clear() : reference.choose(old);
      }
    }
  }
  return form;
}

/** Compares everything but computed values. All empty values are the same. */
function assertSame(parts: readonly Part[], seen: JsonObject, stored: JsonObject, place = ""): void {
  for (const part of flatten(parts)) {
    const [a, b] = [seen[part.name], stored[part.name]];
    const path = `${place}${part.name}`;
    switch (part.type) {
      case "field":
        if (part.isComputed !== true) assert.equal(normalize(part, a), normalize(part, b), path);
        break;
      case "page":
        assertSame(part.parts, toObject(a), toObject(b), `${path}.`);
        break;
      case "list":
        assert.equal(toRows(a).length, toRows(b).length, path);
        toRows(a).forEach((row, i) => assertSame(part.parts, row, toRows(b)[i] ?? {}, `${path}[${i}].`));
        break;
      case "record":
        assert.deepEqual(listKeys(part.keys, a), listKeys(part.keys, b), path);
        break;
      case "file":
        assert.deepEqual(listKeys(["ID"], a), listKeys(["ID"], b), path);
        break;
      case "copy":
        assert.deepEqual(listMembers(a), listMembers(b), path);
    }
  }
}

function listMembers(value: JsonValue | undefined): string[] {
  const members = Object.entries(toObject(value)).filter(([name, member]) =>
    name !== "classID" && member !== "" && member !== undefined
  );
  return members.map(([name, member]) => `${name}: ${JSON.stringify(member)}`).toSorted();
}

function listKeys(keys: readonly string[], value: JsonValue | undefined): string[] {
  const records = Array.isArray(value) ? toRows(value) : [toObject(value)];
  return records.map((record) => keys.map((key) => String(record[key] ?? "")).join()).filter((text) =>
    /[^,]/.test(text)
  );
}

function toObject(value: JsonValue | undefined): JsonObject {
  return isJsonObject(value) ? value : {};
}

function toRows(value: JsonValue | undefined): JsonObject[] {
  return Array.isArray(value) ? value.filter(isJsonObject) : [];
}

/** Writes a value so that the same values are the same text. */
function normalize({ kind }: Pick<Extract<Part, { type: "field" }>, "kind">, value: FormField["value"]): string {
  const [, type] = KINDS[kind];
  if (type === "True-False") return String(value === true);
  if (value === undefined || value === null || value === "") return "";
  if (type === "Integer" || type === "Decimal") return String(Number(value));
  if (type === "Date Time") return new Date(String(value)).toISOString();
  return kind === "phone" ? String(value).replaceAll(" ", "") : String(value);
}
