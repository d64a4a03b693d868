/** `svc social`: messages, likes, mentions, tags and feeds. */
import assert from "node:assert/strict";
import type { JsonObject, JsonValue } from "../../../utils/json.ts";
import operations from "../../../lib/resources/social.ts";
import { openLiveForAll } from "../../harness/service.ts";
import { textAt, valueAt } from "../../harness/service_engine.ts";

const live = await openLiveForAll();
const REVIEWER = "reviewer@city";
const QUESTION = "City-Permit-Social-Question";
const APPLICATION = "DATA-PORTAL $CityPermits";

/** Posts a message and returns it. */
async function post(contextId: string, text: string, operator?: string, flags = ""): Promise<JsonObject> {
  return await live.object(`social post-message --context '${contextId}' --message '${text}' ${flags}`, operator);
}

function listOf(value: JsonValue | undefined, member: string): (JsonValue | undefined)[] {
  assert.ok(Array.isArray(value), JSON.stringify(value));
  return value.map((element) => valueAt(element, member));
}

Deno.test("post-message returns the message with its mentions and tags, and get-message reads it", async () => {
  const caseId = await live.createPermit();
  const posted = await post(caseId, "Plan of @Rosa and @decider@city received. #Urgent #site-plan");
  assert.match(textAt(posted, "id"), /^PEGASOCIAL-MESSAGE M-\d+$/);
  const { ID, context, tags, replies } = posted;
  assert.deepEqual([ID, context, tags, replies], [posted.id, caseId, ["urgent", "site-plan"], []]);
  assert.deepEqual(listOf(posted.mentions, "mentionsID"), [REVIEWER, "decider@city"]);
  assert.deepEqual(posted.postedByUser, { ID: "clerk@city", name: "Clara Clerk" });
  assert.deepEqual(await live.object(`social get-message '${posted.id}'`), posted);
});

Deno.test("a message can be posted to an operator, to the application and with a type that has a queue", async () => {
  for (const place of [REVIEWER, APPLICATION]) assert.equal((await post(place, "Good morning")).context, place);
  const question = await post(REVIEWER, "May we begin?", undefined, `--message-type ${QUESTION}`);
  assert.deepEqual([question.messageType, question.pyRouteToWorkbasket], [QUESTION, "Review"]);
  const routed = await post(APPLICATION, "Site visit needed", undefined, "--route-to-workbasket Inspection");
  assert.equal(routed.pyRouteToWorkbasket, "Inspection");
  const changed = await live.object(`social update-message '${routed.id}' --message 'Visit needed'`);
  assert.equal(changed.pyRouteToWorkbasket, "Inspection", "it stays where it is unless it is sent elsewhere");
  const found = await live.object("social list-messages --filter-by messages --filter-for inspector@city");
  assert.ok(listOf(found.messages, "id").includes(routed.id), "who takes work from the queue finds the message");
});

Deno.test("a reply belongs to its message, and so does a reply to a reply", async () => {
  const { id } = await post(await live.createPermit(), "Who visits the site?");
  const reply = await post(textAt({ id }, "id"), "I do", REVIEWER);
  const second = await post(textAt(reply, "id"), "Thank you");
  assert.deepEqual([reply.parentID, second.parentID], [id, id]);
  const read = await live.object(`social get-message '${id}'`);
  assert.deepEqual(listOf(read.replies, "message"), ["I do", "Thank you"]);
  const own = await live.object("social list-messages --filter-by All --filter-for clerk@city --page-size 1000");
  const listed = listOf(own.messages, "id");
  assert.deepEqual([id, second.id].map((one) => listed.includes(one)), [true, false]);
});

Deno.test("update-message changes text, mentions and tags, only for the author and with a current tag", async () => {
  const { id, etag } = await post(await live.createPermit(), "First #draft");
  const update = `social update-message '${id}' --message 'Second @Dan #final'`;
  assert.equal((await live.refused(update, REVIEWER)).code, "FORBIDDEN");
  const changed = await live.object(`${update} --if-match '${etag}'`);
  assert.deepEqual([changed.message, changed.tags], ["Second @Dan #final", ["final"]]);
  assert.deepEqual(listOf(changed.mentions, "mentionsID"), ["decider@city"]);
  assert.ok(changed.updatedTime);
  assert.equal((await live.refused(`${update} --if-match '${etag}'`)).code, "PRECONDITION_FAILED");
  assert.equal((await live.object(`social get-message '${id}'`)).message, changed.message);
});

