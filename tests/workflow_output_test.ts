/** Runs whose results have nowhere to go. */
import assert from "node:assert/strict";
import { main } from "../cli.ts";
import { SvcError } from "../lib/errors.ts";
import { capturedIo, svcHere } from "./_support/captured_io.ts";
import { makeFolder, scriptText } from "./_support/workflow.ts";

Deno.test("a run whose results cannot be written says how to go on", async () => {
  await using folder = await makeFolder({ "script.ts": scriptText("return input;", []), "in.ndjson": "1\n2\n" });
  const journal = `${folder.path}/own.db`;
  const full = () => {
    throw new SvcError("INVALID_ARGS", "The disk is full.", { hint: "Send it somewhere else." });
  };
  const inputs = { single: ["--input", "1"], batch: ["--each", `${folder.path}/in.ndjson`] };
  for (const [id, input] of Object.entries(inputs)) {
    const captured = { stdout: "", stderr: "" };
    const io = capturedIo(captured);
    const run = ["workflow", "run", `${folder.path}/script.ts`, "--run-id", id, ...input, "--journal", journal];
    assert.equal(await main(run, { ...io, stdout: { ...io.stdout, write: full } }), 2);
    const { error } = JSON.parse(captured.stderr);
    const again = `svc workflow resume ${id} --journal ${journal}`;
    assert.deepEqual(error, {
      code: "INVALID_ARGS",
      message: "The disk is full.",
      hint: `Send it somewhere else. Then: ${again}`,
    });
    const resumed = await svcHere(again.split(" ").slice(1));
    assert.deepEqual([resumed.code, resumed.stdout.match(/1/g)?.length], [0, id === "single" ? 1 : 2]);
  }
});
