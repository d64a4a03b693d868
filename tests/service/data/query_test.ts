/** Queries of data views over HTTP. */
import assert from "node:assert/strict";
import { isJsonObject, type JsonObject, type JsonValue } from "../../../utils/json.ts";
import { COMPARATORS } from "../../../service/store/query.ts";
import { withCars } from "./_cars.ts";
import { readErrorDetails, type TestService } from "../../harness/service.ts";

/** Queries the IDs of the rows for which conditions hold. */
async function find(
  svc: TestService,
  conditions: Record<string, [string, string, JsonObject?, boolean?]>,
  logic?: string,
): Promise<JsonValue[]> {
  const filterConditions = Object.fromEntries(
    Object.entries(conditions).map(([name, [field, comparator, rhs, ignoreCase]]) => [name, {
      lhs: { field },
      comparator,
      ...(rhs && { rhs }),
      ...(ignoreCase !== undefined && { ignoreCase }),
    }]),
  );
  const filter = { filterConditions, ...(logic !== undefined && { logic }) };
  const rows = await svc.rows("D_Cars", { query: { select: ["ID"], filter } });
  return rows.map((row) => row.ID ?? null);
}

async function refused(svc: TestService, body: JsonValue, view = "D_Cars"): Promise<[number, string]> {
  const answer = await svc.call("POST", `/data_views/${view}`, { body });
  return [answer.status, String(readErrorDetails(answer.body)[0]?.message)];
}

Deno.test("each comparator works for fields of every type", () =>
  withCars(async (svc) => {
    const cases: [[string, string, JsonObject?, boolean?], number[]][] = [
      [["Model", "EQ", { value: "Ant" }], [1, 3]],
      [["Model", "EQ", { value: "ANT" }, true], [1, 3, 4]],
      [[".Model", "NEQ", { value: "Ant" }], [2, 4]],
      [["Model", "IN", { values: ["Bee", "ant"] }], [2, 4]],
      [["Model", "NOT_IN", { value: ["Bee"] }], [1, 3, 4]],
      [["Model", "STARTS_WITH", { value: "A" }], [1, 3]],
      [["Model", "NOT_STARTS_WITH", { value: "A" }], [2, 4]],
      [["Model", "ENDS_WITH", { value: "nt" }], [1, 3, 4]],
      [["Model", "NOT_ENDS_WITH", { value: "nt" }], [2]],
      [["Model", "CONTAINS", { value: "e" }], [2]],
      [["Model", "NOT_CONTAINS", { value: "e" }], [1, 3, 4]],
      [["Price", "GT", { value: 20 }], [3]],
      [["Price", "GTE", { value: "20" }], [2, 3]],
      [["Price", "LT", { value: 20 }], [1]],
      [["Price", "LTE", { value: 20 }], [1, 2]],
      [["Price", "IS_NULL"], [4]],
      [["Price", "ISNOTNULL"], [1, 2, 3]],
      [["Electric", "IS_TRUE"], [1, 3]],
      [["Electric", "IS_FALSE"], [2]],
      [["Electric", "EQ", { value: false }], [2]],
      [["Built", "GTE", { value: "2022-01-01" }], [3, 4]],
      [["SoldAt", "LT", { value: "2025-12-31T23:15:00Z" }], [1]],
      [["SoldAt", "EQ", { value: "2026-01-01T00:30:00+01:00" }], [2]],
      [["SoldAt", "EQ", { value: "2025-12-31T23:30:00" }], [2]],
      [["Owner.Age", "GT", { value: 40 }], [3]],
      [["Owner", "IS_NULL"], [2, 4]],
      [["ID", "EQ", { field: "Price" }], []],
    ];
    for (const [condition, expected] of cases) {
      assert.deepEqual(await find(svc, { F1: condition }), expected, condition.join(" "));
    }
  }));

