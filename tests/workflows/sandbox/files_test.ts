/** Files and content in workflows: they pass through the pipe to the sandbox, up to a limit. */
import assert from "node:assert/strict";
import { createCaller } from "../../../lib/client/caller.ts";
import { createClient } from "../../../lib/client/client.ts";
import { MAX_FILE_BYTES } from "../../../workflows/sandbox/protocol/files.ts";
import { openService } from "../../harness/service.ts";
import { runText, scriptText } from "../../harness/workflow.ts";

async function runOnService(body: string) {
  await using api = await openService();
  const { service } = api;
  const credentials = await service.addClient("clerk@city");
  return await runText(scriptText(body), {
    caller: createCaller({ baseUrl: service.url, ...credentials, noCache: true }),
  });
}

Deno.test("a script uploads a file, attaches it and reads it back", async () => {
  const { result, error } = await runOnService(`
    const { id } = await svc.cases.create({ type: "City-Permit-Work-Permit" });
    const bytes = Uint8Array.from({ length: 1000 }, (_, i) => i % 256);
    const { ID } = await svc.attachments.upload({ file: new File([bytes], "ü.bin"), appendUniqueId: false });
    await svc.attachments.add(id, { attachments: [{ type: "File", category: "File", ID }] });
    const { attachments } = await svc.attachments.list(id);
    const content = await svc.attachments.get(attachments[0].ID);
    const back = await new Response(content.stream).bytes();
    const edited = await svc.attachments.patch(attachments[0].ID, { name: "b" });
    return [content.type, content.name, content.size, back.every((byte, i) => byte === i % 256), edited];`);
  assert.equal(error, undefined);
  assert.deepEqual(result, ["application/octet-stream", "ü.bin", 1000, true, "Attachment edited successfully"]);
});

Deno.test("files above the limit are rejected in both directions, and the script continues", async () => {
  const tooLarge = await runOnService(`
    const failures = [];
    const file = new File([new Uint8Array(${MAX_FILE_BYTES + 1})], "large.bin");
    try { await svc.attachments.upload({ file }); } catch (error) { failures.push([error.code, error.message]); }
    const fits = await svc.attachments.upload({ file: new File([new Uint8Array(${MAX_FILE_BYTES})], "fits.bin") });
    return [...failures, typeof fits.ID];`);
  assert.equal(tooLarge.error, undefined);
  assert.deepEqual(tooLarge.result, [["INVALID_ARGS", `large.bin has more than ${MAX_FILE_BYTES} bytes.`], "string"]);

  await using api = await openService();
  const options = { baseUrl: api.service.url, ...await api.service.addClient("clerk@city"), noCache: true };
  const svc = createClient(options);
  const { id } = await svc.cases.create({ type: "City-Permit-Work-Permit" });
  const { ID } = await svc.attachments.upload({ file: new File([new Uint8Array(MAX_FILE_BYTES + 1)], "large.bin") });
  await svc.attachments.add(id, { attachments: [{ type: "File", category: "File", ID }] });
  const body = `const { attachments } = await svc.attachments.list("${id}");
    return await svc.attachments.get(attachments[0].ID);`;
  const { error } = await runText(scriptText(body), { caller: createCaller(options) });
  assert.equal(error?.code, "INVALID_RESPONSE");
  assert.equal(error.message, `The content has more than ${MAX_FILE_BYTES} bytes.`);
});
