/** Application definitions: what they accept, and how they report issues. */
import assert from "node:assert/strict";
import { inspect } from "node:util";
import { SvcError, toSvcError } from "../../../lib/errors.ts";
import { checkApplication, loadApplication, parseApplication } from "../../../service/application/load.ts";
import { applicationJsonSchema } from "../../../service/application/schema/definition.ts";
import { catchDefinitionError, openEngine, PERMIT_FILE, valueAt } from "../../harness/service_engine.ts";
import { readCpuTime } from "../../harness/cpu_time.ts";
import { CHECKOUT } from "../../harness/svc.ts";

const SAMPLE = await Deno.readTextFile(PERMIT_FILE);

/** Returns the error for the sample with one text replaced. */
function refusal(wrong: string, right: string): SvcError {
  assert.ok(SAMPLE.includes(right), `the sample has no ${right}`);
  return catchDefinitionError(SAMPLE.replace(right, wrong), wrong);
}

/** Returns the place of a text in the sample as `line:column`. */
function positionOf(text: string, within = text): string {
  const offset = SAMPLE.indexOf(within) + within.indexOf(text);
  const before = SAMPLE.slice(0, offset).split("\n");
  return `${before.length}:${(before.at(-1) ?? "").length + 1}`;
}

Deno.test("the sample application loads", async () => {
  const app = await loadApplication(PERMIT_FILE);
  assert.equal(app.platformVersion, 25);
  assert.deepEqual([...app.caseTypes.keys()], [
    "City-Permit-Work-Permit",
    "City-Permit-Work-Receipt",
    "City-Permit-Work-Objection",
    "City-Permit-Work-Event",
  ]);
  assert.deepEqual([app.operators.size, [...app.operators.keys()][0]], [8, "clerk@city"]);
  assert.equal(app.caseTypes.get("City-Permit-Work-Objection")?.fields.get("Letter")?.type, "Attachment");
  const receipt = app.caseTypes.get("City-Permit-Work-Receipt");
  const activities = [...receipt?.processes.values() ?? []].flatMap(({ steps }) =>
    [...steps.values()].flatMap((step) => step.kind === "assignment" ? [...step.actions.keys()] : [])
  );
  assert.equal(activities.length, 27);
  assert.equal(app.dataViews.get("D_Inspectors")?.savable, true);
  assert.ok(app.dataViews.get("D_pyWorkHistory"), "every application has the history of its cases");
  assert.equal(app.dataViews.get("D_Permits")?.columns.get("Fee")?.field.type, "Currency");
  const agents = [...app.agents.values(), ...app.assistants.values()];
  assert.ok(
    agents.every(({ answers }) => answers.kind === "script"),
    "a detached start of the sample allows no model server",
  );
});

Deno.test("a reference to something that does not exist is reported with its place", () => {
  const cases: [right: string, wrong: string, at: string, reason: RegExp][] = [
    [
      "queue: Review }\n                urgency",
      "queue: Nowhere }\n                urgency",
      "Review }\n",
      /no queue 'Nowhere'/,
    ],
    ["[{ stage: PRIM1 }]", "[{ stage: PRIM9 }]", "PRIM1 }]", /no stage 'PRIM9'/],
    ["queue: Review, maxLength", "queue: Revue, maxLength", "Review, maxLength", /no queue 'Revue'/],
    ["[{ step: Check }]", "[{ step: Chekc }]", "Check }]", /no step 'Chekc' in this process/],
    ["set: { Urgent:", "set: { Urgnet:", '"true" }', /no field 'Urgnet'/],
    ["key: [ID]", "key: [Id]", "ID]", /no field 'Id'/],
    ["{ field: Subject, required", "{ field: Subjekt, required", "{ field: Subject", /no field 'Subjekt'/],
    [
      "field: Channel, parameter: Channel",
      "field: Chanel, parameter: Channel",
      "Channel, parameter",
      /no field 'Chanel'/,
    ],
    [
      "source: cases\n    caseTypes: [City-Permit-Work-Receipt]",
      "source: records\n    class:     City-Permit-Data-Inspektor",
      "[City-Permit-Work-Receipt]",
      /there is no data type 'City-Permit-Data-Inspektor'/,
    ],
    ["savable: D_Inspectors", "savable: D_Permits", "D_Inspectors", /no data view 'D_Permits' over records/],
  ];
  for (const [right, wrong, text, reason] of cases) {
    const error = refusal(wrong, right);
    assert.equal(error.code, "INVALID_CONFIG");
    assert.match(error.message, reason);
    assert.ok(
      error.message.startsWith(`app.yaml:${positionOf(text, right.includes(text) ? right : `${right} ${text}`)}: `),
      error.message,
    );
    assert.ok(error.hint);
  }
});

