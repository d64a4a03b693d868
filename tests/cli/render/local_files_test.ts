import assert from "node:assert/strict";
import { writeWhole } from "../../../cli/render/local_files.ts";
import { makeFolder } from "../../harness/svc.ts";

Deno.test({
  name: "downloads, reports and cassettes are readable by their owner only, and a replaced file keeps its permissions",
  ignore: Deno.build.os === "windows",
  async fn() {
    await using folder = await makeFolder({ "shared.json": "old" });
    await Deno.chmod(`${folder.path}/shared.json`, 0o644);
    for (const [name, mode] of [["new.json", 0o600], ["shared.json", 0o644]] as const) {
      await writeWhole(`${folder.path}/${name}`, [new TextEncoder().encode("case data")]);
      assert.equal((await Deno.stat(`${folder.path}/${name}`)).mode! & 0o777, mode, name);
      assert.equal(await Deno.readTextFile(`${folder.path}/${name}`), "case data");
    }
  },
});
