/** Properties of cases after any sequence of calls by any operators. */
import assert from "node:assert/strict";
import fc from "fast-check";
import { isJsonObject, type JsonObject, type JsonValue } from "../../../utils/json.ts";
import { DomainError, NotFound } from "../../../service/errors.ts";
import { type Engine, objectAt, openEngine, textAt, valueAt } from "../../harness/service_engine.ts";

const PEOPLE = ["clerk@city", "reviewer@city", "decider@city", "inspector@city"] as const;
const FORMS: Readonly<Record<string, JsonObject>> = {
  Register: { Applicant: "Ada", Area: 3 },
  CheckApplication: { Address: "Canal 1" },
  CheckDocuments: { Area: 7 },
  GiveAdvice: { Complete: true, Advice: "Grant it" },
  Decide: { Decision: "Grant" },
  SendBack: { Reason: "Unclear" },
  Withdraw: { Reason: "Too dear" },
  Confirm: { Reason: "Too dear" },
  Visit: { Inspector: "Ines", VisitDate: "2026-02-03" },
  pyUpdateCaseDetails: { Address: "Quay 2" },
  pyChangeStage: { pyGotoStage: "Review" },
};

const MOVES = [
  "create",
  "next",
  "back",
  "jump",
  "go",
  "onward",
  "visit",
  "local",
  "bulk",
  "discard",
  "delete",
] as const;
const KINDS = [...MOVES, "save", "save", "perform", "perform", "perform", "perform", "perform"] as const;

/** One call: which, by whom, on which case, and what else it takes to choose. */
const call = fc.record({
  kind: fc.constantFrom(...KINDS),
  as: fc.constantFrom(...PEOPLE),
  which: fc.nat(3),
  choice: fc.nat(11),
  stale: fc.boolean().map((stale) => stale && "20260101T000000.000 GMT"),
});
type Call = typeof call extends fc.Arbitrary<infer T> ? T : never;

/** The cases by their handles, each as it is answered. */
type Cases = ReadonlyMap<string, JsonObject>;

Deno.test("after any sequence of calls, refused calls have changed nothing, and each case matches its responses", async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(call, { minLength: 20, maxLength: 60 }), async (calls) => {
      await using engine = await openEngine();
      const handles: string[] = [];
      let before: Cases = new Map();
      for (const one of calls) {
        const { refused, created } = await make(engine, one, before);
        if (created !== undefined) handles.push(created);
        const after = await read(engine, handles);
        if (refused) assert.deepEqual(after, before);
        for (const [id, now] of after) {
          checkRest(now);
          const then = before.get(id);
          if (then !== undefined) checkEntityTag(then, now, one);
          if (then !== undefined && keeps(one)) checkKept(then, now);
        }
        before = after;
      }
    }),
    { numRuns: 25 },
  );
});

/** Makes a call on what is there. */
async function make(engine: Engine, one: Call, cases: Cases): Promise<{ refused: boolean; created?: string }> {
  const { kind, as, which, choice, stale } = one;
  const found = [...cases.values()][which];
  const caseId = found === undefined ? "CITY-PERMIT-WORK P-9" : textAt(found, "id");
  const ifMatch = stale || (found && textAt(found, "etag"));
  const assignments = valueAt(found, "data.caseInfo.assignments");
  const assignment = Array.isArray(assignments) ? assignments[choice % Math.max(assignments.length, 1)] : undefined;
  const assignmentId = valueAt(assignment, "ID") ?? "ASSIGN-WORKLIST CITY-PERMIT-WORK P-9!INTAKE";
  const work = { assignmentId, ifMatch, ...await offered(engine, assignmentId, as, choice) };
  const local = ["pyUpdateCaseDetails", "pyChangeStage", "Withdraw", "Expedite"][choice % 4] ?? "";
  const calls: Readonly<Record<Call["kind"], [name: string, values: object]>> = {
    create: ["cases.create", {
      type: "City-Permit-Work-Permit",
      data: choice % 3 ? { Applicant: "Ada" } : { Area: -1 },
    }],
    next: ["assignments.getNext", {}],
    perform: ["assignments.perform", work],
    save: ["assignments.save", work],
    back: ["assignments.navigateBack", { ...work, data: undefined }],
    jump: ["assignments.navigateToStep", { ...work, data: undefined, step: `AssignmentSF${1 + choice % 4}` }],
    go: ["cases.stageGo", { caseId, ifMatch, stage: ["PRIM0", "Review", "PRIM2", "ALT1", "Nowhere"][choice % 5] }],
    onward: ["cases.stageNext", { caseId, ifMatch }],
    visit: ["cases.startProcess", { caseId, ifMatch, process: "Site_Visit" }],
    local: ["cases.performAction", { caseId, ifMatch, action: local, data: FORMS[local] }],
    bulk: ["cases.bulkPerform", { cases: [caseId, "CITY-PERMIT-WORK P-9"], action: "Expedite" }],
    discard: ["cases.discardUpdates", { caseId, ifMatch }],
    delete: ["cases.delete", { caseId, ifMatch }],
  };
  const [name, values] = calls[kind];
  const query = keeps(one) ? { cleanupProcesses: "false" } : undefined;
  try {
    const { body } = await engine.call(name, values, { as, query, wait: choice % 2 });
    return { refused: false, ...(kind === "create" && { created: textAt(body, "id") }) };
  } catch (error) {
    if (!(error instanceof DomainError)) throw error;
    assert.notEqual(error.kind, "OperationFailed", error.message);
    return { refused: true };
  }
}

