/** `svc static-content`: bytes, media types, and protection against paths out of the folder. */
import assert from "node:assert/strict";
import { PACKED_ASSETS } from "../../../service/sample/packed_assets.ts";
import { ASSET_KINDS, type Assets, openAssets, openPackedAssets } from "../../../service/pages/assets.ts";
import { openLiveForAll, openService } from "../../harness/service.ts";
import { PERMIT_FILE } from "../../harness/service_engine.ts";
import { CHECKOUT, makeFolder } from "../../harness/svc.ts";

const STATIC = `${CHECKOUT}/service/sample/static`;
const live = await openLiveForAll();
await live.run("auth status"); // The folder is there.

Deno.test("component prints the JavaScript of a component, with or without its extension", async () => {
  const text = await Deno.readTextFile(`${STATIC}/components/City_Map.js`);
  for (const id of ["City_Map", "City_Map.js"]) {
    assert.deepEqual(await live.run(`static-content component ${id}`), { code: 0, stdout: text, stderr: "" });
  }
});

Deno.test("file writes the bytes of a file and requires --output", async () => {
  const output = `${live.folder}/logo.png`;
  const result = await live.run(`static-content file logo.png -o '${output}'`);
  assert.deepEqual(result, { code: 0, stdout: "", stderr: "" });
  assert.deepEqual(await Deno.readFile(output), await Deno.readFile(`${STATIC}/files/logo.png`));
  const error = await live.refused("static-content file logo.png");
  assert.equal(error.code, "INVALID_ARGS");
  assert.match(String(error.message), /--output is required/);
});

Deno.test("profile-image writes the picture of an operator", async () => {
  const output = `${live.folder}/clerk.png`;
  assert.equal((await live.run(`static-content profile-image clerk@city -o '${output}'`)).code, 0);
  assert.deepEqual(await Deno.readFile(output), await Deno.readFile(`${STATIC}/profile-images/clerk@city.png`));
});

Deno.test("content that the application does not have is not found", async () => {
  const lines = [
    "component None",
    `file none.txt -o '${live.folder}/x'`,
    "profile-image decider@city",
    "profile-image unknown",
  ];
  for (const line of lines) {
    assert.equal((await live.refused(`static-content ${line}`)).code, "NOT_FOUND", line);
  }
});

Deno.test("the picture of someone who is not an operator is not served", async () => {
  await using folder = await makeFolder({
    "app.yaml": await Deno.readTextFile(PERMIT_FILE),
    "static/profile-images/clerk@city.png": "here",
    "static/profile-images/gone@city.png": "gone",
  });
  await using service = await openService({ app: `${folder.path}/app.yaml` });
  const statuses = await Promise.all(["clerk", "gone"].map(async (name) => {
    const headers = { authorization: `Bearer ${service.token}` };
    const response = await fetch(`${service.api}/users/${name}%40city/profile-image`, { headers });
    await response.body?.cancel();
    return response.status;
  }));
  assert.deepEqual(statuses, [200, 404]);
});

Deno.test("no name can leave the folder", async () => {
  const names = [
    "../../permit.yaml",
    "..\\..\\permit.yaml",
    "../files/logo.png",
    "..",
    ".",
    "",
    "/etc/passwd",
    "C:\\Windows\\win.ini",
    "files/logo.png",
    "logo.png\0",
    "%2e%2e%2f%2e%2e%2fpermit.yaml",
    "LOGO.PNG/",
  ];
  await using service = await openService();
  for (const name of names) {
    for (
      const path of [
        encodeURIComponent(name),
        encodeURIComponent(encodeURIComponent(name)),
        name.replaceAll("/", "%2F").replaceAll("\0", "%00"),
      ]
    ) {
      const response = await fetch(`${service.api}/files/${path}`, {
        headers: { authorization: `Bearer ${service.token}` },
      });
      await response.body?.cancel();
      assert.ok([400, 404, 405].includes(response.status), `${path}: ${response.status}`);
    }
  }
});