Deno.test("an unknown name is reported with similar names, or with all names if there are few", () => {
  const cases: [right: string, wrong: string, end: string][] = [
    [
      "maxLength: 2000",
      "maxlength: 2000",
      "'maxlength' is not allowed for the type TextArea; did you mean 'maxLength'?",
    ],
    [
      "variant: hosted",
      "colour: red",
      "is not allowed here; available: id, name, organisation, variant, platformVersion",
    ],
    [
      "fields: [Reason]",
      "fields: [{ field: Reason, lable: Why }]",
      "'lable' is not allowed here; did you mean 'label'?",
    ],
    ["[{ step: Check }]", "[{ step: Chekc }]", "no step 'Chekc' in this process; did you mean 'Check'?"],
    ["key: [ID]", "key: [Number]", "there is no field 'Number'; available: ID, Name, Phone, Active"],
    [
      "savable: D_Inspectors",
      "savable: D_Permits",
      "over records of 'City-Permit-Data-Inspector'; available: D_Inspectors",
    ],
    [
      "class: City-Permit-Data-Inspector",
      "class: City-Permit-Data-Inspektor",
      "did you mean 'City-Permit-Data-Inspector'?",
    ],
    ["fields: [Reason]", "view: Aplication", "there is no view 'Aplication'; did you mean 'Application'?"],
    ["Area * 2.5", "Aria * 2.5", "Unknown variable: Aria; did you mean 'Area'?"],
    ["key: [ID]", "key: [pyNothingLikeThis]", "available: ID, Name, Phone, Active"],
    ["set: { Urgent:", "set: { pyNothingLikeThis:", "there is no field 'pyNothingLikeThis'"],
  ];
  for (const [right, wrong, end] of cases) {
    const { details = [] } = refusal(wrong, right);
    assert.ok(details.some(({ message }) => message?.endsWith(end)), JSON.stringify(details));
  }
});

Deno.test("an operator or a queue that the definition does not list is reported wherever it is named", () => {
  const handler = "Handler: { type: UserReference, label: Handled by }";
  const right = `rights: { manage: "'Decision' in operator.queues" }`;
  const route = "route: { to: creator }";
  const cases: [right: string, wrong: string, reason: string][] = [
    [
      route,
      `route: { operator: "'reviewr@city'" }`,
      "there is no operator 'reviewr@city'; did you mean 'reviewer@city'?",
    ],
    [
      route,
      `route: { operator: "Urgent ? Applicant : Complete ? 'decider@city' : 'decidr@city'" }`,
      "no operator 'decidr@city'",
    ],
    [handler, `Handler: { type: UserReference, default: noone@city }`, "there is no operator 'noone@city'"],
    [handler, `Handler: { type: UserReference, calculated: "'noone@city'" }`, "there is no operator 'noone@city'"],
    [
      "name: Decision\n            steps:\n",
      "name: Decision\n            steps:\n              Assign: { type: automatic, set: { Owner: \"'noone@city'\" } }\n",
      "there is no operator 'noone@city'",
    ],
    [right, `rights: { manage: "operator.ID == 'noone@city'" }`, "'noone@city' is not a value of operator.ID"],
    [right, `rights: { work: "!(operator.ID in ['clerk@city', 'clark@city'])" }`, "did you mean 'clerk@city'?"],
    [
      right,
      `rights: { manage: "'Desicion' in operator.queues" }`,
      "'Desicion' is not a value of operator.queues; did you mean 'Decision'?",
    ],
    [`setAppDefault: "'Review' in`, `setAppDefault: "'Revue' in`, "'Revue' is not a value of operator.queues"],
    [
      "ID: { type: Text",
      "Lead: { type: UserReference, default: noone@city }\n      ID: { type: Text",
      "no operator 'noone@city'",
    ],
  ];
  const owner = SAMPLE.replace(
    "    fields:\n      Applicant:",
    "    fields:\n      Owner: { type: UserReference }\n      Applicant:",
  );
  for (const [right, wrong, reason] of cases) {
    assert.ok(owner.includes(right), right);
    const { message } = catchDefinitionError(owner.replace(right, wrong), wrong);
    assert.ok(message.includes(reason), message);
  }
  const known = owner.replace(
    route,
    `route: { operator: "Urgent ? Applicant : Owner == '' ? 'decider@city' : Owner" }`,
  );
  assert.ok(parseApplication(known, "app.yaml"));
});

Deno.test("a constant that does not fit the field to which it is assigned is reported", () => {
  const values: [set: string, reason: string][] = [
    [`Decision: "'Grnat'"`, "Grnat is not one of Grant, Refuse"],
    [`Decision: "Urgent ? 'Grant' : Complete ? 'Refuse' : 'Later'"`, "Later is not one of Grant, Refuse"],
    [`VisitDate: "'2026-02-30'"`, "2026-02-30 is not a valid date"],
    [`Email: "'ada'"`, "ada is not a valid e-mail address"],
    [`Area: "100001"`, "100001 is more than 100000"],
  ];
  for (const [set, reason] of values) {
    const { message } = refusal(`set: { ${set},`, "set: {");
    assert.ok(message.includes(reason), message);
    assert.match(message, new RegExp(`^app.yaml:${positionOf("set: {").split(":")[0]}:`));
  }
  const field = "Advice: { type: TextArea,";
  const calculated = `D: { type: Dropdown, values: [A, B], calculated: "Urgent ? 'A' : 'C'" }\n      ${field}`;
  assert.match(refusal(calculated, field).message, /C is not one of A, B$/);
  const fine = `set: { Decision: "Urgent ? 'Grant' : Decision", Area: "2.5",`;
  assert.ok(parseApplication(SAMPLE.replace("set: {", fine), "app.yaml"));
});

