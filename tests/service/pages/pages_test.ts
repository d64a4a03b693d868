/** `svc pages`: pages, dashboards, insights, portals, channels and texts. */
import assert from "node:assert/strict";
import { isJsonObject, type JsonObject, type JsonValue } from "../../../utils/json.ts";
import { openLiveForAll, openService } from "../../harness/service.ts";
import { textAt, valueAt } from "../../harness/service_engine.ts";

const live = await openLiveForAll();
const PERMIT = "City-Permit-Work-Permit";

/** Returns the texts of a page, in order. */
function paragraphs(page: JsonObject): (JsonValue | undefined)[] {
  const all = valueAt(page, "uiResources.resources.paragraphs");
  return Object.values(all ?? {}).map((paragraph) => valueAt(paragraph, "0.content"));
}

/** Returns the types of the components in a response. */
function childTypes(answer: JsonObject): (JsonValue | undefined)[] {
  const children = valueAt(answer, `uiResources.resources.views.${answer.id}.0.children.0.children`);
  return Array.isArray(children)
    ? children.map((child) => valueAt(child, "config.type") ?? valueAt(child, "type"))
    : [];
}

Deno.test("get returns a page with its texts, its insight and its list", async () => {
  const page = await live.object("pages get Welcome --page-class Data-Portal", "reviewer@city");
  assert.deepEqual(Object.keys(page), ["id", "data", "uiResources"]);
  assert.deepEqual([page.id, valueAt(page, "data.name"), valueAt(page, "data.pageClass")], [
    "Welcome",
    "Welcome",
    "Data-Portal",
  ]);
  assert.deepEqual(paragraphs(page), ["Welcome, Rosa Reviewer."]);
  assert.deepEqual(childTypes(page), ["RichText", "insight", "view"]);
  const resources = Object.keys(page.uiResources ?? {});
  assert.deepEqual(resources, ["root", "resources", "components", "localeReferences", "context_data"]);
  assert.equal(valueAt(page, "uiResources.resources.datapages.D_Permits.isQueryable"), true);
});

Deno.test("get returns a page of a case type with defaults and calculated fields", async () => {
  const page = await live.object("pages get CaseSummary");
  assert.deepEqual(paragraphs(page), ["A new application; the fee is 50."]);
  const shown = ["Applicant", "Channel", "Fee"].map((name) => valueAt(page, `data.caseInfo.content.${name}`));
  assert.deepEqual(shown, ["", "Internet", 50]);
});

Deno.test("get-with-context returns a page with the current content of a case", async () => {
  const id = await live.createPermit({ Applicant: "Ada", Area: 40 });
  const line = `pages get-with-context CaseSummary --data-context '${id}'`;
  const page = await live.object(line);
  const number = id.split(" ")[1];
  assert.deepEqual(paragraphs(page), [`${number} is New; the fee is 150.`]);
  assert.deepEqual([valueAt(page, "data.caseInfo.ID"), valueAt(page, "data.caseInfo.content.Applicant")], [id, "Ada"]);
  assert.deepEqual(childTypes(page), ["RichText", "view"]);
  assert.equal(valueAt(page, "uiResources.resources.fields.Fee.0.displayAs"), "pxCurrency");
  await live.object(`cases stage-go '${id}' --stage Decision`);
  assert.deepEqual(paragraphs(await live.object(line)), [`${number} is Pending-Decision; the fee is 150.`]);
});

Deno.test("get-with-context accepts values as JSON and does not store them", async () => {
  const data = JSON.stringify({ Applicant: "Someone else", Area: 10, Urgent: true });
  const page = await live.object(`pages get-with-context CaseSummary --data-context '${data}'`);
  assert.deepEqual(paragraphs(page), ["A new application; the fee is 175."]);
  assert.equal(valueAt(page, "data.caseInfo.content.Applicant"), "Someone else");
  const count = await live.object(`data count D_Permits --data '${filterBy("Applicant", "Someone else")}'`);
  assert.equal(count.resultCount, 0);
});

