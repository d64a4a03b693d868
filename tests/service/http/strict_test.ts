/** A strict service accepts what the published API has, and refuses what it does not have. */
import assert from "node:assert/strict";
import { writeBody } from "../../../lib/operation/body_path.ts";
import { listParams, type Operation } from "../../../lib/operation/operation.ts";
import { loadResources } from "../../../lib/resources/mod.ts";
import { Invalid } from "../../../service/errors.ts";
import { createRequestCheck } from "../../../service/http/accepted.ts";
import type { JsonObject, JsonValue } from "../../../utils/json.ts";
import { openService, readErrorDetails, type TestService } from "../../harness/service.ts";
import { textAt, valueAt } from "../../harness/service_engine.ts";
import { PUBLISHED, type PublishedOperation } from "./_published.ts";

const PERMIT = "City-Permit-Work-Permit";

const operations = Object.values(await loadResources()).flatMap((group) => Object.values(group));

/** A published operation, and the operation that serves it. */
interface Pair extends PublishedOperation {
  readonly operation: Operation;
  /** Query parameters, each with its values. A parameter without values takes any text. */
  readonly parameters: readonly (readonly [name: string, values: readonly string[]])[];
}

const pairs = PUBLISHED.map((published): Pair => {
  const [target = "", query = ""] = published.request.split("?");
  const nameless = (path: string) => path.replaceAll(/\{\w+\}/g, "{}");
  const operation = operations.find(({ method, path }) => nameless(`${method} ${path}`) === nameless(target));
  assert.ok(operation, `the service has no ${target}`);
  const parameters = query.split("&").filter((part) => part !== "").map((part): [string, string[]] => {
    const [name = "", values = ""] = part.split("=");
    return [name, values.split("|").filter((value) => value !== "")];
  });
  return { ...published, operation, parameters };
});

/** Checks a request strictly. Returns the reason why it is refused. */
function refuse(operation: Operation, query: Record<string, string>, body?: JsonObject): string | undefined {
  try {
    createRequestCheck(operation, true)({ query: new URLSearchParams(query), body });
    return undefined;
  } catch (error) {
    assert.ok(error instanceof Invalid, String(error));
    return error.message;
  }
}

Deno.test("a strict service accepts each query parameter of the published API, with each value", () => {
  for (const { request, operation, parameters } of pairs) {
    for (const [name, values] of parameters) {
      for (const value of values.length === 0 ? ["a text"] : values) {
        assert.equal(refuse(operation, { [name]: value }), undefined, `${request} ${name}=${value}`);
      }
    }
  }
});

Deno.test("a strict service accepts each member of a body of the published API", () => {
  for (const { request, operation, body: paths = [] } of pairs) {
    const body: JsonObject = {};
    for (const path of paths) writeBody(body, path, path.includes("[]") ? ["x"] : "x");
    assert.equal(refuse(operation, {}, body), undefined, `${request} ${JSON.stringify(body)}`);
  }
});

Deno.test("a strict service refuses an unknown query parameter of each operation", () => {
  for (const operation of operations) {
    const takesAny = listParams(operation).some(([, { to }]) => to === "query:*");
    const reason = refuse(operation, { unheardOf: "1" }) ?? "none";
    assert.match(reason, takesAny ? /^none$/ : /^The query has no parameter 'unheardOf'/, operation.path);
  }
});

Deno.test("a strict service refuses an unknown member where the published API describes the members", () => {
  for (const { request, operation, body: paths = [] } of pairs) {
    if (paths.length === 0 || operation.path.startsWith("/data")) continue;
    assert.match(String(refuse(operation, {}, { unheardOf: 1 })), /^The body has no member 'unheardOf'/, request);
    const inner = paths.find((path) => path.includes("[]."));
    if (inner === undefined) continue;
    const body: JsonObject = {};
    writeBody(body, inner.replace(/\.\w+$/, ".unheardOf"), ["x"]);
    assert.match(String(refuse(operation, {}, body)), /\(1\) has no member 'unheardOf'/, request);
  }
});

Deno.test("the service demands a query parameter that the published API demands, and a strict one also the entity tag", () => {
  for (const { request, operation, needs = [], tag } of pairs) {
    const query = listParams(operation).filter(([, { to }]) => to.startsWith("query:"));
    for (const name of needs) {
      const param = query.find(([, { to }]) => to === `query:${name}` || to === "query:*")?.[1];
      assert.ok(param?.required || param?.default !== undefined || param?.identifies, `${request} ${name}`);
    }
    assert.equal(operation.tagDemand !== undefined, tag === true, request);
  }
});