Deno.test("a gap in the primary stages, and an ID that does not fit the type of its stage, are reported", () => {
  const cases: [right: string, wrong: string, at: string, reason: string][] = [
    ["      PRIM1:\n        name: Review", "      PRIM4:\n        name: Review", "PRIM4:", "'PRIM4' must be PRIM1"],
    ["      PRIM2:\n        name: Decision", "      PRIM3:\n        name: Decision", "PRIM3:", "'PRIM3' must be PRIM2"],
    ["        type: Alternate\n", "", "ALT1:", "'ALT1' is the ID of an alternate stage: add 'type: Alternate'"],
    [
      "      ALT1:\n",
      "      PRIM3:\n",
      "PRIM3:",
      "'PRIM3' is the ID of a primary stage: an alternate stage is called ALT1",
    ],
  ];
  for (const [right, wrong, at, reason] of cases) {
    const text = SAMPLE.replace(right, wrong);
    const { details = [] } = catchDefinitionError(text);
    const line = text.slice(0, text.indexOf(`      ${at}`, text.indexOf("PRIM0:"))).split("\n").length;
    assert.ok(details.some((one) => one.line === line && one.message?.includes(reason)), JSON.stringify(details));
  }
  const named = SAMPLE.replaceAll("PRIM1", "Review").replaceAll("ALT1", "Withdrawal");
  assert.ok(parseApplication(named, "app.yaml"), "stages may have names without numbers");
});

Deno.test("a condition that cannot be evaluated and a default that does not fit its parameter are reported", () => {
  const filter = "filter: [{ field: Channel, parameter: Channel }]";
  const asked = (condition: string) => refusal(`filter: [{ ${condition} }]`, filter).message;
  assert.match(asked("field: Fee, value: much"), /'Fee' is of the type Currency: it is compared with a number/);
  assert.match(asked("field: Applicant, value: 5"), /'Applicant' .* is compared with text/);
  assert.match(asked("field: pxCreateDateTime, comparator: GT, value: yesterday"), /compared with a date and time/);
  const inYear10000 = "field: pxCreateDateTime, comparator: LT, value: 9999-12-31T23:30-01:00";
  assert.match(asked(inYear10000), /compared with a date and time/);
  assert.match(asked("field: Fee, comparator: NOT_CONTAINS, value: 1"), /NOT_CONTAINS compares texts, but 'Fee'/);
  assert.match(asked("field: Urgent, caller: true"), /'Urgent' .* is compared with true or false/);
  const parameter = "Channel: { description";
  const dated = refusal(parameter.replace("{", "{ type: DateTime, default: Friday,"), parameter).message;
  assert.match(dated, /the default of 'Channel' must be a date and time/);
  const counted = refusal(parameter.replace("{", "{ type: Integer,"), parameter).message;
  assert.match(counted, /'Channel' is of the type Dropdown: it is compared with text/);
});

Deno.test("a minimum above the maximum is reported", () => {
  const error = refusal("min: 5, max: 4", "min: 0, max: 100000");
  assert.match(error.message, /'min' must not be greater than 'max'/);
  assert.ok(error.message.startsWith(`app.yaml:${positionOf("0, max: 100000")}:`), error.message);
});

Deno.test("a repeated element and a form with both a view and fields are reported", () => {
  const cases: [right: string, wrong: string, at: string, reason: string][] = [
    ["values: [Grant, Refuse]", "values: [Grant, Grant]", "Grant]", "item 2 of 'values' repeats 'Grant'"],
    ["key: [ID]", "key: [ID, ID]", "ID]", "item 2 of 'key' repeats 'ID'"],
    [
      "fields: [Reason]",
      "fields: [Reason, { field: Reason }]",
      "{",
      "the form has the field 'Reason' already: show it again only with 'readOnly: true'",
    ],
    ["fields: [Reason]", "fields: [Reason], view: pyDetails", "py", "use either 'view' or 'fields', not both"],
  ];
  for (const [right, wrong, here, reason] of cases) {
    const [line, column] = positionOf(right).split(":");
    const { message } = refusal(wrong, right);
    assert.equal(message, `app.yaml:${line}:${Number(column) + wrong.indexOf(here)}: ${reason}`);
  }
});

Deno.test("a field with the name of a built-in member is reported, unless it is calculated", () => {
  const field = "Advice: { type: TextArea, label: Advice, maxLength: 2000 }";
  for (const name of ["pyLabel", "pyStatusWork", "pxCreateDateTime", "classID"]) {
    const error = refusal(`${name}: { type: Text }\n      ${field}`, field);
    assert.match(error.message, new RegExp(`^app.yaml:${positionOf(field)}: every case has '${name}' already`));
  }
  const calculated = SAMPLE.replace(field, `pyStatusWork: { type: Text, calculated: caseInfo.status }\n      ${field}`);
  assert.ok(parseApplication(calculated, "app.yaml"));
});

