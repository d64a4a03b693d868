/** The user interface in a definition, and its issues. */
import assert from "node:assert/strict";
import type { JsonValue } from "../../../utils/json.ts";
import { openService, readErrorDetails, type TestService } from "../../harness/service.ts";
import { catchDefinitionError, PERMIT_FILE, valueAt } from "../../harness/service_engine.ts";

const SAMPLE = await Deno.readTextFile(PERMIT_FILE);

const SHOP = `
application: { id: Shop, name: Shop, organisation: Org }
operators:
  ann@shop: { name: Ann }
caseTypes:
  Org-Shop-Work-Order:
    name: Order
    prefix: O
    workPool: ORG-SHOP-WORK
    fields:
      Lines: { type: List, fields: { ID: { type: Text }, Amount: { type: Integer } } }
      More: { type: List, fields: { Text: { type: Text } } }
      Copies: { type: List, fields: { Text: { type: Text } }, calculated: More }
    stages:
      PRIM0:
        name: New
        transition: create
        processes: { P: { steps: { S: { fields: [Lines] } } } }
dataTypes:
  Org-Shop-Data-Product:
    name: Product
    key: [Code]
    savable: D_Products
    fields:
      Code: { type: Text, required: true }
      Kind: { type: Text }
      Price: { type: Decimal }
      Dear: { type: Boolean, calculated: Price > 10.0 }
    views: { Card: { fields: [Code, Dear] } }
dataViews:
  D_Products: { name: Products, source: records, class: Org-Shop-Data-Product }
  D_Orders: { name: Orders, source: cases }
insights:
  Prices:
    dataView: D_Products
    groupBy: [Kind]
    values:
      Products: { function: COUNT }
      Kinds: { function: DISTINCT_COUNT, field: Kind }
      Cheapest: { function: MIN, field: Price }
      Dearest: { function: MAX, field: Price }
  All_products: { dataView: D_Products, values: { N: { function: COUNT } }, chart: Number }
  Mine:
    dataView: D_Orders
    filter: [{ field: pxCreateOperator, caller: true }]
    values: { N: { function: COUNT } }
pages:
  Product: { class: Org-Shop-Data-Product, components: [{ text: "{{ Code }}: {{ Price }}" }, { view: Card }] }
  Order: { class: Org-Shop-Work-Order, components: [{ text: "{{ size(Lines) }} lines" }, { view: pyDetails }] }
  Any: { class: Data-Portal, components: [{ text: "About '{{ caseInfo.ID }}'" }] }
locales:
  nl: { Order: Bestelling, Price: Prijs }
  nl_BE: { Order: Order }
`;

async function withShop(run: (shop: TestService) => Promise<void>): Promise<void> {
  await using shop = await openService({ yaml: SHOP });
  await run(shop);
}

/** Returns the first text of a page in a data context, or the error. */
async function textOf(shop: TestService, page: string, dataContext: string): Promise<JsonValue | undefined> {
  const { status, body } = await shop.call("POST", `/pages/${page}`, { body: { dataContext } });
  if (status !== 200) return `${status} ${readErrorDetails(body)[0]?.message}`;
  return valueAt(body, `uiResources.resources.paragraphs.${page}_1.0.content`);
}

Deno.test("a page about records accepts the key of a record", () =>
  withShop(async (shop) => {
    await shop.call("POST", "/data/D_Products", { body: { data: { Code: "tea", Price: 12.5 } } });
    const { body } = await shop.call("POST", "/pages/Product", { body: { dataContext: '{"Code":"tea"}' } });
    assert.equal(valueAt(body, "uiResources.resources.paragraphs.Product_1.0.content"), "tea: 12.5");
    const content = valueAt(body, "data.caseInfo.content");
    assert.deepEqual(content, { classID: "Org-Shop-Data-Product", Code: "tea", Dear: true });
    assert.match(String(await textOf(shop, "Product", '{"Code":"milk"}')), /^400 There is no record with/);
    assert.match(String(await textOf(shop, "Product", '{"Price":1}')), /^400 .* key of a record: Code/);
    assert.match(String(await textOf(shop, "Product", "tea")), /^400 .* neither a case/);
  }));

