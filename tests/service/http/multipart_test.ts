/** Forms with a file, part by part. */
import assert from "node:assert/strict";
import { receiveForm } from "../../../service/http/multipart.ts";
import { openBytes } from "../../../service/store/bytes_on_disk.ts";
import { createReceivedForm } from "../../harness/received_form.ts";

const TYPE = "multipart/form-data; boundary=b";

/** Writes a form of parts: the parameters of a part, and its content. */
function write(...parts: readonly [parameters: string, content: string][]): Uint8Array<ArrayBuffer> {
  const texts = parts.map(([parameters, content]) =>
    `--b\r\nContent-Disposition: form-data; ${parameters}\r\n\r\n${content}\r\n`
  );
  return new TextEncoder().encode(`${texts.join("")}--b--\r\n`);
}

Deno.test("a form has its texts and its file, whose name is unescaped and whose digest is optional", async () => {
  const bytes = openBytes();
  const body = write(['name="a"', "1"], ['name="FILE"; filename="folder/%22x%22%0D%0A.txt"', "abc"], ['name="b"', "2"]);
  const digests: (string | undefined)[] = [];
  for (const digest of [true, undefined]) {
    const form = await receiveForm(createReceivedForm(TYPE, body), { bytes, limit: 3, digest });
    const file = form.get("file");
    assert.ok(typeof file === "object");
    assert.deepEqual([form.get("a"), form.get("b"), file.name, file.size], ["1", "2", 'folder/"x"\r\n.txt', 3]);
    assert.equal(await new Response(file.stream()).text(), "abc");
    digests.push(file.digest);
  }
  assert.deepEqual(digests, ["ungWv48Bz-pBQUDeXa4iI7ADYaOWF3qctBD_YfIAFa0", undefined]);
  await bytes.close();
});

Deno.test("a form has one file, and no file in another part", async () => {
  const bytes = openBytes();
  const file: [string, string] = ['name="file"; filename="a.txt"', "abc"];
  const refused: readonly [body: Uint8Array<ArrayBuffer>, message: RegExp][] = [
    [write(file, file), /^The form has more than one file\. Send one file/],
    [write(['name="other"; filename="a.txt"', "abc"]), /^The form has a file in the part 'other'\./],
    [write(file).subarray(0, -8), /^The body is not a complete multipart form\.$/],
  ];
  for (const [body, message] of refused) {
    await assert.rejects(receiveForm(createReceivedForm(TYPE, body), { bytes, limit: 10 }), {
      kind: "Invalid",
      message,
    });
    assert.deepEqual(await bytes.list(), []);
  }
  await bytes.close();
});

Deno.test("a file that is too large is refused before it arrives, if its length is declared", async () => {
  const bytes = openBytes();
  const body = write(['name="file"; filename="a.txt"', "abcd"]);
  const receive = async (limit: number, declared?: number) => {
    const form = createReceivedForm(TYPE, body);
    const header = (name: string) => name === "content-length" ? declared?.toString() : form.header(name);
    return await receiveForm({ ...form, header }, { bytes, limit }).then(() => "received", ({ kind }) => kind);
  };
  const others = 20 * 4096;
  assert.deepEqual([await receive(4), await receive(3)], ["received", "ContentTooLarge"]);
  assert.deepEqual([await receive(4, 4 + others), await receive(4, 5 + others)], ["received", "ContentTooLarge"]);
  assert.equal((await bytes.list()).length, 2);
  await bytes.close();
});

Deno.test("a failure of the store is reported as it is, whatever the form has", async () => {
  const bytes = openBytes();
  const failure = new Error("The disk fails.");
  const broken = { ...bytes, write: () => Promise.reject(failure) };
  const body = write(['name="file"; filename="a.txt"', "abc"], ['name="b"', "2"]);
  await assert.rejects(receiveForm(createReceivedForm(TYPE, body), { bytes: broken, limit: 10 }), failure);
  await assert.rejects(receiveForm(createReceivedForm("text/plain", body), { bytes, limit: 10 }), {
    kind: "UnsupportedMediaType",
  });
  await bytes.close();
});
