/** `svc participants`: people in the roles of a case type. */
import assert from "node:assert/strict";
import type { JsonObject, JsonValue } from "../../../utils/json.ts";
import { openLiveForAll } from "../../harness/service.ts";
import { textAt, valueAt } from "../../harness/service_engine.ts";

const live = await openLiveForAll();
const ADA = '{"pyFirstName":"Ada","pyLastName":"Lovelace","pyEmail1":"ada@home.example"}';
const FIRE = '{"pyLastName":"Brand","Subject":"Fire safety"}';

/** Adds a participant and returns it. */
async function add(caseId: string, role = "Applicant", data = ADA): Promise<JsonObject> {
  return await live.object(`participants add '${caseId}' --role ${role} --data '${data}'`);
}

function list(caseId: string): Promise<JsonObject> {
  return live.object(`participants list '${caseId}'`);
}

/** Returns the last entry of a case's history. */
async function lastEvent(caseId: string): Promise<JsonValue | undefined> {
  const params = JSON.stringify({ CaseInstanceKey: caseId });
  const { data } = await live.object(`data query D_pyWorkHistory --params '${params}'`);
  return Array.isArray(data) ? valueAt(data.at(-1), "pyMessageKey") : undefined;
}

/** Returns a member of each detail of an error. */
function detailsOf({ details }: Record<string, unknown>, member: string): unknown[] {
  return Array.isArray(details) ? details.map((detail) => detail[member]) : [];
}

function tagOf(answer: JsonObject): string {
  return textAt(answer, "etag");
}

Deno.test("add returns the participant, changes the case and adds a history entry", async () => {
  const caseId = await live.createPermit();
  const before = tagOf(await live.object(`cases get '${caseId}'`));
  const added = await add(caseId);
  assert.match(textAt(added, "id"), /^PARTY-\d+$/);
  assert.deepEqual([added.participantRoleID, added.roleName], ["Applicant", "Applicant"]);
  assert.deepEqual(valueAt(added, "data.caseInfo.content"), {
    classID: "Data-Party",
    pyFirstName: "Ada",
    pyLastName: "Lovelace",
    pyEmail1: "ada@home.example",
    pyPhoneNumber: "",
  });
  const after = tagOf(await live.object(`cases get '${caseId}'`));
  assert.equal(after, tagOf(added));
  assert.ok(after > before);
  assert.equal(await lastEvent(caseId), "Added Ada Lovelace as Applicant");
});

Deno.test("list shows the participants in the order in which they were added", async () => {
  const caseId = await live.createPermit();
  assert.deepEqual(await list(caseId), { participants: [] });
  const ids = [(await add(caseId)).id, (await add(caseId, "Adviser", FIRE)).id];
  ids.push((await add(caseId, "Adviser", '{"pyLastName":"Wegner","Subject":"Traffic"}')).id);
  const { participants } = await list(caseId);
  assert.ok(Array.isArray(participants));
  assert.deepEqual(participants.map((one) => valueAt(one, "ID")), ids);
  assert.deepEqual(participants.map((one) => valueAt(one, "participantRoleID")), ["Applicant", "Adviser", "Adviser"]);
  assert.equal(valueAt(participants, "1.content.Subject"), "Fire safety");
  assert.equal(valueAt(participants, "0.links.open.href"), `/cases/${caseId}/participants/${ids[0]}`);
});

Deno.test("get returns the participant with its form", async () => {
  const caseId = await live.createPermit();
  const { id } = await add(caseId, "Adviser", FIRE);
  const read = await live.object(`participants get '${caseId}' --participant-id ${id}`);
  assert.equal(read.id, id);
  assert.equal(valueAt(read, "data.caseInfo.content.pyLastName"), "Brand");
  assert.equal(valueAt(read, "uiResources.root.config.name"), "Adviser");
  assert.equal(valueAt(read, "uiResources.resources.fields.Subject.0.datasource.records.1.key"), "Heritage");
});