Deno.test("insights return the same numbers as counting the current cases", async () => {
  for (const Channel of ["Desk", "Desk", "Post"]) await live.createPermit({ Applicant: "Ada", Channel, Area: 20 });
  const moved = await live.createPermit({ Applicant: "Bo", Channel: "Post", Urgent: true });
  await live.object(`cases stage-go '${moved}' --stage Decision`);
  const cases = rowsOf(await live.object("data query D_Permits"), "data");
  const byStatus = await live.object("pages insight PermitsByStatus");
  assert.deepEqual([byStatus.id, valueAt(byStatus, "data.chart")], ["PermitsByStatus", "Pie"]);
  const statuses = rowsOf(byStatus, "data.rows");
  assert.deepEqual(new Set(statuses.map((row) => row.pyStatusWork)), new Set(cases.map((row) => row.pyStatusWork)));
  for (const { pyStatusWork, Permits } of statuses) {
    assert.equal(Permits, cases.filter((one) => one.pyStatusWork === pyStatusWork).length);
  }
  assert.deepEqual(statuses, statuses.toSorted((a, b) => Number(b.Permits) - Number(a.Permits)), "the most come first");
  const channels = rowsOf(await live.object("pages insight FeesByChannel"), "data.rows");
  const kept = cases.filter((one) => one.pyStatusWork !== "Resolved-Withdrawn"); // The insight leaves out the others.
  assert.deepEqual(channels.map((row) => row.Channel), [...new Set(kept.map((row) => row.Channel))].toSorted());
  for (const { Channel, Permits, Total, Average, Largest } of channels) {
    const own = kept.filter((one) => one.Channel === Channel);
    const fees = own.reduce((sum, one) => sum + Number(one.Fee), 0);
    const areas = own.flatMap(({ Area }) => typeof Area === "number" ? [Area] : []);
    assert.deepEqual([Permits, Total, Average], [own.length, fees, fees / own.length]);
    assert.equal(Largest, areas.length === 0 ? null : Math.max(...areas));
  }
});

Deno.test("an insight applies its filter", async () => {
  const before = await permitsOf("E-mail");
  const id = await live.createPermit({ Applicant: "Ada", Channel: "E-mail" });
  assert.equal(await permitsOf("E-mail"), before + 1);
  const assignment = valueAt(await live.object(`cases get '${id}'`), "data.caseInfo.assignments.0.ID");
  await live.object(`assignments perform '${assignment}' --action Withdraw`);
  assert.equal(valueAt(await live.object(`cases get '${id}'`), "status"), "Resolved-Withdrawn");
  assert.equal(await permitsOf("E-mail"), before);
});

Deno.test("dashboard returns the numbers of each of its insights", async () => {
  await live.createPermit();
  const dashboard = await live.object("pages dashboard Permits");
  const insights = rowsOf(dashboard, "data.insights");
  assert.deepEqual([dashboard.id, insights.map(({ ID }) => ID)], ["Permits", ["PermitsByStatus", "FeesByChannel"]]);
  for (const { ID, rows } of insights) {
    assert.deepEqual(rows, valueAt(await live.object(`pages insight ${ID}`), "data.rows"));
  }
  assert.deepEqual(childTypes(dashboard), ["insight", "insight"]);
});

Deno.test("portal and channel link to their parts", async () => {
  const channel = await live.object("pages channel Web");
  assert.deepEqual([channel.id, valueAt(channel, "data.type")], ["Web", "Web"]);
  const portal = await live.object(`pages portal ${textAt(channel, "data.portal.ID")}`);
  assert.deepEqual([portal.id, valueAt(portal, "uiResources.context_data")], ["Desk", ""]);
  const pages = rowsOf(portal, "data.pages").map(({ ID, pageClass }) => [ID, pageClass]);
  assert.deepEqual(pages, [["Welcome", "Data-Portal"], ["CaseSummary", PERMIT]]);
  assert.equal(valueAt(portal, "data.dashboards.0.links.open.href"), "/dashboard/Permits");
  assert.equal(valueAt(portal, "data.caseTypes.0.ID"), PERMIT);
});