Deno.test("texts are found in whatever form their accents are stored, with every comparator", () =>
  withCars(async (svc) => {
    const [composed, decomposed] = ["Caf\u00e9 \u01d6", "Cafe\u0301 u\u0308\u0304"];
    const partly = "Caf\u00e9 \u00fc\u0304";
    for (const [ID, Model] of [[5, composed], [6, decomposed], [7, partly]]) {
      assert.equal((await svc.call("POST", "/data/D_Cars", { body: { data: { ID, Model } } })).status, 200);
    }
    for (const value of [composed, decomposed, partly]) {
      const [first = "", last = ""] = value.split(" ");
      const cases: [string, JsonObject, number[]][] = [
        ["EQ", { value }, [5, 6, 7]],
        ["NEQ", { value }, [1, 2, 3, 4]],
        ["IN", { values: ["Bee", value] }, [2, 5, 6, 7]],
        ["NOT_IN", { values: ["Bee", value] }, [1, 3, 4]],
        ["STARTS_WITH", { value: first }, [5, 6, 7]],
        ["NOT_STARTS_WITH", { value: first }, [1, 2, 3, 4]],
        ["ENDS_WITH", { value: last }, [5, 6, 7]],
        ["CONTAINS", { value: value.slice(2) }, [5, 6, 7]],
      ];
      for (const [comparator, right, expected] of cases) {
        assert.deepEqual(await find(svc, { F1: ["Model", comparator, right] }), expected, comparator);
      }
      assert.deepEqual(await find(svc, { F1: ["Model", "EQ", { value: value.toUpperCase() }, true] }), [5, 6, 7]);
    }
  }));

Deno.test("sortBy sorts texts by their bytes, or without regard to case, over pages, too", () =>
  withCars(async (svc) => {
    for (const [ID, Model] of [[5, "\u00c9tude"], [6, "\u00e9clair"], [7, "Zoo"]]) {
      assert.equal((await svc.call("POST", "/data/D_Cars", { body: { data: { ID, Model } } })).status, 200);
    }
    const read = async (sort: JsonObject, pageSize: number) => {
      const ids: JsonValue[] = [];
      for (let pageNumber = 1; ids.length < 7; pageNumber++) {
        const query = { select: ["ID"], sortBy: [{ field: "Model", ...sort }, { field: "ID" }] };
        const rows = await svc.rows("D_Cars", { query, paging: { pageNumber, pageSize } });
        ids.push(...rows.map((row) => row.ID ?? null));
      }
      return ids;
    };
    for (const pageSize of [2, 7]) {
      assert.deepEqual(await read({}, pageSize), [1, 3, 2, 7, 4, 5, 6]);
      assert.deepEqual(await read({ ignoreCase: true }, pageSize), [1, 3, 4, 2, 7, 6, 5]);
      assert.deepEqual(await read({ ignoreCase: true, type: "DESC" }, pageSize), [5, 6, 7, 2, 1, 3, 4]);
    }
  }));

/** Fields by the names of their types in docs/library.md, each with a value to compare with. */
const FIELDS: Readonly<Record<string, [field: string, value: JsonValue][]>> = {
  texts: [["Model", "Ant"]],
  numbers: [["Price", 20], ["ID", 1]],
  dates: [["Built", "2022-01-01"], ["SoldAt", "2025-12-31T23:15:00Z"]],
  "true or false": [["Electric", true]],
  "of all types": [["Model", ""], ["Price", ""], ["Built", ""], ["SoldAt", ""], ["Electric", ""], ["Owner", ""]],
};

Deno.test("docs/library.md lists every comparator with the types of its fields", () =>
  withCars(async (svc) => {
    const page = await Deno.readTextFile(new URL("../../../docs/library.md", import.meta.url));
    const [, table = ""] = page.split(/^\| comparator .*\n.*\n/m);
    const named: string[] = [];
    for (const [, comparators = "", types = ""] of table.split("\n\n", 1).join().matchAll(/^\|(.*)\|(.*)\|$/gm)) {
      const fields = types.trim().split(", ").flatMap((type) => FIELDS[type] ?? assert.fail(`no field is ${type}`));
      for (const [comparator] of comparators.matchAll(/\w+/g)) {
        named.push(comparator);
        for (const [field, value] of fields) await find(svc, { F1: [field, comparator, { value }] });
      }
    }
    const negated = ["NEQ", "NOT_IN", "NOT_STARTS_WITH", "NOT_ENDS_WITH", "NOT_CONTAINS", "IS_NOT_NULL", "IS_FALSE"];
    assert.deepEqual(named.sort(), [...COMPARATORS, "IN", "IS_NULL", "IS_TRUE", ...negated].sort());
  }));

