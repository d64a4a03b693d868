import assert from "node:assert/strict";
import type { JsonValue } from "../../../utils/json.ts";
import type { Surface } from "../../../lib/output/format.ts";
import { render } from "../../../lib/output/render.ts";
import { readCpuTime } from "../../harness/cpu_time.ts";

async function table(
  value: JsonValue,
  surface: Surface = { color: false },
): Promise<{ lines: string[]; notes: readonly string[] }> {
  const { text, notes } = await render(value, { format: "table" }, surface);
  assert.ok(text.endsWith("\n") && !text.endsWith("\n\n"));
  return { lines: text.slice(0, -1).split("\n"), notes };
}

Deno.test("a table in a pipe is aligned, without borders, color or trailing spaces", async () => {
  const rows = [{ ID: "A", count: 5, open: true, note: null }, {
    ID: "Long one",
    count: 12345,
    open: false,
    note: "x",
  }];
  assert.deepEqual(await table(rows), {
    lines: ["ID        count  open   note", "A             5  true", "Long one  12345  false  x"],
    notes: [],
  });
});

Deno.test("numbers are aligned to the right with their header, also if some are missing, at a terminal too", async () => {
  const rows = [{ ID: "A", fee: null, area: 4.5, zip: "0150" }, { ID: "B", fee: 1200, zip: "12" }];
  const { lines } = await table(rows);
  assert.deepEqual(lines, ["ID   fee  area  zip", "A          4.5  0150", "B   1200        12"]);
  assert.deepEqual((await table(rows, { color: false, columns: 80 })).lines, [
    "ID   fee  area  zip",
    "──  ────  ────  ────",
    ...lines.slice(1),
  ]);
});

Deno.test("an object is one row, and a note names hidden nested members", async () => {
  assert.deepEqual(await table({ id: "C-1", data: {}, tags: ["a", 2], rows: [{}], status: "Open" }), {
    lines: ["id   tags  status", "C-1  a, 2  Open"],
    notes: ["Nested fields hidden: data, rows. Show rows as a table with --fields rows."],
  });
});

Deno.test("a result is printed as JSON if only an identifier would be left, and a note has the list to show", async () => {
  const left = "would be left, because the other fields are nested.";
  const unfit: [JsonValue, string][] = [
    [{ id: "C-1", stages: [{ ID: "P0" }] }, `only id ${left} Show stages as a table with --fields stages.`],
    [{ id: "Desk", etag: "1", data: { pages: [] }, uiResources: {} }, `only id and etag ${left}`],
    [[{ ID: "A", links: {} }, { ID: "B", links: {} }], `only ID ${left}`],
    [{ parents: [{ ID: "A", links: {} }] }, `only ID ${left}`],
  ];
  for (const surface of [{ color: false }, { color: false, columns: 80 }]) {
    for (const [value, reason] of unfit) {
      const { text, notes } = await render(value, { format: "table" }, surface);
      assert.deepEqual([text, notes], [JSON.stringify(value, null, 2) + "\n", [`Printed as JSON: ${reason}`]]);
    }
  }
  assert.deepEqual((await table([{ ID: "A" }, { ID: "B" }])).lines, ["ID", "A", "B"]);
});