Deno.test("a data view over case types with different kinds of one field is reported", () => {
  const receipts = "D_Receipts:\n    name: Receipts\n    source: cases\n    caseTypes: [City-Permit-Work-Receipt]";
  assert.ok(SAMPLE.includes(receipts));
  const all = SAMPLE.replace(receipts, "D_Receipts:\n    name: Receipts\n    source: cases");
  assert.ok(parseApplication(all, "app.yaml"), "a Text and a Dropdown are both texts");
  const field = "Reference: { type: Text, label: Key of the request }";
  const cases = [
    ["Fee: { type: Date }", "'Fee' is Currency", "Date"],
    ["Contact: { type: Page, fields: { Phone: { type: Integer } } }", "'Contact.Phone' is Phone", "Integer"],
    ["Documents: { type: Page, fields: { Title: { type: Text } } }", "'Documents' is List", "Page"],
  ];
  for (const [own, first, other] of cases) {
    const two = (yaml: string) => yaml.replace(field, `${own}\n      ${field}`);
    assert.ok(parseApplication(two(SAMPLE), "app.yaml"), "no data view covers both case types");
    const { message } = catchDefinitionError(two(all));
    const line = two(all).split("D_Receipts:")[0]?.split("\n").length;
    const kinds = `${first} in 'City-Permit-Work-Permit' and ${other} in 'City-Permit-Work-Receipt'`;
    assert.ok(message.startsWith(`app.yaml:${line}:3: ${kinds}`), message);
  }
});

Deno.test("a field that is calculated from itself or from a later calculated field is reported", () => {
  const field = "Advice: { type: TextArea, label: Advice, maxLength: 2000 }";
  const before = "Documents:\n        type: List";
  const cases: [wrong: string, right: string, reason: RegExp][] = [
    ["calculated: Cost * 0.5", "calculated: Pages * 0.5", /'Cost' is calculated from itself$/],
    [`Tax: { type: Currency, calculated: Fee * 0.2 }\n      Fee:`, "Fee:", /'Tax' .* 'Fee', .* move 'Fee' above it$/],
    [
      `A: { type: Decimal, calculated: B + 1 }\n      B: { type: Decimal, calculated: A + 1 }\n      ${field}`,
      field,
      /'A' .* 'B'/,
    ],
  ];
  for (const [wrong, right, reason] of cases) assert.match(refusal(wrong, right).message, reason);
  for (const calculated of [`"'Note: ' + Reason"`, `"Documents.map(Note, Note.Title).join(', ')"`]) {
    const fine = SAMPLE.replace(before, `Note: { type: Text, calculated: ${calculated} }\n      ${before}`);
    assert.ok(parseApplication(fine, "app.yaml"), "its name may be part of a text, or the name of a row");
  }
});

Deno.test("a status of closed cases on an open case, and one of open cases on a resolution, are reported", () => {
  const asked = (status: string) => refusal(`status: ${status}`, "status: Pending-Applicant").message;
  for (const status of ["Resolved-Withdrawn", "Resolved"]) {
    assert.match(asked(status), /to close a case, use 'resolve'/);
  }
  for (const status of ["Closed", "Pending-Close", "Resolved"]) {
    const message = refusal(`resolve: ${status}`, "resolve: Resolved-Withdrawn").message;
    assert.match(message, /'resolve' must be like Resolved-Completed/);
  }
});

Deno.test("a creation accepts all fields and requires none by default", () => {
  const right = "    fields:\n      Applicant: { type: Text,";
  assert.ok(SAMPLE.includes(right));
  const form = (create: string) => {
    const app = parseApplication(SAMPLE.replace(right, `${create}${right} required: true,`), "app.yaml");
    const { createView, fields } = app.caseTypes.get("City-Permit-Work-Permit") ?? {};
    return [createView?.fields.size === fields?.size, createView?.fields.get("Applicant")?.required];
  };
  assert.deepEqual(form(""), [true, false]);
  assert.deepEqual(form("    create: {}\n"), [true, false]);
  assert.deepEqual(form("    create: { fields: [Applicant] }\n"), [false, true]);
  assert.deepEqual(form("    create: { view: pyDetails }\n"), [true, true]);
});

Deno.test("names, types and syntax of expressions are checked when a definition is loaded", () => {
  const area = "Area * 2.5";
  assert.match(refusal("Aria * 2.5", area).message, /bad expression: Unknown variable: Aria/);
  assert.match(refusal("Area * Applicant", area).message, /bad expression: no such overload/);
  assert.match(refusal("Area * (2.5", area).message, /bad expression: /);
  assert.match(refusal('when: "1 + 1"', 'when: "!Complete"').message, /returns int, but Boolean is needed/);
  assert.match(refusal('Urgent: "now"', 'Urgent: "true"').message, /returns string, but Boolean is needed/);
});

Deno.test("comparing a Dropdown with a text that is not one of its values is reported, also in rows and lists", () => {
  const area = "Area * 2.5";
  const meant = (condition: string) => `(${condition} ? Area : 0.0)`;
  const compared = (condition: string) => refusal(meant(condition), area).message;
  assert.match(compared("Channel == 'Intrnet'"), /'Intrnet' is not a value of Channel; did you mean 'Internet'\?/);
  assert.match(compared("Area > 1.0 && !('Fax' != Channel)"), /'Fax' is not a value of Channel; available: Internet, /);
  assert.match(compared("Channel in ['Internet', 'Fax']"), /'Fax' is not a value of Channel/);
  const row = (condition: string) => meant(`Documents.exists(one, ${condition})`);
  const kinds = (application: string) =>
    application.replace(/( *)Title: \{[^}]*\}/, "$&\n$1Kind: { type: Dropdown, values: [Plan, Letter] }");
  const load = (condition: string) => parseApplication(kinds(SAMPLE).replace(area, row(condition)), "app.yaml");
  assert.throws(() => load("one.Kind == 'Plam'"), /'Plam' is not a value of one\.Kind; did you mean 'Plan'\?/);
  load("one.Kind == 'Plan' || one.Kind == '' || one.Title == 'Plam'");
  parseApplication(SAMPLE.replace(area, meant("Channel in ['Internet', ''] || Channel != 'Desk'")), "app.yaml");
});

