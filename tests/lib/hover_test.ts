/** Documentation of the library in an editor. */
import assert from "node:assert/strict";
import { pathToFileURL } from "node:url";
import { loadResources } from "../../lib/resources/mod.ts";
import { CHECKOUT, LimitedCommand, makeFolder } from "../harness/svc.ts";

const PROGRAM = `import { createClient, type CasesCreateParams } from "${pathToFileURL(`${CHECKOUT}/mod.ts`).href}";
const svc = createClient({ retries: 2 });
const params: CasesCreateParams = { type: "T" };
const { data } = await svc.cases.create(params, { idempotencyKey: "k" });
console.log(data.caseInfo.stageLabel, (await svc.data.listPages({ type: "all" })).dataPages);
`;

/** The text before the pointer, and the documentation that is shown there. */
const SHOWN: readonly [before: string, documentation: RegExp][] = [
  ["await svc.ca", /case/i],
  ["await svc.cases.cre", /Creates a case of a type/],
  ["{ retri", /Number of retries/],
  ["{ idempot", /Makes a change safe to repeat/],
  ["data.case", /The case\./],
  ["data.caseInfo.stageL", /Display name of the current stage/],
  [").dataP", /In the order of the application/],
];

Deno.test("an editor shows the documentation of functions, options and members", async () => {
  await using folder = await makeFolder({ "program.ts": PROGRAM });
  await using editor = new Editor(folder.path);
  const uri = pathToFileURL(`${folder.path}/program.ts`).href;
  await editor.open(uri, PROGRAM);
  for (const [before, documentation] of SHOWN) {
    const offset = PROGRAM.indexOf(before) + before.length;
    const lines = PROGRAM.slice(0, offset).split("\n");
    const position = { line: lines.length - 1, character: lines.at(-1)?.length ?? 0 };
    const shown = await editor.request("textDocument/hover", { textDocument: { uri }, position });
    assert.match(JSON.stringify(shown), documentation, `at '${before}'`);
  }
});

Deno.test("an editor shows a sentence for every parameter of every operation", async () => {
  let program = `import type * as types from "${pathToFileURL(`${CHECKOUT}/mod.ts`).href}";\n`;
  const places: { readonly name: string; readonly line: number; readonly character: number }[] = [];
  for (const [group, operations] of Object.entries(await loadResources())) {
    for (const [operation, { flags = {} }] of Object.entries(operations)) {
      const type = `${upperFirst(group)}${upperFirst(operation)}Params`;
      for (const [flag, { rejected }] of Object.entries(flags)) {
        if (rejected !== undefined) continue;
        const before = `export const ${type}_${flag} = ({} as types.${type}).`;
        places.push({ name: `${type}.${flag}`, line: program.split("\n").length - 1, character: before.length });
        program += `${before}${flag};\n`;
      }
    }
  }
  await using folder = await makeFolder({ "program.ts": program });
  await using editor = new Editor(folder.path);
  const uri = pathToFileURL(`${folder.path}/program.ts`).href;
  await editor.open(uri, program);
  const silent: string[] = [];
  for (const { name, ...position } of places) {
    const shown = await editor.request("textDocument/hover", { textDocument: { uri }, position });
    if (!/\(property\).*(\.|\?)("|\\n)/.test(JSON.stringify(shown))) silent.push(name);
  }
  assert.deepEqual(silent, []);
});

function upperFirst(text: string): string {
  return text.slice(0, 1).toUpperCase() + text.slice(1);
}

/** A message of the language server. */
interface Message {
  readonly id?: number;
  readonly method?: string;
  readonly params?: { readonly items?: readonly unknown[] };
  readonly result?: unknown;
}

/** A minimal client of the language server. */
class Editor implements AsyncDisposable {
  readonly #server: Deno.ChildProcess;
  readonly #writer: WritableStreamDefaultWriter<Uint8Array>;
  readonly #waiting = new Map<number, (result: unknown) => void>();
  readonly #reading: Promise<void>;
  readonly #folder: string;
  #requests = 0;

  constructor(folder: string) {
    this.#folder = folder;
    this.#server = new LimitedCommand(Deno.execPath(), {
      args: ["lsp", "--quiet"],
      cwd: folder,
      stdin: "piped",
      stdout: "piped",
      stderr: "null",
    }).spawn();
    this.#writer = this.#server.stdin.getWriter();
    this.#reading = this.#read();
  }

  async open(uri: string, text: string): Promise<void> {
    const rootUri = pathToFileURL(this.#folder).href;
    const workspaceFolders = [{ uri: rootUri, name: "project" }];
    const initializationOptions = { enable: true };
    await this.request("initialize", {
      processId: null,
      rootUri,
      workspaceFolders,
      initializationOptions,
      capabilities: {},
    });
    await this.#send({ method: "initialized", params: {} });
    const textDocument = { uri, languageId: "typescript", version: 1, text };
    await this.#send({ method: "textDocument/didOpen", params: { textDocument } });
  }

  async request(method: string, params: object): Promise<unknown> {
    const id = ++this.#requests;
    const { promise, resolve } = Promise.withResolvers<unknown>();
    this.#waiting.set(id, resolve);
    await this.#send({ id, method, params });
    return await promise;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#writer.close();
    this.#server.kill("SIGKILL");
    await Promise.all([this.#server.status, this.#reading]);
  }

  async #send(message: object): Promise<void> {
    const text = JSON.stringify({ jsonrpc: "2.0", ...message });
    const bytes = new TextEncoder().encode(text);
    await this.#writer.write(new TextEncoder().encode(`Content-Length: ${bytes.length}\r\n\r\n`));
    await this.#writer.write(bytes);
  }

  async #read(): Promise<void> {
    let pending = new Uint8Array();
    for await (const chunk of this.#server.stdout) {
      pending = new Uint8Array([...pending, ...chunk]);
      for (;;) {
        const text = new TextDecoder().decode(pending);
        const [head = "", length] = /Content-Length: (\d+)[^]*?\r\n\r\n/.exec(text) ?? [];
        const end = head.length + Number(length);
        if (head === "" || pending.length < end) break;
        this.#receive(JSON.parse(new TextDecoder().decode(pending.slice(head.length, end))));
        pending = pending.slice(end);
      }
    }
  }

  #receive({ id, method, params, result }: Message): void {
    if (id === undefined) return;
    // The server asks for its configuration.
    if (method !== undefined) {
      return void this.#send({ id, result: (params?.items ?? []).map(() => ({ enable: true })) });
    }
    this.#waiting.get(id)?.(result);
    this.#waiting.delete(id);
  }
}
