import assert from "node:assert/strict";
import fc from "fast-check";
import { fromOperation } from "../../cli/commands/operation_command.ts";
import { scanPlain } from "../../cli/args/plain_scan.ts";
import { scan } from "../../cli/args/scanner.ts";
import assignments from "../../lib/resources/assignments.ts";
import data from "../../lib/resources/data.ts";
import tags from "../../lib/resources/tags.ts";

const COMMANDS = [
  fromOperation("data", "query", data.query),
  fromOperation("tags", "add", tags.add),
  fromOperation("data", "listObjects", data.listObjects),
  fromOperation("assignments", "perform", assignments.perform),
];

const token = fc.oneof(
  fc.constantFrom("--max", "--page=2", "--max=3", "--params", "--include-total", "--no-include-total", "--data", "-d"),
  fc.constantFrom("--format", "--fields=a,b", "--quiet", "--no-cache", "--action", "--if-match", "--interactive"),
  fc.constantFrom("--", "-", "--x", "-5", "--constructor", "--to-string", "--maxx", "--quiet=true", "--MAX", "-dq"),
  fc.constantFrom("--tag", "--tag=a,b", "D_Cars", "{}", "", "a b", "=", "a=b", "table"),
  fc.string({ maxLength: 3 }),
);

Deno.test("what is read plainly means the same to the parser library", async () => {
  let plain = 0;
  await fc.assert(
    fc.asyncProperty(fc.constantFrom(...COMMANDS), fc.array(token, { maxLength: 6 }), async (command, inputs) => {
      const given = scanPlain(command, inputs);
      if (given === undefined) return;
      plain++;
      const thorough = Object.entries(await scan(command, ["group", "command"], inputs));
      assert.deepEqual(Object.fromEntries(thorough.filter(([, text]) => text !== undefined)), given);
    }),
    { numRuns: 3000 },
  );
  assert.ok(plain > 100, `only ${plain} of the command lines were plain`);
});

Deno.test("the usual command lines are read plainly", () => {
  const [query, addTags, , perform] = COMMANDS;
  const usual = ["D", "--params", "{}", "--max=3", "--include-total", "--format", "table", "--data", "-"];
  assert.deepEqual(scanPlain(query ?? assert.fail(), usual), {
    params: "{}",
    max: "3",
    includeTotal: true,
    format: "table",
    data: "-",
    dataViewId: "D",
  });
  assert.deepEqual(scanPlain(perform ?? assert.fail(), ["A", "--action", "x"]), { action: "x", assignmentId: "A" });
  const repeated = scanPlain(addTags ?? assert.fail(), ["C", "--tag", "hot", "--tag=old, big"]);
  assert.deepEqual(repeated, { tag: ["hot", "old, big"], caseId: "C" });
});