Deno.test("update changes only the given fields", async () => {
  const caseId = await live.createPermit();
  const { id } = await add(caseId);
  const update = `participants update '${caseId}' --participant-id ${id} --data '{"pyPhoneNumber":"555-0100"}'`;
  const { pyFirstName, pyPhoneNumber } = Object(valueAt(await live.object(update), "data.caseInfo.content"));
  assert.deepEqual([pyFirstName, pyPhoneNumber], ["Ada", "555-0100"]);
  assert.equal(valueAt(await list(caseId), "participants.0.content.pyPhoneNumber"), "555-0100");
  assert.equal(await lastEvent(caseId), "Changed Ada Lovelace, Applicant");
  const link = '[{"type":"URL","category":"URL","name":"Site","url":"https://ada.example"}]';
  await live.object(`participants update '${caseId}' --participant-id ${id} --attachments '${link}'`);
  assert.equal(valueAt(await live.object(`attachments list '${caseId}'`), "attachments.0.name"), "Site");
});

Deno.test("delete removes the participant and frees the role", async () => {
  const caseId = await live.createPermit();
  const { id } = await add(caseId);
  const removal = `participants delete '${caseId}' --participant-id ${id}`;
  assert.deepEqual(await live.run(removal), { code: 0, stdout: "", stderr: "" });
  assert.deepEqual(await list(caseId), { participants: [] });
  assert.equal(await lastEvent(caseId), "Removed Ada Lovelace, Applicant");
  assert.equal((await live.refused(removal)).code, "NOT_FOUND");
  assert.notEqual((await add(caseId)).id, id);
});

Deno.test("list-roles and get-role return the roles of the case type", async () => {
  const caseId = await live.createPermit();
  const { participantRoles } = await live.object(`participants list-roles '${caseId}'`);
  assert.ok(Array.isArray(participantRoles));
  assert.deepEqual(participantRoles.map((role) => [valueAt(role, "ID"), valueAt(role, "multiple")]), [
    ["Applicant", false],
    ["Adviser", true],
  ]);
  const role = await live.object(`participants get-role '${caseId}' --role-id Applicant`);
  assert.deepEqual([role.id, role.name, role.multiple], ["Applicant", "Applicant", false]);
  assert.equal(valueAt(role, "data.caseInfo.content.pyFirstName"), "");
  assert.equal(valueAt(role, "uiResources.resources.views.Applicant.0.children.0.children.0.config.required"), true);
});

Deno.test("a change with a stale entity tag is refused", async () => {
  const caseId = await live.createPermit();
  const stale = tagOf(await live.object(`cases get '${caseId}'`));
  const added = await live.object(
    `participants add '${caseId}' --role Applicant --data '${ADA}' --if-match '${stale}'`,
  );
  const changes = [
    `add '${caseId}' --role Adviser --data '${FIRE}'`,
    `update '${caseId}' --participant-id ${added.id} --data '{"pyFirstName":"Grace"}'`,
    `delete '${caseId}' --participant-id ${added.id}`,
  ];
  for (const change of changes) {
    const { code, status } = await live.refused(`participants ${change} --if-match '${stale}'`);
    assert.deepEqual([code, status], ["PRECONDITION_FAILED", 412], change);
  }
  const { participants } = await list(caseId);
  assert.deepEqual([valueAt(participants, "0.content.pyFirstName"), valueAt(participants, "1")], ["Ada", undefined]);
  const fresh = `participants delete '${caseId}' --participant-id ${added.id} --if-match '${tagOf(added)}'`;
  assert.equal((await live.run(fresh)).code, 0);
});

Deno.test("a role for one participant accepts only one", async () => {
  const caseId = await live.createPermit();
  await add(caseId);
  const refusal = await live.refused(`participants add '${caseId}' --role Applicant --data '${ADA}'`);
  assert.deepEqual([refusal.code, refusal.status], ["VALIDATION_FAIL", 422]);
  assert.deepEqual(detailsOf(refusal, "erroneousInputOutputIdentifier"), [undefined, "participantRoleID"]);
  const reason = "The role Applicant is for one participant, and the case has one already";
  assert.deepEqual(detailsOf(refusal, "message"), ["Error_Validation_Fail", reason]);
});