Deno.test("large and small numbers compare exactly", () =>
  withCars(async (svc) => {
    const prices = [23131177933228950, -23131177933228950, 2 ** 53, 2 ** 63, 1e21, 1e308, 5e-324, 0.1 + 0.2];
    for (const [index, Price] of prices.entries()) {
      const ID = 100 + index;
      await svc.call("POST", "/data/D_Cars", { body: { data: { ID, Price } } });
      for (const comparator of ["EQ", "GTE", "LTE", "IN"]) {
        for (const ignoreCase of [false, true]) {
          const of: [string, string, JsonObject, boolean] = ["Price", comparator, { value: Price }, ignoreCase];
          assert.deepEqual(await find(svc, { F1: of, F2: ["ID", "GTE", { value: ID }] }), [ID], `${of}`);
        }
      }
    }
  }));

Deno.test("the logic combines conditions; without a logic, all must hold", () =>
  withCars(async (svc) => {
    const conditions: Record<string, [string, string, JsonObject?]> = {
      F1: ["Model", "EQ", { value: "Ant" }],
      F2: ["Price", "GT", { value: 15 }],
      F3: ["ID", "EQ", { value: 4 }],
    };
    assert.deepEqual(await find(svc, conditions), []);
    assert.deepEqual(await find(svc, conditions, "F1 AND F2 OR F3"), [3, 4]);
    assert.deepEqual(await find(svc, conditions, "F1 AND (F2 OR F3)"), [3]);
    assert.deepEqual(await find(svc, conditions, "NOT F1 AND (F2 OR F3)"), [2, 4]);
  }));

Deno.test("rows are selected, sorted and paged", () =>
  withCars(async (svc) => {
    const body = {
      query: { select: [{ field: "Model" }, "Electric"], sortBy: [{ field: "Price", type: "DESC" }, { field: "ID" }] },
      paging: { pageNumber: 1, pageSize: 2 },
      includeTotalCount: true,
    };
    const first = await svc.call("POST", "/data_views/D_Cars", { body });
    assert.ok(isJsonObject(first.body));
    const { data, totalCount, hasMoreResults, resultCount, pageNumber, pageSize } = first.body;
    assert.deepEqual(data, [
      { Model: "Ant", Electric: true, Price: 30, ID: 3 },
      { Model: "Bee", Electric: false, Price: 20, ID: 2 },
    ]);
    assert.deepEqual([totalCount, hasMoreResults, resultCount, pageNumber, pageSize], [4, true, 2, 1, 2]);
    const last = await svc.call("POST", "/data_views/D_Cars", {
      body: { ...body, paging: { pageNumber: 2, pageSize: 2 } },
    });
    assert.ok(isJsonObject(last.body));
    assert.equal(last.body.hasMoreResults, false);
    assert.deepEqual(await svc.rows("D_Cars", { ...body, paging: { pageNumber: 9 } }), []);
  }));

Deno.test("--max is the page size of --page", () =>
  withCars(async (svc) => {
    const ids = async (paging: JsonObject) => (await svc.rows("D_Cars", { paging })).map((row) => row.ID);
    assert.deepEqual(await ids({ maxResultsToFetch: 3 }), [1, 2, 3]);
    assert.deepEqual(await ids({ maxResultsToFetch: 3, pageNumber: 2 }), [4]);
    const total = await svc.call("POST", "/data_views/D_Cars", {
      body: { paging: { maxResultsToFetch: 1, includeTotalCount: true } },
    });
    assert.ok(isJsonObject(total.body));
    assert.equal(total.body.totalCount, 4);
  }));

Deno.test("parameters fill in the conditions of a data view, and optional ones can be left out", () =>
  withCars(async (svc) => {
    const ids = async (parameters: JsonValue) =>
      (await svc.rows("D_CarsOf", { dataViewParameters: parameters })).map((row) => row.ID);
    assert.deepEqual(await ids({ Model: "Ant" }), [1, 3]);
    assert.deepEqual(await ids([{ Model: "Ant", Least: 20 }]), [3]);
    assert.deepEqual(await refused(svc, {}, "D_CarsOf"), [400, "D_CarsOf needs the parameter Model."]);
    assert.deepEqual(await refused(svc, { dataViewParameters: { Model: "x", Most: 1 } }, "D_CarsOf"), [
      400,
      "D_CarsOf has no parameter Most; available: Model, Least",
    ]);
    assert.deepEqual(await refused(svc, { dataViewParameters: { Model: "x", Least: "much" } }, "D_CarsOf"), [
      400,
      "The parameter Least must be of the type Decimal.",
    ]);
  }));