/** Reports whether a call moves a case to a stage and keeps the processes of the previous one. */
function keeps({ kind, choice }: Call): boolean {
  return (kind === "go" || kind === "onward") && choice % 2 === 0;
}

/** An action that an assignment offers, mostly with what its form needs, else with nothing. */
async function offered(engine: Engine, assignmentId: JsonValue, as: string, choice: number): Promise<object> {
  try {
    const actions = valueAt(
      await engine.body("assignments.get", { assignmentId }, { as }),
      "data.caseInfo.assignments",
    );
    const mine = Array.isArray(actions) ? actions.find((one) => valueAt(one, "ID") === assignmentId) : undefined;
    const list = valueAt(mine, "actions");
    const action = Array.isArray(list) ? valueAt(list[choice % list.length], "ID") : "Register";
    return { action, data: choice % 6 === 0 ? {} : FORMS[String(action)] };
  } catch (error) {
    if (error instanceof DomainError) return { action: "Register" };
    throw error;
  }
}

/** All cases that are there. */
async function read(engine: Engine, handles: readonly string[]): Promise<Cases> {
  const cases = new Map<string, JsonObject>();
  for (const caseId of handles) {
    try {
      const { body } = await engine.call("cases.get", { caseId });
      if (isJsonObject(body)) cases.set(caseId, body);
    } catch (error) {
      if (!(error instanceof NotFound)) throw error;
    }
  }
  return cases;
}

/** A case is open and has work, or is closed and has none. No stage of a permit waits for a person to move it. */
function checkRest(now: JsonObject): void {
  const assignments = valueAt(now, "data.caseInfo.assignments");
  const isClosed = textAt(now, "status").startsWith("Resolved-");
  assert.equal(Array.isArray(assignments) && assignments.length === 0, isClosed, JSON.stringify(now));
  const { Area = 0, Urgent } = objectAt(now, "data.caseInfo.content");
  assert.equal(valueAt(now, "data.caseInfo.content.Fee"), 50 + Number(Area) * 2.5 + (Urgent === true ? 100 : 0));
}

/** The tag is that of the state: a new one with each change, and none without. Whose turn it is is not part of it. */
function checkEntityTag(then: JsonObject, now: JsonObject, { kind }: Call): void {
  const [before, after] = [textAt(then, "etag"), textAt(now, "etag")];
  assert.ok(after >= before);
  if (after === before && kind !== "next") assert.deepEqual(now, then);
  if (after !== before) assert.ok(!textAt(then, "status").startsWith("Resolved-"), `${kind} changed a closed case`);
  if (kind === "next") assert.equal(after, before);
}

/** Checks that open assignments are unchanged and come first. */
function checkKept(then: JsonObject, now: JsonObject): void {
  const [before, after] = [then, now].map((answer) => valueAt(answer, "data.caseInfo.assignments"));
  assert.ok(Array.isArray(before) && Array.isArray(after));
  assert.deepEqual(after.slice(0, before.length), before);
}
