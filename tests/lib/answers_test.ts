/** Checks of answers: a response that does not have the promised shape is rejected. */
import assert from "node:assert/strict";
import { checkAnswer } from "../../lib/client/response/check_answer.ts";
import { SvcError } from "../../lib/errors.ts";
import aiAgents from "../../lib/resources/ai_agents.ts";
import assignments from "../../lib/resources/assignments.ts";
import attachments from "../../lib/resources/attachments.ts";
import caseTypes from "../../lib/resources/case_types.ts";
import cases from "../../lib/resources/cases.ts";
import data from "../../lib/resources/data.ts";
import followers from "../../lib/resources/followers.ts";
import pages from "../../lib/resources/pages.ts";
import participants from "../../lib/resources/participants.ts";
import related from "../../lib/resources/related.ts";
import social from "../../lib/resources/social.ts";
import tags from "../../lib/resources/tags.ts";
import uiLists from "../../lib/resources/ui_lists.ts";
import type { Operation } from "../../lib/operation/operation.ts";
import { filterObjects, type JsonValue } from "../../utils/json.ts";

/** Each operation that answers a list, with a body around the list. */
const LISTS: readonly [operation: Operation, around: (list: JsonValue) => JsonValue][] = [
  [cases.listStages, (stages) => ({ stages })],
  [caseTypes.list, (caseTypes) => ({ caseTypes })],
  [cases.listAncestors, (ancestors) => ({ ancestors })],
  [cases.listAncestors, (list) => list],
  [cases.listDescendants, (childCases) => ({ childCases })],
  [cases.bulkPerform, (results) => ({ results })],
  [cases.bulkPerform, (list) => list],
  [cases.bulkActions, (bulkActions) => ({ bulkActions })],
  [cases.listAttachmentCategories, (attachment_categories) => ({ attachment_categories })],
  [data.listActions, (actions) => ({ actions })],
  [data.listObjects, (dataObjects) => ({ dataObjects })],
  [data.listPages, (dataPages) => ({ dataPages })],
  [data.queryView, (data) => ({ data })],
  [data.query, (data) => ({ data })],
  [participants.list, (participants) => ({ participants })],
  [participants.listRoles, (participantRoles) => ({ participantRoles })],
  [tags.list, (tagsList) => ({ tagsList })],
  [followers.list, (followers) => ({ followers })],
  [related.list, (associatedCases) => ({ associatedCases })],
  [tags.add, (list) => list],
  [social.listMessages, (messages) => ({ messages })],
  [social.getFeed, (pxResults) => ({ data: { FeedList: { pxResults } } })],
  [social.listMentions, (list) => list],
  [social.searchTags, (tags) => ({ tags })],
  [aiAgents.getConversation, (messages) => ({ id: "X", messages })],
  [aiAgents.listConversations, (conversations) => ({ conversations })],
  [aiAgents.list, (list) => list],
  [pages.insight, (rows) => ({ data: { rows } })],
  [uiLists.listPersonalizations, (personalizations) => ({ personalizations })],
  [attachments.list, (attachments) => ({ attachments })],
];

Deno.test("a response is refused if its list is not one, or contains an element that cannot belong to it", () => {
  for (const [{ path, answer }, around] of LISTS) {
    checkAnswer(answer, { body: around([]) });
    for (const list of ["", 5, [null], [5], [[]]]) {
      const what = `${path}: ${JSON.stringify(list)}`;
      assert.throws(() => checkAnswer(answer, { body: around(list) }), { code: "INVALID_RESPONSE" }, what);
    }
  }
});

/** Operations whose answer is a list, with the name of its container; undefined for a bare list. */
const NAMED_LISTS: readonly [operation: Operation, name?: string][] = [
  [cases.listStages, "stages"],
  [caseTypes.list, "caseTypes"],
  [cases.listAncestors, "ancestors"],
  [cases.listDescendants, "childCases"],
  [cases.bulkPerform, "results"],
  [cases.bulkActions, "bulkActions"],
  [cases.listAttachmentCategories, "attachment_categories"],
  [data.listActions, "actions"],
  [data.listObjects, "dataObjects"],
  [data.listPages, "dataPages"],
  [data.queryView, "data"],
  [data.query, "data"],
  [participants.list, "participants"],
  [participants.listRoles, "participantRoles"],
  [tags.list, "tagsList"],
  [followers.list, "followers"],
  [related.list, "associatedCases"],
  [social.listMessages, "messages"],
  [aiAgents.listConversations, "conversations"],
  [uiLists.listPersonalizations, "personalizations"],
  [attachments.list, "attachments"],
  [tags.add],
  [social.listMentions],
  [aiAgents.list],
];