Deno.test("a page without a case type accepts any case and has no fields", () =>
  withShop(async (shop) => {
    const created = await shop.call("POST", "/cases", { body: { caseTypeID: "Org-Shop-Work-Order" } });
    const id = String(valueAt(created.body, "id"));
    assert.equal(await textOf(shop, "Any", id), `About '${id}'`);
    assert.equal(await textOf(shop, "Any", "{}"), "About ''");
    assert.match(String(await textOf(shop, "Any", '{"Kind":"x"}')), /^400 'Kind' is not a field/);
    assert.equal(await textOf(shop, "Order", ' {"Lines":[{"Amount":1},{"Amount":2}]}'), "2 lines");
    assert.match(String(await textOf(shop, "Product", id)), /^400 The page Product is about Org-Shop-Data-Product/);
  }));

Deno.test("insights count records by group, in total, or only the caller's", () =>
  withShop(async (shop) => {
    const rows = async (id: string) => valueAt((await shop.call("GET", `/insight/${id}`)).body, "data.rows");
    assert.deepEqual(await rows("Prices"), []);
    assert.deepEqual(await rows("All_products"), [{ N: 0 }]);
    for (const [Code, Kind, Price] of [["a", "x", 3], ["b", "x", 5], ["c", "y", 7], ["d"]]) {
      await shop.call("POST", "/data/D_Products", { body: { data: { Code, Kind, Price } } });
    }
    assert.deepEqual(await rows("Prices"), [
      { Kind: null, Products: 1, Kinds: 0, Cheapest: null, Dearest: null },
      { Kind: "x", Products: 2, Kinds: 1, Cheapest: 3, Dearest: 5 },
      { Kind: "y", Products: 1, Kinds: 1, Cheapest: 7, Dearest: 7 },
    ]);
    assert.deepEqual(await rows("All_products"), [{ N: 4 }]);
    await shop.call("POST", "/cases", { body: { caseTypeID: "Org-Shop-Work-Order" } });
    assert.deepEqual(await rows("Mine"), [{ N: 1 }]);
  }));

Deno.test("a country has the texts of its language and can replace some", () =>
  withShop(async (shop) => {
    const texts = async (locale: string) => (await shop.call("GET", `/localizations/${locale}`)).body;
    assert.deepEqual(await texts("nl_BE"), { id: "nl_BE", Order: "Order", Price: "Prijs" });
    assert.deepEqual(await texts("nl_NL"), { id: "nl", Order: "Bestelling", Price: "Prijs" });
  }));

Deno.test("rows with an ID are moved by their ID", () =>
  withShop(async (shop) => {
    const Lines = ["2", "x", "1"].map((ID, index) => ({ ID, Amount: index }));
    const created = await shop.call("POST", "/cases", {
      body: { caseTypeID: "Org-Shop-Work-Order", content: { Lines } },
    });
    const move = async (list: string, sourceID: string, destinationID: string) =>
      await shop.call("PATCH", `/ui_lists/Org-Shop-Work-Order!${list}/move`, {
        body: { sourceID, destinationID, context: String(valueAt(created.body, "id")) },
      });
    const moved = await move("Lines", "x", "2");
    const rows = valueAt(moved.body, "data.caseInfo.content.Lines");
    assert.ok(Array.isArray(rows));
    assert.deepEqual(rows.map((row) => valueAt(row, "ID")), ["x", "2", "1"]);
    assert.equal(moved.headers.get("etag"), valueAt(moved.body, "etag"));
    assert.equal(readErrorDetails((await move("Lines", "4", "1")).body)[0]?.message, "Lines has no row '4': it has 3.");
    assert.equal((await move("Copies", "1", "1")).status, 400);
    assert.match(String(readErrorDetails((await move("pyDetails", "1", "1")).body)[0]?.message), /shows several lists/);
  }));

