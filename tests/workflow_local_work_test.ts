/** Digests, signatures and WebAssembly: other threads do the work, and the script sees of it what it would see alone. */
import assert from "node:assert/strict";
import { runText, scriptText } from "./_support/workflow.ts";

/** A module that calls `a.b` when it is instantiated. */
const CALLING = `Uint8Array.fromBase64("AGFzbQEAAAABBAFgAAACBwEBYQFiAAAIAQA=")`;

async function resultOf(body: string): Promise<unknown> {
  const { result, error } = await runText(scriptText(body));
  return error?.toJSON() ?? result;
}

Deno.test("work is done with what it was given, whatever the script makes of that afterwards", async () => {
  const result = await resultOf(`
    const { subtle } = crypto;
    const hex = (buffer) => new Uint8Array(buffer).toHex();
    const changed = async (bytes, begin) => {
      const work = begin(bytes);
      bytes.fill(0);
      return await work;
    };
    const sevens = (length) => new Uint8Array(length).fill(7);
    const digest = (bytes) => subtle.digest("SHA-256", bytes);
    const aes = await changed(sevens(16), (bytes) => subtle.importKey("raw", bytes, "AES-GCM", true, ["encrypt"]));
    const encrypt = (iv) => subtle.encrypt({ name: "AES-GCM", iv }, aes, sevens(3));
    const module = await changed(${CALLING}, (bytes) => WebAssembly.compile(bytes));
    const { instance } = await changed(${CALLING}, (bytes) => WebAssembly.instantiate(bytes, { a: { b() {} } }));
    return [
      hex(await subtle.exportKey("raw", aes)) === sevens(16).toHex(),
      hex(await changed(sevens(9), digest)) === hex(await digest(sevens(9))),
      hex(await changed(sevens(12), encrypt)) === hex(await encrypt(sevens(12))),
      module instanceof WebAssembly.Module,
      instance instanceof WebAssembly.Instance,
    ];`);
  assert.deepEqual(result, Array(5).fill(true));
});

Deno.test("a script is told of work in the order in which it began it, and does what follows from one before the next", async () => {
  const result = await resultOf(`
    const order = [];
    const follow = async (name, work) => {
      await work.catch((error) => order.push(error.name));
      for (let i = 0; i < 50; i++) await null;
      order.push(name);
    };
    const imports = (name) => ({ a: { b: () => order.push("starts " + name) } });
    const module = new WebAssembly.Module(${CALLING});
    await Promise.all([
      follow("long", crypto.subtle.digest("SHA-512", new Uint8Array(30_000_000))),
      follow("refused", crypto.subtle.digest("none", new Uint8Array())),
      follow("bytes", WebAssembly.instantiate(${CALLING}, imports("bytes"))),
      follow("module", WebAssembly.instantiate(module, imports("module"))),
      follow("broken", WebAssembly.compile(new Uint8Array(1))),
      follow("short", crypto.subtle.digest("SHA-1", new Uint8Array(1))),
    ]);
    return order;`);
  const expected =
    "long, NotSupportedError, refused, starts bytes, bytes, starts module, module, CompileError, broken, short";
  assert.deepEqual(result, expected.split(", "));
});
