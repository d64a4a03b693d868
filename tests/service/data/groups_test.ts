/** Aggregations of the rows of data views, and the order of groups. */
import assert from "node:assert/strict";
import { isJsonObject, type JsonObject } from "../../../utils/json.ts";
import { withCars } from "./_cars.ts";
import { readErrorDetails } from "../../harness/service.ts";

Deno.test("aggregations sum up groups, and distinct rows count once", () =>
  withCars(async (svc) => {
    const aggregations = {
      N: { field: "ID", summaryFunction: "COUNT" },
      Dearest: { field: "Price", summaryFunction: "MAX" },
    };
    const query = { select: ["Electric", { aggregation: "N" }], aggregations, sortBy: [{ field: "N", type: "DESC" }] };
    assert.deepEqual(await svc.rows("D_Cars", { query }), [
      { Electric: true, N: 2, Dearest: 30 },
      { Electric: false, N: 1, Dearest: 20 },
      { Electric: null, N: 1, Dearest: null },
    ]);
    const sum = { aggregations: { Sum: { field: "Price", summaryFunction: "SUM" } } };
    assert.deepEqual(await svc.rows("D_Cars", { query: sum }), [{ Sum: 60.5 }]);
    const distinct = { select: ["Model"], distinctResultsOnly: true };
    assert.deepEqual(await svc.rows("D_Cars", { query: distinct }), [{ Model: "Ant" }, { Model: "Bee" }, {
      Model: "ant",
    }]);
    const count = await svc.call("POST", "/data_views/D_Cars/count", { body: { query: distinct } });
    assert.ok(isJsonObject(count.body));
    assert.equal(count.body.resultCount, 3);
  }));

Deno.test("a response that would be too large is refused", () =>
  withCars(async (svc) => {
    await svc.call("POST", "/data/D_Cars", { body: { data: { ID: 9, Model: "z".repeat(200_000) } } });
    const dearest = { field: "Model", summaryFunction: "MAX" };
    const asked = (times: number) => {
      const names = Array.from({ length: times }, (_, n) => `A${n}`);
      return { query: { aggregations: Object.fromEntries(names.map((name) => [name, dearest])) } };
    };
    assert.equal(Object.keys((await svc.rows("D_Cars", asked(10)))[0] ?? {}).length, 10);
    const { status, body } = await svc.call("POST", "/data_views/D_Cars", { body: asked(100) });
    assert.equal(status, 400);
    assert.match(
      String(readErrorDetails(body)[0]?.message),
      /^The rows have more than 16 MiB. Request fewer rows or columns/,
    );
  }));

Deno.test("groups without a sort have the order of their first rows on every page", () =>
  withCars(async (svc) => {
    const aggregations = { N: { field: "ID", summaryFunction: "COUNT" } };
    const models = ["Zoe", "Kim", "Zoe", "Ada", "Kim", "Bee"];
    for (const [index, Model] of models.entries()) {
      await svc.call("POST", "/data/D_Cars", { body: { data: { ID: 100 + index, Model } } });
    }
    const added = { F: { lhs: { field: "ID" }, comparator: "GTE", rhs: { value: 100 } } };
    const filter = { filterConditions: added, logic: "F" };
    const summed = { select: ["Model", { aggregation: "N" }], aggregations, filter };
    const names = async (body: JsonObject) => (await svc.rows("D_Cars", body)).map(({ Model }) => Model);
    assert.deepEqual(await names({ query: summed }), ["Zoe", "Kim", "Ada", "Bee"]);
    assert.deepEqual(await names({ query: { select: ["Model"], distinctResultsOnly: true, filter } }), [
      "Zoe",
      "Kim",
      "Ada",
      "Bee",
    ]);
    const sorted = { ...summed, sortBy: [{ field: "N", type: "ASC" }] };
    assert.deepEqual(await names({ query: sorted }), ["Ada", "Bee", "Zoe", "Kim"]);
    for (const [index, name] of ["Ada", "Bee", "Zoe", "Kim"].entries()) {
      assert.deepEqual(await names({ query: sorted, paging: { pageSize: 1, pageNumber: index + 1 } }), [name]);
    }
  }));
