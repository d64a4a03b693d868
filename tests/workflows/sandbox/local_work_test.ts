/** Cryptography and WebAssembly, which other threads execute: the results have a deterministic order. */
import assert from "node:assert/strict";
import { runText, scriptText } from "../../harness/workflow.ts";

/** Code of a WebAssembly module that calls `a.b` when it is instantiated. */
const CALLING = `Uint8Array.fromBase64("AGFzbQEAAAABBAFgAAACBwEBYQFiAAAIAQA=")`;

async function runBody(body: string): Promise<unknown> {
  const { result, error } = await runText(scriptText(body));
  return error?.toJSON() ?? result;
}

Deno.test("work uses the arguments as they are at the call, even if the script changes them later", async () => {
  const result = await runBody(`
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

Deno.test("a script gets the results of work in the order of the calls, each in its own turn", async () => {
  const result = await runBody(`
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

Deno.test("randomized cryptography is rejected, even if the call names another algorithm", async () => {
  const result = await runBody(`
    const { subtle } = crypto;
    const n = "sT8spyOaWNifSWSx2MBSxDVuFLtOdKq8dp-iv8GCDO6OFhswFFz-FaDkzVkW27tB8xnqxRSR6yz_sEmartJX7w";
    const algorithm = { name: "RSA-OAEP", hash: "SHA-1" };
    const rsa = await subtle.importKey("jwk", { kty: "RSA", n, e: "AQAB" }, algorithm, true, ["encrypt", "wrapKey"]);
    const dsa = await subtle.importKey("raw-seed", new Uint8Array(32), "ML-DSA-44", true, ["sign"]);
    const aes = await subtle.importKey("raw", new Uint8Array(16), "AES-KW", true, ["wrapKey"]);
    const hidden = Object.assign(Object.create(null), { name: "RSA-OAEP" });
    const names = ["AES-GCM"];
    const changing = { get name() { return names.pop() ?? "RSA-OAEP"; } };
    const data = new Uint8Array(8);
    const attempts = [
      subtle.encrypt("RSA-OAEP", rsa, data),
      subtle.encrypt(hidden, rsa, data),
      subtle.encrypt(changing, rsa, data),
      subtle.wrapKey("raw", aes, rsa, hidden),
      subtle.sign({ name: "ML-DSA-44" }, dsa, data),
      subtle.wrapKey("raw-seed", dsa, aes, "AES-KW").then((wrapped) => wrapped.byteLength + " bytes"),
      subtle.sign("HMAC", {}, data).catch((error) => Promise.reject({ message: error.name })),
    ];
    return await Promise.all(attempts.map((attempt) => attempt.catch(({ message }) => message)));`);
  const refused = (what: string) => `A workflow cannot ${what}: the result differs each time.`;
  const encrypted = Array(3).fill(refused("encrypt with RSA-OAEP"));
  const [wrapped, signed] = [refused("wrapKey with RSA-OAEP"), refused("sign with ML-DSA-44")];
  assert.deepEqual(result, [...encrypted, wrapped, signed, "40 bytes", "TypeError"]);
});