Deno.test("the user interface in docs/application.md works as described", async () => {
  const page = await Deno.readTextFile(new URL("../../../docs/application.md", import.meta.url));
  const [, whole = ""] = page.match(/```yaml\n([\s\S]*?)```/) ?? [];
  const [, part = ""] = page.match(/## What people see\n+```yaml\n([\s\S]*?)```/) ?? [];
  await using service = await openService({ yaml: whole + part });
  const Request = { caseTypeID: "Acme-Leave-Work-Request", content: { From: "2026-07-01", Days: 5 } };
  const created = await service.call("POST", "/cases", { body: Request });
  assert.equal(await textOf(service, "Leave", String(valueAt(created.body, "id"))), "5 days from 2026-07-01: New");
  assert.equal(await textOf(service, "Home", "{}"), "Good morning, Will Worker.");
  const dashboard = await service.call("GET", "/dashboard/Leave");
  assert.deepEqual(valueAt(dashboard.body, "data.insights.0.rows"), [{ Kind: "Holiday", Requests: 1, Days: 5 }]);
  const texts = await service.call("GET", "/localizations/nl_BE");
  assert.deepEqual(texts.body, { id: "nl_BE", Days: "Dagen", Kind: "Type" });
});

Deno.test("issues of the user interface are reported with their place", () => {
  const cases: [right: string, wrong: string, place: string, reason: RegExp][] = [
    ["- list: Permits", "- list: Permit", "Permit\n", /no UI list 'Permit'/],
    ["- insight: PermitsByStatus", "- insight: Permits", "Permits\n      - list", /no insight 'Permits'/],
    ["- view: Summary", "- view: Sumary", "Sumary", /no view 'Sumary'/],
    ["[PermitsByStatus, FeesByChannel]", "[PermitsByStatus, Fees]", "Fees] }", /no insight 'Fees'/],
    ["groupBy: [pyStatusWork]", "groupBy: [Status]", "Status]", /no field 'Status'/],
    ["groupBy: [Channel]", "groupBy: [Documents]", "Documents]\n    values", /'Documents' is embedded/],
    ["function: AVG, field: Fee", "function: AVG, field: Channel", "Channel, label: Average", /AVG needs a number/],
    ["function: SUM, field: Fee, ", "function: SUM, ", "Total:", /'Total' needs a 'field'/],
    ["column: Permits, descending", "column: Permit, descending", "Permit, descending", /no column 'Permit'/],
    ["pages: [Welcome, CaseSummary]", "pages: [Welcom, CaseSummary]", "Welcom,", /no page 'Welcom'/],
    ["portal: Desk }", "portal: Disk }", "Disk }", /no portal 'Disk'/],
    ["dashboards: [Permits]", "dashboards: [Permit]", "Permit] }", /no dashboard 'Permit'/],
    ["columns: [pyID, Applicant,", "columns: [pyId, Applicant,", "pyId,", /no field 'pyId'/],
    ["  nl_NL:", "  dutch:", "dutch:", /must be like nl or nl_NL/],
    [
      "dataView: D_Permits\n    groupBy: [pyStatusWork]",
      "dataView: D_Permit\n    groupBy: [pyStatusWork]",
      "D_Permit\n    groupBy",
      /'D_Permit' needs the parameter 'pyID'/,
    ],
    [
      "dataView: D_Permits\n    groupBy: [pyStatusWork]",
      "dataView: D_pyC11nOperatorsList\n    groupBy: [pyUserName]",
      "D_pyC11nOperatorsList\n    groupBy",
      /'D_pyC11nOperatorsList' has computed rows, which an insight cannot sum up: use another data view/,
    ],
    [
      'text: "Welcome, {{ operator.name }}."',
      'text: "Welcome, {{ Applicant }}."',
      '"Welcome, {{ Applicant',
      /Unknown variable: Applicant/,
    ],
    [
      "setAppDefault: \"'Review' in operator.queues\"",
      'setAppDefault: "1 + 1"',
      '"1 + 1"',
      /returns int, but Boolean is needed/,
    ],
  ];
  for (const [right, wrong, place, reason] of cases) {
    assert.ok(SAMPLE.includes(right), `the sample has no ${right}`);
    const text = SAMPLE.replace(right, wrong);
    const found = catchDefinitionError(text, wrong);
    assert.match(found.message, reason);
    assert.ok(found.message.startsWith(`app.yaml:${positionOf(text, wrong, place)}: `), `${found.message} ${place}`);
  }
});

Deno.test("a reference to an insight that has an issue is not reported", () => {
  const { details } = catchDefinitionError(
    SAMPLE.replace("dataView: D_Permits\n    groupBy", "dataView: D_Nowhere\n    groupBy"),
  );
  assert.equal(details?.length, 1);
});

/** Returns the place of a text that begins in the replaced text, as `line:column`. */
function positionOf(text: string, wrong: string, place: string): string {
  const start = Math.max(text.indexOf(wrong) - 30, 0);
  const offset = text.indexOf(place, start);
  assert.ok(offset >= 0, `no ${place}`);
  const before = text.slice(0, offset).split("\n");
  return `${before.length}:${(before.at(-1) ?? "").length + 1}`;
}