Deno.test("an unknown member of a page, a row, the case or the operator is reported", () => {
  const wrongs: [expression: string, member: string][] = [
    ["caseInfo.urgancy", "urgancy"],
    ["('Review' in operator.queue ? 1.0 : 0.0)", "queue"],
    ["(Contact.Fone == '' ? 0.0 : 1.0)", "Fone"],
    ["sum(Documents.map(document, document.Costs))", "Costs"],
    ["(Documents[0].Titel == '' ? 0.0 : 1.0)", "Titel"],
  ];
  for (const [wrong, member] of wrongs) {
    assert.match(refusal(wrong, "Area * 2.5").message, new RegExp(`bad expression: No such key: ${member}$`, "m"));
  }
});

Deno.test("expressions check the types of members of pages and rows", () => {
  const refused = [
    "Contact.Name + Area",
    "(Contact == Documents[0] ? 1.0 : 0.0)",
    "(Area > 0.0 ? Documents[0].Cost : 0)",
  ];
  for (const wrong of refused) {
    assert.match(refusal(wrong, "Area * 2.5").message, /bad expression: (no such overload|Ternary)/);
  }
  const fine = ["(Contact == Contact ? 1.0 : 0.0)", "(Documents[0] in Documents ? 1.0 : 0.0)", "caseInfo.urgency + 1"];
  for (const right of fine) assert.ok(parseApplication(SAMPLE.replace("Area * 2.5", right), "app.yaml"), right);
});

Deno.test("values that do not fit the format are reported with their place", () => {
  const unknown = refusal("{ stap: Check }", "{ step: Check }");
  assert.match(
    unknown.message,
    new RegExp(`^app.yaml:${positionOf("step: Check }")}: 'stap' is not allowed here; did you mean 'step'`),
  );
  assert.match(refusal("type: Emial", "type: Email").message, /'type' must not be Emial; did you mean 'Email'\?/);
  assert.match(refusal("", "    workPool: CITY-PERMIT-WORK\n").message, /'workPool' is missing/);
  assert.match(
    refusal("Re view: {", "Review: {").message,
    /the name 'Re view' must begin with a letter and consist of letters/,
  );
  assert.match(refusal("now: { type", "Applicant: { type").message, /bad expression|'now' has a meaning/);
  for (const name of ["package", "return", "list", "map", "optional", "size", "double"]) {
    const { message } = refusal(`${name}: { type: Text }\n      Reason:`, "Reason:");
    assert.match(message, new RegExp(`^app.yaml:\\d+:\\d+: '${name}' has a meaning`));
  }
  assert.match(refusal("default: Intrnet }", "default: Internet }").message, /Intrnet is not one of Internet/);
  assert.match(
    refusal("type: Boolean, maxLength: 3, label: Urgent", "type: Boolean, label: Urgent").message,
    /'maxLength' is not allowed for the type Boolean/,
  );
  assert.match(
    refusal("Confirm: { wait: true, name", "Confirm: { name").message,
    /'wait' is not allowed here/,
  );
  assert.match(refusal("prefix: P", "prefix: R").message, /has the same work pool and prefix/);
  const field = refusal("pyGotoStage: { type: Text }\n      Reason:", "Reason:");
  assert.match(field.message, /every case has 'pyGotoStage' already/);
  const action = refusal("name: Intake\n        actions: { pyChangeStage: { fields: [Reason] } }", "name: Intake");
  assert.match(action.message, /every stage has the action 'pyChangeStage' already/);
  const view = "class: City-Permit-Data-Inspector\n";
  assert.match(refusal(`${view}    filter: [{ field: Name, caller: true }]\n`, view).message, /use another data view/);
});

Deno.test("invalid YAML is reported with its line", () => {
  assert.throws(() => parseApplication("application: {\n  id: [", "bad.yaml"), /^SvcError: bad.yaml:2:/);
  assert.throws(() => parseApplication("", "empty.yaml"), /^SvcError: empty.yaml:1:1: /);
  assert.throws(() => parseApplication("application: 1\napplication: 2", "twice.yaml"), /twice.yaml:2:1: .*unique/);
});

Deno.test("a definition loads in time that grows with its length, and so do its issues", () => {
  const measure = (count: number, member: string) => {
    const operators = Array.from({ length: count }, (_, n) => `  op${n}@city: { ${member}: Op ${n} }\n`).join("");
    const text = SAMPLE.replace(/^operators:\n/m, `operators:\n${operators}`);
    const before = readCpuTime();
    const checked = checkApplication(text);
    assert.equal("issues" in checked, member !== "name");
    return readCpuTime() - before;
  };
  for (const member of ["name", "nam"]) {
    measure(1000, member);
    const [short, long] = [measure(2000, member), measure(8000, member)];
    assert.ok(long < 10 * short, `${short.toFixed()} ms for 2,000 operators, ${long.toFixed()} ms for 8,000`); // Squared: 16.
  }
});