Deno.test("a member that is null counts as missing", () =>
  withCars(async (svc) => {
    const condition = {
      lhs: { field: "Model" },
      comparator: "EQ",
      rhs: { value: "Ant", field: null },
      ignoreCase: null,
    };
    const query = {
      select: ["ID"],
      filter: { filterConditions: { F1: condition }, logic: null },
      sortBy: [{ field: "ID", type: null }],
      aggregations: null,
      distinctResultsOnly: null,
    };
    const paging = { pageNumber: null, pageSize: null, maxResultsToFetch: 1, includeTotalCount: null };
    assert.deepEqual(await svc.rows("D_Cars", { query, paging, includeTotalCount: null }), [{ ID: 1 }]);
    assert.deepEqual(await svc.rows("D_Cars", { query: null }), await svc.rows("D_Cars", {}));
  }));

Deno.test("an invalid request is refused with what is allowed", () =>
  withCars(async (svc) => {
    const condition = (lhs: string, comparator: string, rhs?: JsonObject, logic?: string) => ({
      query: {
        select: ["ID"],
        filter: {
          filterConditions: { F1: { lhs: { field: lhs }, comparator, ...(rhs && { rhs }) } },
          ...(logic && { logic }),
        },
      },
    });
    const many = <T>(count: number, value: T): T[] => Array.from({ length: count }, () => value);
    const isNull = { lhs: { field: "Model" }, comparator: "IS_NULL" };
    const unused = { query: { filter: { filterConditions: { F1: isNull, F2: isNull }, logic: "F1" } } };
    const cases: [JsonValue, number, RegExp][] = [
      [
        { query: { select: ["Wheels"] } },
        400,
        /D_Cars has no field Wheels; available: ID, Model, Price, Electric, Built, SoldAt, Owner$/,
      ],
      [{ query: { select: ["Owner.Nam"] } }, 400, /no field Owner.Nam; did you mean 'Owner.Name'\?/],
      [{ query: { select: ["Model.Name"] } }, 400, /no field Model.Name$/],
      [{ query: { select: "ID" } }, 400, /query.select must be a JSON array/],
      [
        condition("Model", "LIKE", { value: "x" }),
        400,
        /for Model, .* Text; available: EQ, .* CONTAINS, STARTS_WITH, ENDS_WITH, IN, IS_NULL$/,
      ],
      [
        condition("Price", "CONTAINS", { value: "1" }),
        400,
        /Decimal; available: EQ, NEQ, GT, GTE, LT, LTE, IN, IS_NULL$/,
      ],
      [condition("Owner", "CONTAINS", { value: "1" }), 400, /type Page; available: IS_NULL, IS_NOT_NULL$/],
      [condition("Price", "EQ", { value: "cheap" }), 400, /Price EQ needs a number/],
      [condition("Built", "LT", { value: "01/02/2021" }), 400, /Built LT needs a date \(YYYY-MM-DD\)/],
      [condition("Built", "EQ", { value: "2021-02-29" }), 400, /needs a date/],
      [condition("Built", "IN", { values: ["2021-06-01", "2021-06-01T00:00:00Z"] }), 400, /needs a date/],
      [condition("Price", "EQ"), 400, /Price EQ needs one value/],
      [condition("Model", "IS_TRUE"), 400, /true or false/],
      [condition("Model", "EQ", { field: "Price" }), 400, /compares as text/],
      [condition("Model", "EQ", { value: "x" }, "F1 AND F2"), 400, /F2, but there is no such condition/],
      [condition("Model", "EQ", { value: "x" }, "F1 F1"), 400, /AND or OR is missing/],
      [unused, 400, /^The filter logic does not use the condition F2\.$/],
      [
        condition("Model", "EQ", { value: "x" }, Array.from({ length: 501 }, (_, n) => `F${n % 100}`).join(" OR ")),
        400,
        /logic may name at most 500 conditions/,
      ],
      [
        condition("Model", "EQ", { value: "x" }, many(21, "F1").join(" OR ")),
        400,
        /logic may name a condition at most 20 times, but it names F1 more often/,
      ],
      [condition("ID", "IN", { values: many(1001, 1) }), 400, /F1\.rhs\.values may have at most 1000 elements/],
      [
        condition("Model", "CONTAINS", { value: "x".repeat(10_001) }),
        400,
        /Model CONTAINS needs a text of at most 10000/,
      ],
      [condition("Model", "IN", { values: ["x".repeat(10_001)] }), 400, /Model IN needs a text of at most 10000 char/],
      [{ query: { select: many(201, "ID") } }, 400, /select may have at most 200 elements/],
      [
        { query: { filter: { filterConditions: { ...many(101, isNull) } } } },
        400,
        /filterConditions may have at most 100 members/,
      ],
      [{ query: { select: ["ID"] }, paging: { maxResultsToFetch: 5001 } }, 400, /maxResultsToFetch .*5000/],
      [{ query: { sortBy: many(101, { field: "ID" }) } }, 400, /sortBy may have at most 100 elements/],
      [
        { query: { aggregations: { ...many(101, { field: "ID", summaryFunction: "MAX" }) } } },
        400,
        /aggregations may have at most 100 members/,
      ],
      [{ query: { sortBy: [{ field: "ID", type: "UP" }] } }, 400, /must be ASC or DESC/],
      [{ query: { aggregations: { S: { field: "Model", summaryFunction: "SUM" } } } }, 400, /SUM needs a number/],
      [{ query: { aggregations: { S: { field: "ID", summaryFunction: "MEDIAN" } } } }, 400, /one of COUNT/],
      [{ query: { aggregations: { S: { field: "Electric", summaryFunction: "MAX" } } } }, 400, /MAX needs a number, a/],
      [{ query: { aggregations: { S: { field: "Owner", summaryFunction: "MIN" } } } }, 400, /of the type Page/],
      [
        { query: { distinctResultsOnly: true, aggregations: { S: { field: "ID", summaryFunction: "MAX" } } } },
        400,
        /DistinctResultsOnly/,
      ],
      [{ paging: { pageSize: 5, maxResultsToFetch: 5 } }, 400, /not supported at same time/],
      [{ paging: { pageSize: 5001 } }, 400, /from 1 to 5000/],
      [{ paging: { pageNumber: 0 } }, 400, /from 1/],
      [{ paging: { maxResults: 5 } }, 400, /paging has no member 'maxResults'; it may have pageNumber, /],
      [{ qry: {} }, 400, /The body has no member 'qry'; it may have dataViewParameters, query, /],
      [{ filter: {} }, 400, /The body has no member 'filter'; /],
      [{ query: { filters: {} } }, 400, /query has no member 'filters'; it may have select, filter, /],
      [{ query: { sort: [] } }, 400, /query has no member 'sort'; /],
      [{ query: { filter: { condition: "ID > 9" } } }, 400, /query\.filter has no member 'condition'; /],
      [
        { query: { sortBy: [{ field: "ID", order: "DESC" }] } },
        400,
        /query\.sortBy\[0\] has no member 'order'; it may have field, type, ignoreCase/,
      ],
      [{ paging: 3 }, 400, /paging must be a JSON object/],
      [{ dataViewParameters: [{}, {}] }, 400, /one object/],
    ];
    for (const [body, status, reason] of cases) {
      const [found, message] = await refused(svc, body);
      assert.equal(found, status, message);
      assert.match(message, reason);
    }
    const names = Array.from({ length: 25 }, (_, n) => `F${n}`);
    const isAnt = { lhs: { field: "Model" }, comparator: "IN", rhs: { values: many(1000, "Ant") } };
    const most = {
      filterConditions: Object.fromEntries(names.map((name) => [name, isAnt])),
      logic: `${"NOT (".repeat(25)}${many(20, names).flat().join(" OR ")}${")".repeat(25)}`,
    };
    const found = await svc.rows("D_Cars", { query: { select: ["ID"], filter: most } });
    assert.deepEqual(found.map(({ ID }) => ID), [2, 4]);
    assert.match(
      (await refused(svc, { dataViewParameters: { Model: "x".repeat(10_001) } }, "D_CarsOf"))[1],
      /10000 cha/,
    );
    assert.equal((await refused(svc, {}, "D_Nothing"))[0], 404);
    assert.deepEqual(await refused(svc, { paging: { pageNumber: 1 } }, "D_Fixed"), [
      422,
      "This dataview does not support paging in request",
    ]);
    const count = await svc.call("POST", "/data_views/D_Cars/count", { body: { query: {} } });
    assert.equal(readErrorDetails(count.body)[0]?.message, "Query does not contain select");
  }));
