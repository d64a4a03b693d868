/** What a program may rely on in an answer: what is not of the promised shape is refused where it enters. */
import assert from "node:assert/strict";
import { checkAnswer } from "../../lib/answers/answers.ts";
import type { Answers } from "../../lib/answers/answer_types.ts";
import type { JsonValue } from "../../utils/json.ts";

/** Each shape that has a list, with an answer around the list. */
const LISTS: readonly [shape: keyof Answers, around: (list: JsonValue) => JsonValue][] = [
  ["stages", (stages) => ({ stages })],
  ["caseTypes", (caseTypes) => ({ caseTypes })],
  ["ancestors", (ancestors) => ({ ancestors })],
  ["ancestors", (list) => list],
  ["descendants", (childCases) => ({ childCases })],
  ["bulk", (results) => ({ results })],
  ["bulk", (list) => list],
  ["bulkActions", (bulkActions) => ({ bulkActions })],
  ["attachmentCategories", (attachment_categories) => ({ attachment_categories })],
  ["recordActions", (actions) => ({ actions })],
  ["dataObjects", (dataObjects) => ({ dataObjects })],
  ["dataPages", (dataPages) => ({ dataPages })],
  ["viewRows", (data) => ({ data })],
  ["rows", (data) => ({ data })],
  ["participants", (participants) => ({ participants })],
  ["participantRoles", (participantRoles) => ({ participantRoles })],
  ["tags", (tagsList) => ({ tagsList })],
  ["followers", (followers) => ({ followers })],
  ["relatedCases", (associatedCases) => ({ associatedCases })],
  ["multiStatus", (list) => list],
  ["messages", (messages) => ({ messages })],
  ["feed", (pxResults) => ({ data: { FeedList: { pxResults } } })],
  ["mentions", (list) => list],
  ["usedTags", (tags) => ({ tags })],
  ["conversation", (messages) => ({ id: "X", messages })],
  ["conversations", (conversations) => ({ conversations })],
  ["agents", (list) => list],
  ["insight", (rows) => ({ data: { rows } })],
  ["personalizations", (personalizations) => ({ personalizations })],
  ["attachments", (attachments) => ({ attachments })],
];

Deno.test("an answer is refused where its list is none, or holds what is no element of it", () => {
  for (const [shape, around] of LISTS) {
    checkAnswer(shape, { body: around([]) });
    for (const list of ["", 5, [null], [5], [[]]]) {
      const what = `${shape}: ${JSON.stringify(list)}`;
      assert.throws(() => checkAnswer(shape, { body: around(list) }), { code: "INVALID_RESPONSE" }, what);
    }
  }
});

Deno.test("what other services leave out of an answer is filled in where it is known", () => {
  const content = { data: { caseInfo: { content: { pyLastName: "Ada" } } }, uiResources: {} };
  assert.deepEqual(checkAnswer("participant", { body: content }, "PARTY-1"), { id: "PARTY-1", ...content });
  assert.deepEqual(checkAnswer("page", { body: { uiResources: {} } }), { data: {}, uiResources: {} });
  assert.deepEqual(checkAnswer("ancestors", { body: [{ ID: "C-1" }] }), { ancestors: [{ ID: "C-1" }] });
});