Deno.test("missing and invalid fields are refused with one detail each", async () => {
  const caseId = await live.createPermit();
  const refusal = await live.refused(
    `participants add '${caseId}' --role Applicant --data '{"pyEmail1":"unknown"}'`,
  );
  assert.equal(refusal.code, "VALIDATION_FAIL");
  const places = [undefined, ".pyEmail1", ".pyFirstName", ".pyLastName"];
  assert.deepEqual(detailsOf(refusal, "erroneousInputOutputFieldInPage"), places);
  const { id } = await add(caseId);
  const clearing = `participants update '${caseId}' --participant-id ${id} --data '{"pyLastName":""}'`;
  assert.equal((await live.refused(clearing)).code, "VALIDATION_FAIL");
  assert.equal(valueAt(await list(caseId), "participants.0.content.pyLastName"), "Lovelace");
});

Deno.test("fields that are not in the form of a participant are refused", async () => {
  const caseId = await live.createPermit();
  const line = `participants add '${caseId}' --role Applicant --data '{"Subject":"Traffic"}'`;
  const refusal = await live.refused(line);
  assert.equal(refusal.code, "BAD_REQUEST");
  assert.deepEqual(detailsOf(refusal, "message"), [
    "'Subject' is not a field of this form; available: pyFirstName, pyLastName, pyEmail1, pyPhoneNumber",
  ]);
});

Deno.test("an unknown role, participant or case is refused, and so is a participant of another case", async () => {
  const [caseId, other] = [await live.createPermit(), await live.createPermit()];
  const { id } = await add(other);
  const refusals: [line: string, code: string, end?: string][] = [
    [`add '${caseId}' --role Mayor --data '${ADA}'`, "BAD_REQUEST", "type Permit; available: Applicant, Adviser"],
    [`get-role '${caseId}' --role-id adviser`, "NOT_FOUND", "type Permit; did you mean 'Adviser'?"],
    [`get '${caseId}' --participant-id ${id}`, "NOT_FOUND"],
    [`update '${caseId}' --participant-id ${id} --data {}`, "NOT_FOUND"],
    [`delete '${caseId}' --participant-id ${id}`, "NOT_FOUND"],
    ["list 'CITY-PERMIT-WORK P-9999'", "NOT_FOUND"],
    ["list-roles 'CITY-PERMIT-WORK P-9999'", "NOT_FOUND"],
    [`add 'CITY-PERMIT-WORK P-9999' --role Applicant --data '${ADA}'`, "NOT_FOUND"],
  ];
  for (const [line, code, end = ""] of refusals) {
    const refused = await live.refused(`participants ${line}`);
    assert.deepEqual([refused.code, String(refused.message).endsWith(end)], [code, true], line);
  }
});

Deno.test("a resolved case accepts no participants", async () => {
  const caseId = await live.createPermit();
  const { id } = await add(caseId);
  const withdraw = `assignments perform 'ASSIGN-WORKLIST ${caseId}!INTAKE' --action Withdraw --fields status`;
  assert.deepEqual(await live.object(withdraw), { status: "Resolved-Withdrawn" });
  assert.equal((await live.refused(`participants delete '${caseId}' --participant-id ${id}`)).code, "CONFLICT");
  assert.equal(valueAt(await list(caseId), "participants.0.ID"), id);
});

Deno.test("a case that another operator has locked is refused with the operator's name", async () => {
  const caseId = await live.createPermit();
  await live.run(`assignments save 'ASSIGN-WORKLIST ${caseId}!INTAKE' --action Register --data '{"Applicant":"X"}'`);
  const line = `participants add '${caseId}' --role Applicant --data '${ADA}'`;
  const refusal = await live.refused(line, "reviewer@city");
  assert.equal(refusal.code, "LOCKED");
  assert.deepEqual(detailsOf(refusal, "message"), ["Resource is locked by Clara Clerk"]);
  assert.match(String(refusal.hint), /ask its author.*'svc cases discard-updates <case>' discards it/);
  assert.equal((await live.run(line)).code, 0, "the owner of the lock can continue");
});

Deno.test("deleting a case deletes its participants", async () => {
  const caseId = await live.createPermit();
  const { id } = await add(caseId);
  assert.equal((await live.run(`cases delete '${caseId}'`)).code, 0);
  assert.equal((await live.refused(`participants get '${caseId}' --participant-id ${id}`)).code, "NOT_FOUND");
});