Deno.test("delete-message deletes a message with its replies, only for the author", async () => {
  const { id } = await post(await live.createPermit(), "Wrong case");
  const reply = await post(textAt({ id }, "id"), "Indeed", REVIEWER);
  assert.equal((await live.refused(`social delete-message '${id}'`, REVIEWER)).code, "FORBIDDEN");
  assert.deepEqual(await live.run(`social delete-message '${id}'`), { code: 0, stdout: "", stderr: "" });
  for (const gone of [id, reply.id]) {
    assert.equal((await live.refused(`social get-message '${gone}'`)).code, "NOT_FOUND");
  }
});

Deno.test("an operator likes a message once and can unlike it", async () => {
  const { id } = await post(await live.createPermit(), "Done");
  for (const operator of ["clerk@city", REVIEWER, REVIEWER, "clerk@city"]) {
    assert.match((await live.run(`social like-message '${id}'`, operator)).stdout, /You like the message\./);
  }
  const likes = await live.object(`social list-likes '${id}'`);
  assert.deepEqual([likes.id, likes.pxLikeCount, likes.pxIsLiked], [id, 2, true]);
  assert.deepEqual(listOf(likes.likes, "ID"), ["clerk@city", REVIEWER]);
  for (const _ of [1, 2]) {
    assert.match((await live.run(`social unlike-message '${id}'`)).stdout, /You no longer like the message\./);
  }
  const message = await live.object(`social get-message '${id}'`);
  assert.deepEqual(message.likes, { pxLikeCount: 1, pxIsLiked: false });
});

Deno.test("list-messages pages through the messages of a case, newest first", async () => {
  const caseId = await live.createPermit();
  for (const text of ["one", "two", "three"]) await post(caseId, text);
  const line = `social list-messages --filter-by messages --filter-for '${caseId}' --page-size 2`;
  const first = await live.object(line);
  assert.deepEqual([listOf(first.messages, "message"), first.hasMoreResults], [["three", "two"], true]);
  const rest = await live.object(`${line} --older-than ${valueAt(first, "messages.1.postedTime")}`);
  assert.deepEqual([listOf(rest.messages, "message"), rest.hasMoreResults], [["one"], false]);
});

Deno.test("the help of list-messages lists exactly the sources that it accepts", async () => {
  const { help } = operations.listMessages.flags.filterBy;
  for (const source of ["messages", "mentions", "history", "All"]) {
    const { code } = await live.run(`social list-messages --filter-by ${source} --filter-for ${REVIEWER}`);
    assert.equal(help.includes(source), code === 0, source);
  }
});

Deno.test("get-feed merges messages and history of a case and shows only the chosen sources", async () => {
  const caseId = await live.createPermit();
  const { id } = await post(caseId, "Received");
  await live.object(`cases perform-action '${caseId}' --action Expedite`);
  const line = `social get-feed pyCaseFeed --filter-for '${caseId}' --feed-class City-Permit-Work-Permit`;
  const feed = await live.object(line);
  assert.equal(feed.id, "pyCaseFeed");
  const sources = listOf(valueAt(feed, "data.FeedList.pxResults"), "pyFeedSourceReference");
  assert.deepEqual(sources.slice(0, 2), ["history", "messages"]);
  assert.equal(sources.at(-1), "history");
  const messages = await live.object(`${line} --filter-by messages`);
  assert.deepEqual(listOf(valueAt(messages, "data.FeedList.pxResults"), "pzInsKey"), [id]);
  assert.deepEqual(listOf(valueAt(messages, "data.FeedFilters.pxResults"), "pySelected"), [true, false]);
});