Deno.test("a link out of the folder is not served, and a link inside it is", async () => {
  await using folder = await makeFolder({
    "secret.txt": "secret",
    "static/files/plain.txt": "plain",
    "static-more/near.txt": "near",
    "static/files/sub/inner.txt": "inner",
  });
  const files = `${folder.path}/static/files`;
  await Deno.symlink(`${folder.path}/secret.txt`, `${files}/out.txt`);
  await Deno.symlink(`${folder.path}/static-more/near.txt`, `${files}/near.txt`);
  await Deno.symlink("/", `${files}/root`);
  await Deno.symlink(`${files}/nothing`, `${files}/broken`);
  await Deno.symlink(`${files}/plain.txt`, `${files}/again.txt`);
  const assets = await openAssets(`${folder.path}/static`);
  assert.deepEqual(assets.list("files"), ["again.txt", "plain.txt"]);
  assert.equal(await assets.find("files", "sub/inner.txt"), undefined);
  assert.equal(await assets.find("components", "../files/plain.txt"), undefined);
});

Deno.test("a link out of the folder that replaces a file after the start is not served, nor is a removed file", async () => {
  await using folder = await makeFolder({
    "app.yaml": await Deno.readTextFile(PERMIT_FILE),
    "secret.txt": "secret",
    "static/files/plain.txt": "plain",
    "static/files/out.txt": "here",
    "static/files/near.txt": "here",
    "static/files/gone.txt": "here",
  });
  await using service = await openService({ app: `${folder.path}/app.yaml` });
  const files = `${folder.path}/static/files`;
  for (const name of ["out.txt", "near.txt", "gone.txt"]) await Deno.remove(`${files}/${name}`);
  await Deno.symlink(`${folder.path}/secret.txt`, `${files}/out.txt`);
  await Deno.symlink(`${files}/plain.txt`, `${files}/near.txt`);
  const read = async (path: string) => {
    const headers = { authorization: `Bearer ${service.token}` };
    const response = await fetch(`${service.api}/files/${path}`, { headers });
    const text = await response.text();
    return response.status === 200 ? text : response.status;
  };
  assert.deepEqual(await Promise.all(["out.txt", "near.txt", "gone.txt"].map(read)), [404, "plain", 404]);
  await Deno.rename(files, `${folder.path}/elsewhere`);
  await Deno.symlink(`${folder.path}/elsewhere`, files);
  assert.equal(await read("plain.txt"), 404);
});

Deno.test("responses have the media type of their content and forbid sniffing it", async () => {
  await using service = await openService();
  const types = {
    "components/City_Map": "application/javascript",
    "files/fees.csv": "application/octet-stream",
    "files/logo.png": "application/octet-stream",
    "users/clerk%40city/profile-image": "image/png",
  };
  for (const [path, type] of Object.entries(types)) {
    const response = await fetch(`${service.api}/${path}`, { headers: { authorization: `Bearer ${service.token}` } });
    assert.equal(response.headers.get("content-type")?.split(";")[0], type);
    assert.equal(response.headers.get("x-content-type-options"), "nosniff");
    assert.equal(String((await response.arrayBuffer()).byteLength), response.headers.get("content-length"));
  }
});

Deno.test("the packed static files equal those in the folder of the sample", async () => {
  const [folder, kept] = [await openAssets(STATIC), openPackedAssets(PACKED_ASSETS)];
  const contents = (files: Assets) => {
    const named = ASSET_KINDS.flatMap((kind) => files.list(kind).map((name) => [kind, name] as const));
    return Promise.all(named.map(async ([kind, name]) => {
      const file = await files.find(kind, name);
      return [kind, name, file?.type, file?.size, await new Response(file?.stream).bytes()];
    }));
  };
  assert.deepEqual(await contents(kept), await contents(folder));
  assert.equal(await kept.find("files", "none"), undefined);
});