Deno.test("a list is accepted alone and in a container of any name, and the body is in 'raw'", () => {
  const element = { id: "1", agentClass: "@baseclass", name: "A" };
  for (const [{ path, answer }, name] of NAMED_LISTS) {
    const read = (body: JsonValue) => {
      const value = checkAnswer(answer, { body });
      assert.ok(value instanceof Object && "raw" in value);
      assert.deepEqual(value.raw, body);
      return name === undefined ? value : Reflect.get(value, name);
    };
    const body = { texts: ["a"], things: [element], count: 1 };
    assert.deepEqual([read(body), read([element])], [[element], [element]], path);
    const ambiguous = { things: [element], others: [] };
    if (name !== undefined) assert.deepEqual(read({ ...ambiguous, [name]: [element, element] }).length, 2, path);
    const { required } = typeof answer === "object" && "required" in answer.shape ? answer.shape : {};
    if (name !== undefined && required === undefined) continue;
    const check = () => checkAnswer(answer, { body: ambiguous });
    assert.throws(check, (error) => error instanceof SvcError && error.raw === ambiguous, path);
  }
});

Deno.test("members of elements are not checked, and a missing 'id' is that of 'ID'", () => {
  for (
    const [{ answer }, list] of [[social.listMessages, "messages"], [
      aiAgents.listConversations,
      "conversations",
    ]] as const
  ) {
    const value = checkAnswer(answer, { body: { [list]: [{ ID: "1" }, { id: "2", ID: "3" }, {}] } });
    assert.ok(value instanceof Object);
    const ids = filterObjects(Reflect.get(value, list)).map(({ id }) => id);
    assert.deepEqual(ids, ["1", "2", undefined]);
  }
  assert.equal(checkAnswer(aiAgents.list.answer, { body: [{ name: "A" }] }).length, 1);
});

Deno.test("null stands for an empty list", () => {
  for (const [{ path, answer }, name] of NAMED_LISTS) {
    if (name === undefined) continue;
    const value = checkAnswer(answer, { body: { [name]: null } });
    assert.ok(value instanceof Object);
    assert.deepEqual(Reflect.get(value, name) ?? [], [], path);
  }
});

Deno.test("an error about a response has its body in 'raw', which is neither listed nor printed", () => {
  const body = { id: "C-1", more: [1] };
  assert.throws(() => checkAnswer(cases.get.answer, { body }), (error) => {
    assert.ok(error instanceof SvcError);
    assert.equal(error.with({ operation: "cases.get" }).raw, body);
    assert.ok(!Object.keys(error).includes("raw") && !("raw" in error.toJSON()));
    return true;
  });
});

Deno.test("an error names the member that does not have its shape", () => {
  const refusals: [Operation, JsonValue, string][] = [
    [cases.get, { id: "C-1", type: "T", status: "New" }, "The response has no valid 'data'."],
    [cases.get, { id: "C-1", type: "T", status: "New", data: {} }, "The response has no valid 'data.caseInfo'."],
    [social.searchTags, { tags: ["a", 1] }, "The response has no valid 'tags[1]'."],
    [data.count, [], "The response has no valid 'body'."],
  ];
  for (const [{ answer }, body, message] of refusals) {
    assert.throws(() => checkAnswer(answer, { body }), { code: "INVALID_RESPONSE", message });
  }
});

Deno.test("members that other services omit are filled in if they are known", () => {
  const content = { data: { caseInfo: { content: { pyLastName: "Ada" } } }, uiResources: {} };
  assert.deepEqual(checkAnswer(participants.get.answer, { body: content }, "PARTY-1"), { id: "PARTY-1", ...content });
  assert.deepEqual(checkAnswer(pages.portal.answer, { body: { uiResources: {} } }), { data: {}, uiResources: {} });
  const ancestors = [{ ID: "C-1" }];
  assert.deepEqual(checkAnswer(cases.listAncestors.answer, { body: ancestors }), { ancestors });
});

Deno.test("the whole body is reachable as 'raw', which is neither listed nor printed", () => {
  const body = { raw: "of the service", data: { caseInfo: { ID: "A", more: 1 } }, extra: [1] };
  const answer = checkAnswer(assignments.get.answer, { body, etag: "1" }, "A");
  assert.deepEqual(answer.raw, body);
  assert.deepEqual(Object.keys(answer), ["id", "etag", "data", "extra"]);
  assert.equal(JSON.stringify(answer), JSON.stringify({ id: "A", etag: "1", data: body.data, extra: [1] }));
  const list = checkAnswer(aiAgents.list.answer, { body: [{ agentClass: "@baseclass", name: "A", extra: 1 }] });
  assert.deepEqual(list.raw, [{ agentClass: "@baseclass", name: "A", extra: 1 }]);
  assert.equal(list.length, 1);
});