Deno.test("replies in a feed have the format of the entry to which they reply", async () => {
  const caseId = await live.createPermit();
  const id = textAt(await post(caseId, "Received"), "id");
  const replies = [await post(id, "Thank you"), await post(id, "When?")];
  await live.run(`social like-message '${replies[0]?.id}'`);
  const feed = await live.object(`social get-feed pyCaseFeed --filter-for '${caseId}' --filter-by messages`);
  const entry = valueAt(feed, "data.FeedList.pxResults.0");
  const found = valueAt(entry, "pxResults");
  assert.deepEqual(listOf(found, "pzInsKey"), replies.map((reply) => reply.id));
  assert.deepEqual(listOf(found, "pyMessage"), ["Thank you", "When?"]);
  assert.deepEqual(listOf(found, "pyLikes"), [{ pxLikeCount: 1, pxIsLiked: true }, {
    pxLikeCount: 0,
    pxIsLiked: false,
  }]);
  const { parentID, ...reply } = Object(valueAt(found, "0"));
  assert.deepEqual([parentID, Object.keys(reply)], [id, Object.keys(Object(entry))]);
});

Deno.test("the feed of the dashboard contains all messages, and that of an operator only related ones", async () => {
  const caseId = await live.createPermit();
  const mention = await post(caseId, "For @Ines Inspector");
  const other = await post(caseId, "For all");
  const ids = async (line: string) => listOf(valueAt(await live.object(line), "data.FeedList.pxResults"), "pzInsKey");
  const all = await ids(`social get-feed pyDashboardFeed --filter-for '${APPLICATION}'`);
  assert.ok([mention.id, other.id].every((id) => all.includes(id)));
  assert.ok(all.some((id) => String(id).startsWith(`HISTORY-WORK ${caseId}!`)));
  const own = await ids("social get-feed pyUserFeed --filter-for inspector@city --filter-by mentions");
  assert.ok(own.includes(mention.id) && !own.includes(other.id));
});

Deno.test("the feed of an operator contains own messages and actions, and messages to the operator's queues", async () => {
  const inspector = "inspector@city";
  const ids = async (source: string) => {
    const line = `social get-feed pyUserFeed --filter-for ${inspector} --filter-by ${source} --page-size 1000`;
    return listOf(valueAt(await live.object(line), "data.FeedList.pxResults"), "pzInsKey");
  };
  const theirs = [
    await post(APPLICATION, "Who drives?", inspector),
    await post(APPLICATION, "Go there", undefined, "--route-to-workbasket Inspection"),
  ];
  const other = await post(APPLICATION, "Decide it", undefined, "--route-to-workbasket Decision");
  const messages = await ids("messages");
  assert.deepEqual([...theirs, other].map(({ id }) => messages.includes(id)), [true, true, false]);
  const caseId = await live.createPermit();
  await live.object(`cases perform-action '${caseId}' --action Expedite`, inspector);
  const lines = await ids("history");
  assert.equal(lines.filter((id) => String(id).includes(caseId)).length, 1, "and not that it was created");
});

Deno.test("get-message-type returns the form of a message", async () => {
  const form = await live.object("social get-message-type City-Permit-Social-Question");
  assert.deepEqual([form.id, form.maxLength], [QUESTION, 1000]);
  assert.equal(valueAt(form, "uiResources.resources.fields.pyMessage.0.maxLength"), 1000);
});

Deno.test("list-mentions suggests operators, those in use at the place first", async () => {
  assert.deepEqual(listOf(await live.json("social list-mention-types"), "id"), ["Users"]);
  const caseId = await live.createPermit();
  await post(caseId, "@Dan, please look");
  const line = `social list-mentions --mentions-type Users --context '${caseId}'`;
  assert.deepEqual(listOf(await live.json(`${line} --list-size 2`), "mentionsID"), ["clerk@city", "decider@city"]);
  assert.deepEqual(listOf(await live.json(`${line} --search-for @ROS`), "caption"), ["Rosa Reviewer"]);
});

Deno.test("list-suggested-tags and search-tags return tags of the context first, then the most used", async () => {
  const caseId = await live.createPermit();
  await post(await live.createPermit(), "#grün #zoning #rezoned");
  await post(await live.createPermit(), "#zoning");
  await post(caseId, "#rezoned");
  const { tags } = await live.object(`social list-suggested-tags --context '${caseId}'`);
  assert.ok(Array.isArray(tags));
  assert.equal(tags[0], "rezoned");
  assert.ok(tags.indexOf("zoning") < tags.indexOf("grün"));
  await live.json(`tags add '${caseId}' --tag 'zone 30'`);
  const suggested = await live.object(`social list-suggested-tags --context '${caseId}'`);
  assert.equal(valueAt(suggested, "tags.1"), "zone 30", "the tags of cases count too");
  const search = await live.object("social search-tags --search-for ZON --list-size 2");
  assert.deepEqual(search, { tags: ["zoning", "zone 30"] });
});

