/** Completeness of operations: each has a handler, a permission, working help and a reference page. */
import assert from "node:assert/strict";
import { listExamples, permissionName, toKebab } from "../../lib/operation/operation.ts";
import { loadResources } from "../../lib/resources/mod.ts";
import { handlers } from "../../service/http/routes.ts";
import { makeFolder, splitWords } from "../harness/svc.ts";
import { runCommandLine, testsPath } from "./resources/_operation_tests.ts";

const operations = Object.entries(await loadResources()).flatMap(([group, operations]) =>
  Object.entries(operations).map(([name, operation]) => ({ group, name, operation }))
);

Deno.test("every operation has a unique permission name", () => {
  const names = operations.map(({ group, name }) => permissionName(group, name));
  assert.equal(new Set(names).size, names.length);
  for (const name of names) assert.match(name, /^[a-z-]+\.[a-z-]+$/);
});

Deno.test("no identifier turns the path of one operation into that of another", () => {
  const isParam = (segment: string) => segment.startsWith("{");
  const requests = operations.flatMap(({ operation: { method, path, tagFrom, args = [], flags = {} } }) => {
    const params = [...args, ...Object.values(flags)];
    return [{ method, path, params }, ...(tagFrom ? [{ method: "GET", path: tagFrom.path, params }] : [])];
  });
  for (const { method, path, params } of requests) {
    const mine = path.split("/");
    for (const { operation } of operations.filter((other) => other.operation.method === method)) {
      const theirs = operation.path.split("/");
      const fits = mine.length === theirs.length &&
        mine.every((segment, i) => segment === theirs[i] || isParam(segment) || isParam(theirs[i] ?? ""));
      if (!fits) continue;
      for (const [i, segment] of mine.entries()) {
        const theirSegment = theirs[i] ?? "";
        if (!isParam(segment) || isParam(theirSegment)) continue;
        const param = params.find(({ to }) => to === `path:${segment.slice(1, -1)}`);
        assert.ok(param?.reserved?.includes(theirSegment), `${method} ${path} can be ${operation.path}`);
      }
    }
  }
});

Deno.test("every operation has a handler, and every handler an operation", () => {
  const served = Object.entries(handlers).flatMap(([group, one]) => Object.keys(one).map((name) => `${group}.${name}`));
  assert.deepEqual(served.sort(), operations.map(({ group, name }) => `${group}.${name}`).sort());
});

Deno.test("every group has a file with the tests of its operations", async () => {
  for (const group of Object.keys(await loadResources())) {
    const path = testsPath(group);
    const text = await Deno.readTextFile(new URL(`../../${path}`, import.meta.url)).catch(() => "");
    assert.ok(text.includes(`testOperations("${group}", {`), `${path} must call testOperations for ${group}`);
  }
});

Deno.test("every operation has a reference page with its request, its permission and its example", async () => {
  const root = new URL("../../", import.meta.url);
  const readme = await Deno.readTextFile(new URL("README.md", root));
  for (const [group, own] of Object.entries(Object.groupBy(operations, ({ group }) => group))) {
    const path = `docs/reference/${toKebab(group)}.md`;
    const row = readme.split("\n").find((line) => line.includes(`](${path})`));
    assert.match(row ?? "", new RegExp(`\\| ${own?.length} +\\|`), path);
    const page = await Deno.readTextFile(new URL(path, root));
    for (const { name, operation } of own ?? []) {
      const section = page.split(/^## /m).find((text) => text.startsWith(`${toKebab(name)}\n`)) ?? "";
      const { method, path: template } = operation;
      const line = `svc ${toKebab(group)} ${toKebab(name)} ${listExamples(operation)[0]}`.trimEnd();
      for (const part of [`\`${method} ${template}\``, `\`${permissionName(group, name)}\``, line]) {
        assert.ok(section.includes(part), `${path} says nothing of ${part}`);
      }
    }
  }
});

Deno.test("every operation is explained where it is described, with an example that calls it", async () => {
  const folder = new URL("../../lib/resources/", import.meta.url);
  const files = [...Deno.readDirSync(folder)].filter(({ isFile }) => isFile)
    .map(({ name }) => Deno.readTextFile(new URL(name, folder)));
  const comments = (await Promise.all(files)).flatMap((text) =>
    [...text.matchAll(/\/\*\*((?:(?!\*\/)[^])*)\*\/\n {2}(\w+): \{/g)].map(([, comment = "", name]) => ({
      name,
      comment,
    }))
  );
  const unexplained = operations.filter(({ group, name }) => {
    const example = new RegExp(`@example\\n[^]*\`\`\`ts\\n[^]*svc\\.${group}\\.${name}\\(`);
    return !comments.some((one) => one.name === name && example.test(one.comment));
  });
  assert.deepEqual(unexplained.map(({ group, name }) => permissionName(group, name)), []);
});

Deno.test("every operation has at least two examples", () => {
  for (const { group, name, operation } of operations) {
    assert.ok(listExamples(operation).length >= 2, `svc ${toKebab(group)} ${toKebab(name)} needs a second example`);
  }
});

Deno.test("every example of the help is a command line that makes a request", async () => {
  await using folder = await makeFolder({ "plan.pdf": "%PDF" });
  const options = { cwd: folder.path, env: { SVC_BASE_URL: "https://svc.example" } };
  for (const { group, name, operation } of operations) {
    const line = [toKebab(group), toKebab(name), ...splitWords(listExamples(operation)[0]), "--dry-run"];
    const { code, stdout, stderr } = await runCommandLine(line, options);
    assert.equal(code, 0, `${line.join(" ")}: ${stderr}`);
    assert.ok(stdout.startsWith(`${operation.method} `), line.join(" "));
  }
});