Deno.test("no operation names a query parameter or a member twice", () => {
  for (const operation of operations) {
    const { method, path, accepts: { query = {}, body = [] } = {} } = operation;
    const places = listParams(operation).map(([, { to }]) => to);
    const more = [...Object.keys(query).map((name) => `query:${name}`), ...[body].flat().map((one) => `body:${one}`)];
    assert.deepEqual(more.filter((place) => places.some((one) => one === place)), [], `${method} ${path}`);
    assert.equal(new Set(more).size, more.length, `${method} ${path}`);
  }
});

async function createPermit(svc: TestService): Promise<{ caseAt: string; workAt: string; tag: string }> {
  const body = { caseTypeID: PERMIT, content: { Applicant: "Ada", Address: "Dam 1" } };
  const created = await svc.call("POST", "/cases", { body });
  return {
    caseAt: `/cases/${encodeURIComponent(textAt(created.body, "ID"))}`,
    workAt: `/assignments/${encodeURIComponent(textAt(created.body, "nextAssignmentInfo.ID"))}`,
    tag: String(created.headers.get("etag")),
  };
}

type Refused = readonly [method: string, path: string, body: JsonValue | undefined, status: number, reason: RegExp];

Deno.test("a strict service refuses over HTTP what the default service accepts", async () => {
  const answers = async (strict: boolean) => {
    await using svc = await openService({ strict });
    const { caseAt, workAt, tag } = await createPermit(svc);
    const register = `${workAt}/actions/Register`;
    const paging = { maxResultsToFetch: 10, pageNumber: 1 };
    const attachments = [{ type: "URL", category: "URL", name: "Site", url: "https://city.example", size: 1 }];
    const whens = [{ name: "IsLarge", context: "content", expected: true }];
    const fields = [{ name: ".Fee", context: "content" }];
    const refused: Refused[] = [
      ["GET", `${caseAt}?viewtype=page`, undefined, 400, /no parameter 'viewtype'; did you mean 'viewType'\?$/],
      ["GET", `${caseAt}/tags?x=1`, undefined, 400, /The query has no parameter 'x'$/],
      ["GET", "/data_pages", undefined, 400, /type: is required/],
      [
        "DELETE",
        "/data/D_Inspectors?ID=I-1&Name=Ada",
        undefined,
        400,
        /Name is not a key of the record\. Its keys are ID\./,
      ],
      ["POST", "/data_views/D_Permits", { paging }, 400, /MaxResultsToFetch and paging information both are not/],
      ["PATCH", `${register}/refresh`, { content: {}, contents: {} }, 400, /did you mean 'content'\?$/],
      [
        "PATCH",
        `${register}/recalculate`,
        { calculations: { fields, whens } },
        400,
        /whens\(1\) has no member 'expected'/,
      ],
      ["POST", `${caseAt}/tags`, { tags: [{ Name: "hot", color: "red" }] }, 400, /tags\(1\) has no member 'color'/],
      ["POST", `${caseAt}/attachments`, { attachments }, 400, /attachments\(1\) has no member 'size'/],
      ["PATCH", register, { content: {}, note: "x" }, 400, /The body has no member 'note'/],
    ];
    const found: number[] = [];
    for (const [method, path, body, status, reason] of refused) {
      const answer = await svc.call(method, path, { body, headers: { "if-match": tag } });
      found.push(answer.status);
      if (!strict) continue;
      const message = String(readErrorDetails(answer.body)[0]?.message);
      assert.deepEqual([answer.status, reason.test(message)], [status, true], `${method} ${path}: ${message}`);
    }
    return found;
  };
  assert.deepEqual(await answers(true), Array(10).fill(400));
  assert.deepEqual(await answers(false), [200, 200, 200, 404, 200, 200, 200, 207, 201, 200]);
});

Deno.test("a strict service pages as the published API, up to 5,000 rows", async () => {
  await using svc = await openService({ strict: true });
  const query = async (paging: JsonObject) => await svc.call("POST", "/data_views/D_Permits", { body: { paging } });
  for (const name of ["pageSize", "maxResultsToFetch"]) {
    assert.equal((await query({ [name]: 5000 })).status, 200, name);
    const { status, body } = await query({ [name]: 5001 });
    assert.deepEqual([status, readErrorDetails(body)[0]?.message], [
      400,
      `paging.${name} must be a whole number from 1 to 5000.`,
    ]);
  }
  assert.deepEqual(valueAt((await query({ pageNumber: 2 })).body, "pageSize"), 100);
});