Deno.test("fields that --fields names and that are nested are printed as JSON", async () => {
  const value = {
    id: "C-1",
    status: "Open",
    tags: ["a"],
    stages: [{ ID: "P0" }],
    data: { caseInfo: { content: { Name: "Ada", Parts: [] } } },
  };
  const print = async (value: JsonValue, ...fields: string[]) => {
    const { text, notes } = await render(value, { format: "table", fields: { names: fields } }, { color: false });
    return { isJson: /^[[{]/.test(text), notes };
  };
  const asJson = (reason: string) => ({ isJson: true, notes: [`Printed as JSON: ${reason}.`] });
  const asTable = { isJson: false, notes: [] };
  assert.deepEqual(await print(value, "id", "data"), asJson("data is nested"));
  assert.deepEqual(await print(value, "status", "stages", "data"), asJson("stages, data are nested"));
  assert.deepEqual(await print(value, "id", "data.caseInfo"), asJson("data.caseInfo is nested"));
  assert.deepEqual(await print(value, "id", "tags"), asTable);
  assert.deepEqual(await print(value, "id"), asTable);
  assert.deepEqual(await print(value, "stages"), asTable);
  assert.deepEqual(await print(value, "id", "data.caseInfo.content.Name"), asTable);
  const rows = [{ ID: "A", parts: [], tags: ["x"] }, { ID: "B", parts: [{ n: 1 }], tags: [] }];
  assert.deepEqual(await print(rows, "ID", "parts"), asJson("parts is nested"));
  assert.deepEqual(await print(rows, "ID", "tags"), asTable);
});

Deno.test("an object without an ID and with one list is shown as that list, and a note has the other members", async () => {
  const value = { total: 2, data: [{ ID: "P0" }, { ID: "P1" }], stats: {}, empty: [] };
  assert.deepEqual(await table(value), {
    lines: ["ID", "P0", "P1"],
    notes: ["Outside the list: total 2, stats, empty."],
  });
  const select = async (fields: string[]) =>
    (await render(value, { format: "table", fields: { names: fields } }, { color: false })).text;
  assert.equal(await select(["ID"]), "ID\nP0\nP1\n");
  assert.equal(await select(["total"]), "total\n    2\n");
});

Deno.test("a case is shown with its fields", async () => {
  const content = { classID: "T", pyID: "C-1", pyLabel: "Bike", Colour: "red", Wheels: [{ Size: 1 }] };
  const value = { id: "W C-1", status: "Open", data: { caseInfo: { ID: "W C-1", content } }, uiResources: {} };
  assert.deepEqual(await table(value), {
    lines: ["id     status  pyLabel  Colour", "W C-1  Open    Bike     red"],
    notes: ["Nested fields hidden: Wheels. Show Wheels as a table with --fields data.caseInfo.content.Wheels."],
  });
  const { lines } = await table(value, { color: false, columns: 26 });
  assert.deepEqual(lines, ["id       W C-1", "status   Open", "pyLabel  Bike", "Colour   red"]);
});

Deno.test("an object whose only member is a list of objects is shown as that list", async () => {
  assert.deepEqual(await table({ stages: [{ ID: "P0", links: {} }, { ID: "P1", name: "Second" }] }), {
    lines: ["ID  name", "P0", "P1  Second"],
    notes: ["Nested fields hidden: links."],
  });
});

Deno.test("a column of nested values and nulls is hidden, and one of nulls only is shown", async () => {
  assert.deepEqual(await table([{ ID: "A", links: null, note: null }, { ID: "B", links: {}, note: null }]), {
    lines: ["ID  note", "A", "B"],
    notes: ["Nested fields hidden: links."],
  });
});

Deno.test("other results are printed as JSON, and a note explains why", async () => {
  const unfit: [JsonValue, string][] = [
    ["text", "the response is neither an object nor a list of objects"],
    [[1, 2], "the response is neither an object nor a list of objects"],
    [{}, "all fields of the response are nested"],
    [{ a: {}, b: [] }, "all fields of the response are nested"],
    [{ list: [] }, "the list is empty"],
    [[{ a: 1 }, { b: 2 }], "its rows have no field in common"],
    [[{ a: 1, c: {} }, { b: 2, c: {} }], "its rows have no field in common"],
  ];
  for (const [value, reason] of unfit) {
    const { text, notes } = await render(value, { format: "table" }, { color: false });
    assert.equal(text, JSON.stringify(value, null, 2) + "\n");
    assert.deepEqual(notes, [`Printed as JSON: ${reason}.`]);
  }
});

Deno.test("a result with too many fields is printed as JSON, with advice on selecting some if that is possible", async () => {
  const row = (length: number): JsonValue => Object.fromEntries(Array.from({ length }, (_, i) => [`k${i}`, i]));
  for (const surface of [{ color: false }, { color: false, columns: 80 }]) {
    const { text, notes } = await render(row(501), { format: "table" }, surface);
    assert.equal(text, JSON.stringify(row(501), null, 2) + "\n");
    const reason = "Printed as JSON: the response has 501 fields, and a table can have 500";
    assert.deepEqual(notes, [`${reason} (select some with --fields).`]);
    const options = { format: "table", fields: { names: ["data"] } } as const;
    assert.deepEqual((await render({ data: [row(501)], pageNumber: 1 }, options, surface)).notes, [`${reason}.`]);
  }
  assert.match((await table(row(500))).lines[0] ?? "", /^k0 +k1 .* k499$/);
});

Deno.test("control characters and line ends are escaped in names and cells", async () => {
  const { lines } = await table({ "a\x1b[2J": "line\none\ttab", b: "\u202eevil\x9b31m" });
  assert.deepEqual(lines, ["a\\u001b[2J      b", "line\\none\\ttab  \\u202eevil\\u009b31m"]);
});

Deno.test("wide characters take two columns", async () => {
  const { lines } = await table([{ name: "日本", n: "x" }, { name: "abcde", n: "y" }]);
  assert.deepEqual(lines, ["name   n", "日本   x", "abcde  y"]);
});

Deno.test("a table at a terminal has a line below its header, no borders, and fits its width", async () => {
  const rows = [{ ID: "A", text: "word ".repeat(40), n: 1 }, { ID: "B", text: "日本語".repeat(30), n: 2 }];
  for (const columns of [20, 40, 80, 300]) {
    const { lines, notes } = await table(rows, { color: false, columns });
    assert.match(lines[1] ?? "", /^── {2}─+ {2}─$/);
    assert.equal(lines.length, 4);
    assert.ok(lines.every((line) => widthOf(line) <= columns && line.trimEnd() === line), lines.join("\n"));
    assert.deepEqual(notes, []);
  }
});

Deno.test("a note names the columns that do not fit", async () => {
  const row = Object.fromEntries(Array.from({ length: 30 }, (_, index) => [`column${index}`, "some value"]));
  const { lines, notes } = await table([row], { color: false, columns: 80 });
  assert.ok(lines.every((line) => widthOf(line) <= 80), lines.join("\n"));
  assert.match(
    notes[0] ?? "",
    /^Columns hidden to fit the terminal: column6, .*, column29\. Select columns with --fields\.$/,
  );
});

Deno.test("selecting columns is not advised if --fields already selects the list", async () => {
  const row = Object.fromEntries(Array.from({ length: 30 }, (_, index) => [`column${index}`, "some value"]));
  const options = { format: "table", fields: { names: ["data"] } } as const;
  const { notes } = await render({ data: [row], pageNumber: 1 }, options, { color: false, columns: 80 });
  assert.match(notes[0] ?? "", /^Columns hidden to fit the terminal: column6, .*, column29\.$/);
});

Deno.test("the header is bold only with color", async () => {
  const bold = (await table({ id: "C-1" }, { color: true, columns: 80 })).lines;
  assert.equal(bold[0], "\x1b[1mid\x1b[22m");
  const plain = (await table({ id: "C-1" }, { color: false, columns: 80 })).lines;
  assert.equal(plain[0], "id");
});

Deno.test("many rows are one table, in a pipe and at a terminal", async () => {
  const rows = Array.from({ length: 1234 }, (_, i) => ({ ID: `T-${i}`, n: i }));
  const plain = (await table(rows)).lines;
  assert.deepEqual([plain.length, plain[0], plain[1], plain[1234]], [
    ...[1235, "ID         n", "T-0        0", "T-1233  1233"],
  ]);
  const framed = (await table(rows, { color: false, columns: 80 })).lines;
  assert.equal(framed.length, 1234 + 2);
  assert.deepEqual([framed[1], framed[2], framed[1235]], ["──────  ────", "T-0        0", "T-1233  1233"]);
});

Deno.test("the first column is not truncated while others can be", async () => {
  const rows = [1, 2].map((n) => ({
    id: `20261121-1405-k7wqh${n}`,
    name: "intake",
    state: "interrupted",
    script: "/home/clerk/flows/applications/intake.ts",
    each: "/home/clerk/flows/applications/applications.csv",
  }));
  const { lines } = await table(rows, { color: false, columns: 80 });
  assert.ok(lines.some((line) => line.includes("20261121-1405-k7wqh2")), lines.join("\n"));
});

Deno.test("a long text of wide characters renders about as fast as one of narrow characters", async () => {
  const timed = async (text: string): Promise<[milliseconds: number, plain?: string, framed?: string]> => {
    const started = readCpuTime();
    const plain = (await table({ id: "C-1", text })).lines[1];
    const framed = (await table([{ id: "C-1", text }], { color: false, columns: 40 })).lines[2];
    return [readCpuTime() - started, plain, framed];
  };
  const [narrow] = await timed("Japan word ".repeat(1000));
  const [wide, plain, framed] = await timed("日本語 word ".repeat(1000));
  assert.equal(plain, "C-1  " + "日本語 word ".repeat(1000).trimEnd());
  assert.equal(framed, "C-1  日本語 word 日本語 word 日本語 wor…");
  assert(wide < 20 * narrow + 1000, `${wide} ms, and ${narrow} ms for narrow ones`);
});

Deno.test("rows with many different fields render about as fast as rows with a few", async () => {
  const timed = async (
    name: (i: number) => string,
  ): Promise<[milliseconds: number, plain: string[], framed: string[]]> => {
    const rows = Array.from({ length: 250 }, (_, i) => ({ ID: `T-${i}`, [name(i)]: "Ä" }));
    const started = readCpuTime();
    const plain = (await table(rows)).lines;
    const framed = (await table(rows, { color: false, columns: 40 })).lines;
    return [readCpuTime() - started, plain, framed];
  };
  const [few] = await timed(() => "k");
  const [many, plain, framed] = await timed((i) => `k${i}`);
  assert.match(plain[0] ?? "", /^ID {5}k0 {2}k1 .* k9 {2}k10 .* k248 {2}k249$/);
  assert.equal(plain[250], "T-249  " + " ".repeat((plain[0] ?? "").indexOf("k249") - 7) + "Ä");
  assert.equal(framed[2], "T-0    Ä");
  assert(many < 20 * few + 1000, `${many} ms, and ${few} ms for a few`);
});

Deno.test("a character is never split", async () => {
  for (const start of ["", "a"]) {
    const framed = (await table([{ id: 1, text: start + "👍".repeat(30) }], { color: true, columns: 24 })).lines;
    assert(framed.every((line) => line.isWellFormed()), framed.join("\n"));
    assert.match(framed[2] ?? "", /^ +1 {2}a?(👍){8,9}…$/u);
  }
  const named = (await table([{ id: 1, ["a" + "👍".repeat(30)]: "text" }], { color: true, columns: 20 })).lines;
  assert(named.every((line) => line.isWellFormed()), named.join("\n"));
});

Deno.test("at a terminal, identifiers come first and whole, and useless columns are hidden and named", async () => {
  const rows = ["P-1", "P-2"].map((pyID, i) => ({
    pxObjClass: "City-Permit",
    id: `CITY-PERMIT-WORK ${pyID}`,
    pyID,
    pzInsKey: `CITY-PERMIT-WORK ${pyID}`,
    pyLabel: `Permit for the applicant with the number ${i}`,
    pyStatusWork: ["New", "Pending"][i] ?? "",
    Email: null,
    Channel: "Internet",
    Fee: 50 * i,
  }));
  assert.deepEqual(await table(rows, { color: false, columns: 70 }), {
    lines: [
      "pyID  pyLabel                  pyStatusWork  Fee  id",
      "────  ───────────────────────  ────────────  ───  ────────────────────",
      "P-1   Permit for the applica…  New             0  CITY-PERMIT-WORK P-1",
      "P-2   Permit for the applica…  Pending        50  CITY-PERMIT-WORK P-2",
    ],
    notes: [
      "The same in all rows: Channel Internet, pxObjClass City-Permit.",
      "Empty and repeated columns hidden: Email, pzInsKey.",
    ],
  });
  const narrow = await table(rows, { color: false, columns: 44 });
  assert.match(narrow.lines[0] ?? "", /^pyID {2}pyLabel +pySt.* {2}Fee$/);
  assert.equal(narrow.notes.at(-1), "Columns hidden to fit the terminal: id. Select columns with --fields.");
});

Deno.test("columns that --fields selects are neither moved nor hidden", async () => {
  const rows = [{ ID: "A", kind: "x", note: "" }, { ID: "B", kind: "x", note: "" }];
  const options = { format: "table", fields: { names: ["note", "kind", "ID"] } } as const;
  const { text, notes } = await render(rows, options, { color: false, columns: 80 });
  assert.match(text, /^note {2}kind {2}ID\n/);
  assert.deepEqual(notes, []);
});

Deno.test("rows become records if an identifier is as wide as the terminal", async () => {
  const rows = [1, 2].map((n) => ({
    id: `LINK-ATTACHMENT CITY-PERMIT-WORK P-1!${n}`,
    fileName: "plan of the house.pdf" + n,
  }));
  assert.deepEqual((await table(rows, { color: false, columns: 30 })).lines, [
    ...["id        LINK-ATTACHMENT CITY-PERMIT-WORK P-1!1", "fileName  plan of the", "          house.pdf1", ""],
    ...["id        LINK-ATTACHMENT CITY-PERMIT-WORK P-1!2", "fileName  plan of the", "          house.pdf2"],
  ]);
});

Deno.test("an address is a link where the terminal may have links, also if it is truncated", async () => {
  const rows = [{ ID: "A", url: "https://svc.example/a b" }, { ID: "B", url: "https://svc.example/plan?größe=1" }];
  const { lines } = await table(rows, { color: false, links: true, columns: 28 });
  assert.equal(lines[2], "A   https://svc.example/a b");
  const link = "\x1b]8;;https://svc.example/plan?gr%C3%B6%C3%9Fe=1\x1b\\https://svc.example/pla…\x1b]8;;\x1b\\";
  assert.equal(lines[3], `B   ${link}`);
  const record = await table({ id: "B", url: rows[1]?.url ?? "" }, { color: false, links: true, columns: 20 });
  assert.ok(record.lines[1]?.startsWith("url  \x1b]8;;https:"));
  assert.ok((await table(rows, { color: false, columns: 28 })).lines.every((line) => !line.includes("\x1b")));
});

/** Returns the width of a line of the characters that these tests use. */
function widthOf(line: string): number {
  return [...line].reduce((width, character) => width + (/[日本語]/.test(character) ? 2 : 1), 0);
}