Deno.test("deleting a case deletes its messages", async () => {
  const caseId = await live.createPermit();
  const { id } = await post(caseId, "Only here #vanishing");
  assert.equal((await live.run(`cases delete '${caseId}'`)).code, 0);
  assert.equal((await live.refused(`social get-message '${id}'`)).code, "NOT_FOUND");
  assert.deepEqual(await live.object("social search-tags --search-for vanishing"), { tags: [] });
});

const UNKNOWN = "'PEGASOCIAL-MESSAGE M-0'";
const REFUSALS: [line: string, code: string, message: RegExp][] = [
  ["post-message --context Nowhere --message hi", "NOT_FOUND", /no case, operator or message 'Nowhere'/],
  [`post-message --context ${REVIEWER} --message ' '`, "BAD_REQUEST", /must not be empty/],
  [`post-message --context ${REVIEWER} --message hi --message-type X`, "BAD_REQUEST", /no type 'X'/],
  [`post-message --context ${REVIEWER} --message hi --route-to-workbasket X`, "BAD_REQUEST", /no queue 'X'/],
  [
    `post-message --context ${REVIEWER} --message '${"x".repeat(1001)}' --message-type ${QUESTION}`,
    "BAD_REQUEST",
    /1000/,
  ],
  [`get-message ${UNKNOWN}`, "NOT_FOUND", /no message/],
  [`update-message ${UNKNOWN} --message hi`, "NOT_FOUND", /no message/],
  [`delete-message ${UNKNOWN}`, "NOT_FOUND", /no message/],
  [`like-message ${UNKNOWN}`, "NOT_FOUND", /no message/],
  [`list-likes ${UNKNOWN}`, "NOT_FOUND", /no message/],
  [`unlike-message ${UNKNOWN}`, "NOT_FOUND", /no message/],
  ["list-messages --filter-by messages --filter-for Nowhere", "NOT_FOUND", /no case, operator/],
  [`list-messages --filter-by history --filter-for ${REVIEWER}`, "BAD_REQUEST", /no source 'history'/],
  [`list-messages --filter-by messages --filter-for ${REVIEWER} --older-than soon`, "BAD_REQUEST", /ISO 8601/],
  [`list-messages --filter-by messages --filter-for ${REVIEWER} --page-size 0`, "BAD_REQUEST", /from 1 to/],
  [`list-messages --filter-by messages --filter-for ${REVIEWER} --page-size 1001`, "BAD_REQUEST", /to 1000/],
  [`get-feed pyNoFeed --filter-for ${REVIEWER}`, "NOT_FOUND", /no feed 'pyNoFeed'/],
  [`get-feed constructor --filter-for ${REVIEWER}`, "NOT_FOUND", /no feed 'constructor'/],
  [`get-feed pyCaseFeed --filter-for ${REVIEWER}`, "BAD_REQUEST", /is a feed of a case/],
  ["get-feed pyUserFeed --filter-for Nowhere", "NOT_FOUND", /no case, operator/],
  ["get-message-type X", "NOT_FOUND", /no message type 'X'/],
  ["list-mentions --mentions-type Cars", "BAD_REQUEST", /no type 'Cars'; available: Users/],
  ["list-mentions --mentions-type Users --context Nowhere", "NOT_FOUND", /no case/],
  ["list-suggested-tags --context Nowhere", "NOT_FOUND", /no case/],
  ["search-tags --list-size 0", "BAD_REQUEST", /from 1 to/],
];

Deno.test("invalid requests are refused with the reason", async () => {
  for (const [line, code, message] of REFUSALS) {
    const error = await live.refused(`social ${line}`);
    assert.equal(error.code, code, line);
    assert.match(JSON.stringify(error.details), message, line);
  }
});
