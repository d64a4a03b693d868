/** Commands that take paths, in folders whose names mean something to URLs, shells, flags or file systems. */
import assert from "node:assert/strict";
import { startService } from "../../service/mod.ts";
import { shareCommands } from "../harness/command_process.ts";
import { CHECKOUT } from "../harness/svc.ts";
import { scriptText } from "../harness/workflow.ts";

/** Few names with many characters: a command that mistakes one of them does not find the file. */
const NAMES = [
  "-x C# what? 50%25",
  `a;b & c's "d", [e]{f}* $HOME \`g\`\nbreak\ttab`,
  `two  words 日本語 😀 e\u0301 ${"x".repeat(180)}`, // The accent is a code point of its own, as macOS writes it.
];

const commands = shareCommands(() => ["--allow-all"]);

const SCRIPT = `import { one } from "./lib/one.ts";
import { two } from "PARENT/lib/two.ts";
import { three } from "./lib/t%23h%3Free.ts";
${scriptText("const { four } = await import('./lib/four.ts'); return [one, two, three, four, input ?? null];", [])}`;

Deno.test("commands take paths with any name", async (t) => {
  await using service = await startService();
  const { clientId, clientSecret } = await service.addClient("clerk@city");
  const app = await Deno.readTextFile(`${CHECKOUT}/service/sample/permit.yaml`);
  const folder = await commands.getFolder();
  for (const name of NAMES) {
    await t.step(name.slice(0, 20), async () => {
      const parent = `${folder}/${encodeURIComponent(name).slice(0, 20)}`;
      const escaped = encodeURIComponent(name);
      for (const sub of ["lib", "cassettes"]) await Deno.mkdir(`${parent}/${name}/${sub}`, { recursive: true });
      const write = (file: string, text: string) => Deno.writeTextFile(`${parent}/${name}/${file}`, text);
      await write("flow.ts", SCRIPT.replace("PARENT", `file://${encodeURI(parent)}/${escaped}`));
      for (const file of ["one", "two", "t#h?ree", "four"]) {
        await write(`lib/${file}.ts`, `export const ${file.replace("#h?", "h")} = "${file[0]}";`);
      }
      await write("in.ndjson", "1\n2\n");
      await write("in.csv", "a\n1\n");
      await write("note.txt", "hello");
      await write("app.yaml", app);
      await write("case.json", JSON.stringify({ Applicant: "Ada", Address: "Main St 1" }));
      const env = {
        SVC_BASE_URL: service.url,
        SVC_CLIENT_ID: clientId,
        SVC_CLIENT_SECRET: clientSecret,
        SVC_CONFIG_DIR: `${parent}/${name}/config`,
      };
      const run = async (...args: string[]) => {
        const request = { args, env, cwd: parent };
        const { code, stdout, stderr } = await commands.run(request, () => assert.fail("The process is busy."));
        assert.equal(code, 0, `svc ${args.join(" ")}\n${stderr}`);
        return stdout === "" ? undefined : stdout;
      };
      const read = async (...args: string[]) => JSON.parse(await run(...args) ?? "null");
      const at = (file: string) => `${name}/${file}`;
      const script = ["--", at("flow.ts")]; // After --, a name may begin with -.
      const imported = ["o", "t", "t", "f"];

      assert.deepEqual(await read("workflow", "run", ...script), [...imported, null]);
      assert.deepEqual(await read("workflow", "run", `--root=${name}`, "--input=7", ...script), [...imported, 7]);
      for (const each of ["in.ndjson", "in.csv"]) {
        const journal = `--journal=${at("other.db")}`;
        await run("workflow", "run", `--each=${at(each)}`, journal, "--run-id", each.slice(3), ...script);
        await run("workflow", "check", "--against", each.slice(3), journal, ...script);
        const [listed] = await read("workflow", "list", journal);
        assert.deepEqual([listed.state, listed.script], ["done", `${parent}/${at("flow.ts")}`]);
        await run("workflow", "report", each.slice(3), journal, `--output=${at("report.html")}`);
      }
      await run("workflow", "plan", `--each=${at("in.csv")}`, ...script);
      await run("workflow", "record", `--output=${at("cassettes/one.json")}`, ...script);
      await run("workflow", "test", `--cassette=${at("cassettes/one.json")}`, ...script);
      await run("workflow", "test", `--cassette=${at("cassettes")}`, ...script);
      await run("workflow", "schedule", "add", "--cron=@daily", "--time-zone=UTC", "--", "nightly", at("flow.ts"));
      await run("workflow", "schedule", "run-now", "nightly");
      await run("worker", "start", "--until-idle");
      assert.equal((await read("workflow", "schedule", "list"))[0].lastState, "done");
      await run("workflow", "init", "--", at("new"));
      await run("workflow", "plan", `--input=@${at("case.json")}`, "--allow-declared", "--", at("new/intake.ts"));

      const { ID } = await read("cases", "create", "--type", "City-Permit-Work-Permit", `--data=@${at("case.json")}`);
      await run("attachments", "upload", `--file=${at("note.txt")}`, "--fields", "ID");
      await run("attachments", "add", ID, `--file=${at("note.txt")}`);

      await run("service", "validate", "--", at("app.yaml"));
      await run("service", "diagram", `--output=${at("app.svg")}`, "--", at("app.yaml"));
      await run("service", "types", `--output=${at("types.ts")}`, "--", at("app.yaml"));
      const data = `--data=${at("data")}`;
      await run("service", "start", "--detach", "--port=0", data, `--app=${at("app.yaml")}`);
      await run("service", "backup", data, "--", at("backup.tar"));
      await run("service", "stop", data);
      await run("service", "verify", data);
      await run("service", "verify", "--", at("backup.tar"));
      await run("service", "restore", `--data=${at("restored")}`, "--", at("backup.tar"));
      await run("service", "start", "--detach", "--port=0", data); // With the application of the first start.
      await run("service", "stop", data);
    });
  }
});