Deno.test("values that are nested too deeply are reported, not a stack overflow", () => {
  const texts = {
    flow: "a: " + "[".repeat(20_000) + "]".repeat(20_000),
    lists: "a:\n  " + "- ".repeat(20_000) + "x",
    maps: Array.from({ length: 3000 }, (_, level) => `${" ".repeat(level)}a:\n`).join(""),
    "slightly too deep": "a: " + "[[".repeat(60) + "]]".repeat(60),
  };
  for (const [kind, text] of Object.entries(texts)) {
    const { message } = catchDefinitionError(text);
    assert.match(message, /^app\.yaml:\d+:\d+: values may be nested 100 levels deep$/, kind);
  }
});

Deno.test("invalid YAML is reported without its consequences in the rest of the text", () => {
  const indented = SAMPLE.replace("caseTypes:", "caseTypes: [");
  const found = catchDefinitionError(indented);
  assert.equal(found.details?.length, 1);
  const line = SAMPLE.split("\n").indexOf("caseTypes:") + 4;
  assert.match(found.message, new RegExp(`^app.yaml:${line}:\\d+: [^(]*$`));
  const twice = catchDefinitionError("application: 1\napplication: 2\nqueues: 1\nqueues: 2\n");
  assert.deepEqual(twice.details?.map(({ line }) => line), [2, 4]);
});

Deno.test("a text that needs quotes in YAML is reported with advice", () => {
  assert.match(
    refusal("when: !Complete", 'when: "!Complete"').message,
    /!Complete: quote a text that begins with '!'$/,
  );
  assert.match(refusal("    name: Permit: all", "    name: Permit").message, /: .* quote a text that contains ': '$/);
  assert.match(refusal("    prefix:P", "    prefix: P").message, /: a name ends with ':' and a space$/);
});

Deno.test("a value that lacks quotes, or has too many, is reported with what to write", () => {
  const name = "    name: Permit\n";
  const field = "Advice: { type: TextArea, label: Advice, maxLength: 2000 }";
  const shown = "{ field: Applicant, required: true }";
  const cases: [right: string, wrong: string, reason: string][] = [
    [name, "    name: 1.0\n", `'name' must be text, not a number: quote it, as in "1.0"`],
    [name, "    name: 0123\n", `'name' must be text, not a number: quote it, as in "0123"`],
    [name, "    name: null\n", `'name' must be text, not empty: quote it, as in "null"`],
    [name, "    name: True\n", `'name' must be text, not true or false: quote it, as in "True"`],
    [name, "    name: [A]\n", "'name' must be text, not a list: quote a text that begins with '['"],
    [name, "    name: {{ A }}\n", "a name must be text: quote a text that begins with '{' or '['"],
    [
      name,
      "    name: '1' A\n",
      "Unexpected scalar at node end: quote a text that contains quotes, or that begins with",
    ],
    [name, "    name: - A\n", "quote a text that contains quotes, or that begins with '-'"],
    [name, "    name: @A\n", "reserved character @: quote the text"],
    [name, "    name: *A\n", "there is no anchor 'A' before this alias: quote a text that begins with '*'"],
    ["values: [Grant, Refuse]", "values: [1, 2]", `item 1 of 'values' must be text, not a number: quote it, as in "1"`],
    [field, "Advice: { type: TextArea, default: +49123 }", `49123 is not a valid text value: quote it, as in "+49123"`],
    ['when: "!Complete"', "when: VisitDate > 2026-01-31", "string > int; quote a date: '2026-01-31'"],
    [field, "D: { type: Date, calculated: 2026-01-31 }", "but Date is needed; quote a date: '2026-01-31'"],
    [shown, "{ field: Applicant, required: yes }", "bad expression: Unknown variable: yes; write true"],
    ["type: Boolean, label", "type: Boolean, required: No, label", "must be true or false, not No: write false"],
    ["type: Boolean, label", 'type: Boolean, required: "true", label', "not text: write it without quotes"],
    ["urgency: 20", 'urgency: "20"', "'urgency' must be a number, not text: write it without quotes"],
    ["urgency: 20", "urgency: 0.5", "'urgency' must be a whole number, not 0.5"],
  ];
  for (const [right, wrong, reason] of cases) {
    const { message } = refusal(wrong, right);
    assert.ok(message.includes(reason), message);
    assert.match(message, new RegExp(`^app.yaml:${SAMPLE.slice(0, SAMPLE.indexOf(right)).split("\n").length}:`));
  }
  const written = SAMPLE.replace(field, `${field}\n      D: { type: Date, default: 2026-01-31 }`);
  const { fields } = parseApplication(written, "app.yaml").caseTypes.get("City-Permit-Work-Permit") ?? {};
  assert.equal(fields?.get("D")?.default, "2026-01-31", "a date needs no quotes");
});

Deno.test("the type of a field by its usual name elsewhere is reported with its name here", () => {
  const types = {
    Int: "Integer",
    String: "Text",
    bool: "Boolean",
    Float: "Decimal",
    enum: "Dropdown",
    File: "Attachment",
  };
  for (const [wrong, right] of Object.entries(types)) {
    const { message } = refusal(`type: ${wrong}, label: Area`, "type: Decimal, label: Area");
    assert.ok(message.endsWith(`'type' must not be ${wrong}; did you mean '${right}'?`), message);
  }
});

