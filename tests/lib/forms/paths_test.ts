/** Paths of properties, and the references that lead to them. */
import assert from "node:assert/strict";
import { htmlToText, textToHtml } from "../../../lib/forms/html.ts";
import {
  formatPath,
  formatTarget,
  getAt,
  isSamePath,
  isWithin,
  parsePath,
  type Path,
  setAt,
} from "../../../lib/forms/path.ts";
import type { JsonObject } from "../../../lib/forms/mod.ts";
import { parseContext, parseReference } from "../../../lib/forms/scope.ts";

Deno.test("positions in brackets start at 0, and in parentheses at 1", () => {
  const expected: readonly [text: string, path: Path | undefined][] = [
    ["", []],
    [".City", ["City"]],
    ["Stops[0].City", ["Stops", 0, "City"]],
    [".Stops(1)(2).City", ["Stops", 0, 1, "City"]],
    ["Home. City ", ["Home", "City"]],
    ["Home..City", undefined],
    ["Stops[x]", undefined],
    ["[0]", undefined],
    ["Home.__proto__.City", undefined],
  ];
  for (const [text, path] of expected) assert.deepEqual(parsePath(text), path, text);
  const path = ["Home", "Stops", 0, "City"];
  assert.deepEqual([formatPath(path), formatTarget(path)], ["Home.Stops[0].City", ".Home.Stops(1).City"]);
});

Deno.test("a path is compared with a place by its segments", () => {
  assert.deepEqual([isSamePath(["a", 0], ["a", 0]), isSamePath(["a"], ["a", 0]), isSamePath(["a"], ["b"])], [
    ...[true, false, false],
  ]);
  assert.deepEqual([
    isWithin(["a"], ["a"]),
    isWithin(["a", 0], ["a"]),
    isWithin(["a"], ["a", 0]),
    isWithin(["b"], ["a"]),
  ], [
    ...[true, true, false, false],
  ]);
});

Deno.test("values are read and set without inherited members", () => {
  const content: JsonObject = { Home: { City: "Oslo" }, Stops: [{ City: "Bergen" }], Name: "Ada" };
  assert.equal(getAt(content, ["Stops", 0, "City"]), "Bergen");
  for (const path of [["Home", 0], ["Name", "length"], ["Stops", "length"], ["toString"], ["Missing", "City"]]) {
    assert.equal(getAt(content, path), undefined, path.join());
  }
  setAt(content, ["Home", "Zip"], "0150");
  setAt(content, ["Name", "First"], "Ada");
  setAt(content, ["Depot", "ID"], 4);
  assert.deepEqual(content, {
    Home: { City: "Oslo", Zip: "0150" },
    Stops: [{ City: "Bergen" }],
    Name: { First: "Ada" },
    Depot: { ID: 4 },
  });
});

Deno.test("a reference has a prefix, and a label may have nothing else", () => {
  const expected: readonly [text: string, prefix: string | undefined, rest?: string][] = [
    ["@P .City", "P", ".City"],
    ["@L  Two words ", "L", "Two words"],
    ["@L", "L", ""],
    ["@FL", "FL", ""],
    ["@P", undefined],
    ["@p .City", undefined],
    ["City", undefined],
  ];
  for (const [text, prefix, rest] of expected) {
    assert.deepEqual(parseReference(text), prefix === undefined ? undefined : { prefix, rest }, text);
  }
  assert.deepEqual(
    ["content", "caseInfo.content.Home", "data.caseInfo.content[0]", "data.content", "contents"].map(parseContext),
    [
      ...[[], ["Home"], [0], undefined, undefined],
    ],
  );
});

Deno.test("rich text is converted to plain text and back", () => {
  const expected: readonly [html: string, text: string][] = [
    ["<p>One</p>\n<p>two &amp; three</p>", "One\ntwo & three"],
    ["a<br/>b<BR>c", "a\nb\nc"],
    ["<ul><li>One</li><li class='x'>Two</li></ul>", "- One\n- Two"],
    ["<style>p { }</style>a<script>x()</script>b<!-- c -->", "ab"],
    ["1 &lt; 2 &#62; &#x41; &nbsp;&copy; &#1114111; &#1114112;", "1 < 2 > A  &copy; \u{10ffff} &#1114112;"],
    ["a<p></p><p></p><p></p>b", "a\n\nb"],
    ["2 < 3", "2 < 3"],
  ];
  for (const [html, text] of expected) assert.equal(htmlToText(html), text, html);
  assert.equal(textToHtml("a & b\r\n< c"), "<p>a &amp; b</p><p>&lt; c</p>");
  assert.deepEqual(["", " <b>bold</b>"].map(textToHtml), ["", " <b>bold</b>"]);
});