Deno.test("errors of portals and feeds name the application", async () => {
  await using service = await openService();
  const refused: [path: string, expected: number][] = [
    ["/portals/Hall", 404],
    ["/feeds/pyHallFeed?filterFor=clerk@city", 404],
    ["/feeds/pyCaseFeed?filterFor=clerk@city", 400],
    ["/feeds/pyCaseFeed", 400],
    ["/feeds/pyUserFeed?filterFor=clerk@city&pageSize=few", 400],
  ];
  for (const [path, expected] of refused) {
    const { status, body } = await service.call("GET", path);
    assert.deepEqual([status, valueAt(body, "pxApplicationLabel")], [expected, "City permits"], path);
  }
  const { body } = await service.call("GET", "/pages/Hall");
  assert.equal(valueAt(body, "pxApplicationLabel"), undefined);
});

Deno.test("localization returns the texts of a locale, or those of its language", async () => {
  const dutch = await live.object("pages localization nl_NL --fields id,Permits");
  assert.deepEqual(dutch, { id: "nl_NL", Permits: "Vergunningen" });
  assert.deepEqual(await live.object("pages localization nl-NL --fields id"), { id: "nl_NL" });
  assert.deepEqual(await live.object("pages localization en_GB --fields id,Fee"), { id: "en", Fee: "Fee" });
});

const REFUSED: Record<string, [code: string, reason: RegExp]> = {
  "pages get Nowhere": ["NOT_FOUND", /no page 'Nowhere'/],
  "pages get Welcome --page-class Data-Other": ["NOT_FOUND", /has the class Data-Portal/],
  "pages get-with-context Nowhere --data-context x": ["NOT_FOUND", /no page/],
  "pages get-with-context CaseSummary --data-context 'CITY-PERMIT-WORK P-0'": ["BAD_REQUEST", /neither a case/],
  "pages get-with-context CaseSummary --data-context '{oops'": ["BAD_REQUEST", /not JSON/],
  [`pages get-with-context CaseSummary --data-context '{"Colour":"red"}'`]: ["BAD_REQUEST", /'Colour' is not a field/],
  [`pages get-with-context CaseSummary --data-context '{"Area":"big"}'`]: ["VALIDATION_FAIL", /not a valid decimal/],
  "pages dashboard Nothing": ["NOT_FOUND", /no dashboard/],
  "pages insight Nothing": ["NOT_FOUND", /no insight/],
  "pages channel Post": ["NOT_FOUND", /no channel/],
  "pages portal Hall": ["NOT_FOUND", /no portal/],
  "pages localization nl": ["NOT_FOUND", /no texts for the locale 'nl'/],
  "pages localization __proto__": ["NOT_FOUND", /no texts/],
};

for (const [line, [code, reason]] of Object.entries(REFUSED)) {
  Deno.test(`svc ${line} is refused with ${code}`, async () => {
    const error = await live.refused(line);
    assert.equal(error.code, code);
    assert.match(JSON.stringify(error.details), reason);
  });
}

Deno.test("a page refuses a case of another type", async () => {
  const { id } = await live.object("cases create --type City-Permit-Work-Receipt --fields id");
  const error = await live.refused(`pages get-with-context CaseSummary --data-context '${id}'`);
  assert.deepEqual([error.code, error.status], ["BAD_REQUEST", 400]);
});

/** Returns the number of permits that the insight counts for a channel. */
async function permitsOf(channel: string): Promise<number> {
  const rows = rowsOf(await live.object("pages insight FeesByChannel"), "data.rows");
  return Number(rows.find((row) => row.Channel === channel)?.Permits ?? 0);
}

function rowsOf(answer: JsonValue | undefined, path: string): JsonObject[] {
  const rows = valueAt(answer, path);
  assert.ok(Array.isArray(rows), path);
  return rows.filter(isJsonObject);
}

function filterBy(field: string, value: string): string {
  const F1 = { lhs: { field }, comparator: "EQ", rhs: { value } };
  return JSON.stringify({ query: { select: ["pyID"], filter: { filterConditions: { F1 } } } });
}