Deno.test("merge keys add the members of other objects, which own members replace", () => {
  const merged = SAMPLE.replace(
    "\napplication:\n",
    "\nx-base: &base { queues: [Review], email: a@b.example }\napplication:\n",
  )
    .replace(
      "operators:\n",
      `operators:
  x-ray@city: &ray { <<: *base, name: Ray }
  own@city: { name: Own, <<: *base, email: own@b.example }
  list@city: { <<: [*ray, { name: Later, queues: [] }] }
  twice@city: { <<: *base, <<: *ray }
  alias@city: { <<: *both }
`,
    ).replace("\nx-base:", "\nx-both: &both [{ name: Both }, { name: Neither }]\nx-base:");
  const { operators } = parseApplication(merged, "app.yaml");
  const [base, ray] = [{ queues: ["Review"], email: "a@b.example" }, { name: "Ray" }];
  assert.deepEqual(operators.get("x-ray@city"), { id: "x-ray@city", ...base, ...ray });
  assert.deepEqual(operators.get("own@city"), { id: "own@city", name: "Own", ...base, email: "own@b.example" });
  assert.deepEqual(operators.get("list@city"), { id: "list@city", ...base, ...ray });
  assert.deepEqual(operators.get("twice@city"), { id: "twice@city", ...base, ...ray });
  assert.deepEqual(operators.get("alias@city"), { id: "alias@city", name: "Both", queues: [] });
});

Deno.test("wrong merge keys, and issues of merged members, are reported at their place", () => {
  const refused: [operators: string, issues: string[]][] = [
    ["a: { <<: 5, name: A }", [
      "3:8: '<<' merges an object or a list of objects, such as '<<: *base' or '<<: [*base, *more]'",
    ]],
    ["a: { <<: [*base, no], name: A }", ["3:8: '<<' merges an object"]],
    [`a: { "<<": *base, name: A }`, ["3:8: '<<' is not allowed here"]],
    ["a: { <<: *base, name: A, name: B }", ["3:28: the key 'name' is repeated"]],
    ["a: { <<: *wrong }\n  b: { <<: *wrong, name: B }", ["1:47: 'name' must be text, not a number"]],
  ];
  for (const [operators, expected] of refused) {
    const own = `x-base: [&base { queues: [] }, &wrong { name: 5 }]\noperators:\n  ${operators}\n`;
    const checked = checkApplication(own + SAMPLE.replace(/^operators:\n( {2}.*\n)*/m, ""));
    assert.ok("issues" in checked);
    const found = checked.issues.filter(({ line }) => line < 6).map(({ line, column, message }) =>
      `${line}:${column}: ${message}`
    );
    assert.equal(found.length, expected.length, found.join("\n"));
    for (const [index, issue] of expected.entries()) assert.ok(found[index]?.startsWith(issue), found[index]);
  }
});

Deno.test("members that begin with x- are ignored everywhere but in names of operators and texts", () => {
  const extended = SAMPLE
    .replaceAll(
      /^(application|queues|caseTypes|dataTypes|dataViews):\n/gm,
      "x-$1: [1, { a: 2 }]\n$1:\n  x-note: { name: 5 }\n",
    )
    .replace("Advice: { type: TextArea,", "x-fields: 1\n      Advice: { x-owner: me, type: TextArea,")
    .replace("set: { Urgent:", "x-action: here, set: { x-why: 5, Urgent:")
    .replace("next: [{ stage: PRIM1 }]", "x-step: 1, next: [{ stage: PRIM1, x-why: send back }]")
    .replace("operators:\n", "operators:\n  x-ray@city: { name: Ray, x-phone: 5 }\n")
    .concat("  de: { x-ray: Strahl }\n");
  const { operators, locales, caseTypes } = parseApplication(extended, "app.yaml");
  assert.deepEqual(operators.get("x-ray@city"), { id: "x-ray@city", name: "Ray", queues: [] });
  assert.equal(locales.get("de")?.get("x-ray"), "Strahl");
  const plain = parseApplication(SAMPLE, "app.yaml").caseTypes;
  assert.deepEqual(inspect(caseTypes, { depth: 6 }), inspect(plain, { depth: 6 }));
  assert.match(
    refusal("X-owner: me, type: Email", "type: Email").message,
    /'X-owner' is not allowed for the type Email/,
  );
});

Deno.test("an alias to nothing, to itself or to too many values is reported with its line", () => {
  const read = (more: string) => parseApplication(SAMPLE + more, "app.yaml");
  const lines = SAMPLE.split("\n").length;
  const refused: [more: string, line: number, column: number, reason: RegExp][] = [
    ["messageTypes2: *nowhere\n", 0, 16, /there is no anchor 'nowhere' before this alias/],
    ["  de: &texts\n    a: *texts\n", 1, 8, /the alias 'texts' is inside its own anchor/],
    ["  de: &texts { a: b }\n  fr: { __proto__: b }\n", 1, 9, /'__proto__'/],
  ];
  for (const [more, line, column, reason] of refused) {
    assert.throws(() => read(more), { code: "INVALID_CONFIG", message: reason });
    assert.throws(() => read(more), new RegExp(`app.yaml:${lines + line}:${column}: `));
  }
  const laughs = ["laughs: [&a [ha, ha, ha]", ..."bcdefghij"].map((name, index) => {
    const before = "*" + "abcdefghij"[index - 1];
    return index === 0 ? name : `&${name} [${Array(9).fill(before).join(", ")}]`;
  });
  assert.throws(() => read(laughs.join(", ") + "]\n"), /app.yaml:\d+:\d+: the aliases stand for too many values/);
  const merges = "abcdefghij".split("").map((name, index, names) =>
    `  ${name}: &${name} { ${index === 0 ? "ha: ha" : `<<: [${Array(9).fill("*" + names[index - 1]).join(", ")}]`} }\n`
  );
  assert.throws(() => read(`x-laughs:\n${merges.join("")}`), /app.yaml:\d+:\d+: the aliases stand for too many values/);
  const deep = Array.from({ length: 200 }, (_, n) => `  a${n}: &a${n} { b: ${n === 0 ? "c" : `*a${n - 1}`} }\n`);
  assert.throws(() => read(`x-deep:\n${deep.join("")}`), /app.yaml:\d+:\d+: values may be nested 100 levels deep/);
  const often = Array.from({ length: 300 }, (_, n) => `  d${n}: *texts\n`).join("");
  const locales = read(`  de: &texts { Fee: Gebühr }\nx-often:\n${often}`).locales;
  assert.equal(locales.get("de")?.get("Fee"), "Gebühr", "an alias may be used often");
  assert.equal(read("  de: &texts { Fee: Gebühr }\n  fr: *texts\n").locales.get("fr")?.get("Fee"), "Gebühr");
});

Deno.test("all issues are reported, sorted by their place", () => {
  const text = SAMPLE.replace("[{ stage: PRIM1 }]", "[{ stage: PRIM9 }]").replace("key: [ID]", "key: [Id]");
  const error = catchDefinitionError(text);
  assert.equal(error.details?.length, 2);
  assert.match(error.message, /PRIM9.*\(and 1 more\)/);
});

Deno.test("a file that cannot be read is a configuration error with the path and the reason", async () => {
  const paths: [path: string, fault: string][] = [
    ["/no/such/app.yaml", "there is no such file"],
    [CHECKOUT, "it is a directory"],
    [`${PERMIT_FILE}/app.yaml`, "part of the path is a file"],
  ];
  for (const [path, fault] of paths) {
    await assert.rejects(() => loadApplication(path), (error) => {
      assert.ok(error instanceof SvcError);
      const message = `The application definition ${path} cannot be read: ${fault}.`;
      assert.deepEqual([error.code, error.message, error.hint], ["INVALID_CONFIG", message, "Check the path."]);
      return true;
    });
  }
});

Deno.test("a file that is not UTF-8 is refused", async () => {
  const path = await Deno.makeTempFile({ suffix: ".yaml" });
  await Deno.writeFile(path, Uint8Array.from(SAMPLE + "# Gebühr\n", (character) => character.charCodeAt(0)));
  const message = `The application definition ${path} is not UTF-8 text.`;
  await assert.rejects(loadApplication(path), { code: "INVALID_CONFIG", message, hint: "Save it as UTF-8." });
  await Deno.remove(path);
});

Deno.test({
  name: "a missing read permission is reported as such",
  permissions: { read: false },
  async fn() {
    await assert.rejects(() => loadApplication(PERMIT_FILE), (error) => toSvcError(error).code === "PERMISSION_DENIED");
  },
});

Deno.test("the definition in docs/application.md works as described", async () => {
  const page = await Deno.readTextFile(new URL("../../../docs/application.md", import.meta.url));
  const [, yaml] = page.match(/```yaml\n([\s\S]*?)```/) ?? [];
  assert.ok(yaml);
  await using engine = await openEngine(yaml);
  const created = await engine.body("cases.create", { type: "Acme-Leave-Work-Request" });
  assert.equal(valueAt(created, "nextAssignmentInfo.ID"), "ASSIGN-WORKLIST ACME-LEAVE-WORK L-1!ASK");
  const asked = await engine.body("assignments.perform", {
    assignmentId: "ASSIGN-WORKLIST ACME-LEAVE-WORK L-1!ASK",
    action: "Ask",
    data: { From: "2026-07-01", Days: 5 },
    ifMatch: valueAt(created, "etag"),
  });
  assert.equal(valueAt(asked, "data.caseInfo.content.Paid"), 5);
  const decided = await engine.body("assignments.perform", {
    assignmentId: valueAt(await engine.body("assignments.getNext", {}, { as: "boss@acme" }), "id"),
    action: "Decide",
    data: { Answer: "No" },
    ifMatch: valueAt(asked, "etag"),
  }, { as: "boss@acme" });
  assert.equal(valueAt(decided, "status"), "Resolved-Rejected");
});

Deno.test("the published JSON Schema describes the format", () => {
  const schema = applicationJsonSchema();
  assert.equal(schema.$schema, "https://json-schema.org/draft/2020-12/schema");
  assert.deepEqual(schema.required, ["application", "operators", "caseTypes"]);
  assert.match(JSON.stringify(schema), /"description":"Allowed values of a Dropdown"/);
  const { properties, patternProperties } = schema;
  assert.deepEqual(patternProperties, { "^x-": {} }, "extensions are allowed");
  assert.deepEqual(valueAt(properties, "queues.patternProperties"), { "^x-": {} });
  assert.deepEqual(valueAt(properties, "queues.propertyNames.anyOf.0"), { pattern: "^x-" });
  assert.equal(valueAt(properties, "operators.patternProperties"), undefined, "an operator may be called x-ray");
  assert.equal(valueAt(properties, "locales.additionalProperties.patternProperties"), undefined);
});
