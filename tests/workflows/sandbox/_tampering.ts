/** Attempts to change the code of the guest and to deceive the host: prototypes, callbacks, and special values. */
import type { Attempt } from "./_attempt.ts";

/** The original call succeeds, or a call without a permission is rejected. */
const SAME_OR_DENIED = /^(gives "CITY-PERMIT-WORK P-1"|PERMISSION_DENIED: The workflow may not call cases\.delete\.)/;

/** The original call succeeds, or the host stops the guest because of an invalid message. */
const SAME_OR_STOPPED = /^(gives "CITY-PERMIT-WORK P-1"|WORKFLOW_FAILED: The workflow was stopped: it sent )/;

const READ_CASE = `return (await svc.cases.get("{case}")).id;`;

const PROTOTYPES: readonly Attempt[] = [
  {
    attempt: "replaces JSON.stringify to make the guest request another call",
    script: `const { stringify } = JSON;
      JSON.stringify = () => '{"operation":"cases.delete","args":["{case}"]}';
      try {
        return (await svc.cases.get("{case}")).id;
      } finally {
        JSON.stringify = stringify;
      }`,
    refused: SAME_OR_DENIED,
  },
  {
    attempt: "replaces JSON.parse to read messages of the host",
    script: `const { parse } = JSON;
      const texts = [];
      JSON.parse = (text) => (texts.push(text), parse(text));
      await svc.cases.get("{case}");
      return texts.filter((text) => /secret|token|input":(?!null)/i.test(text)).length;`,
    refused: "gives 0",
  },
  {
    attempt: "defines members on Object.prototype",
    script: `for (const name of ["operation", "kind", "id", "allow", "code"]) {
        Object.defineProperty(Object.prototype, name, { get: () => "cases.delete", set() {}, configurable: true });
      }
      ${READ_CASE}`,
    refused: /^(gives "(CITY-PERMIT-WORK P-1|cases\.delete)"|PERMISSION_DENIED: |WORKFLOW_FAILED: )/,
  },
  {
    attempt: "changes messages of the guest with Uint8Array.prototype.set",
    script: `const { set } = Uint8Array.prototype;
      Uint8Array.prototype.set = function (from, at) {
        Reflect.apply(set, this, [from, at]);
        this[4] = 99;
      };
      ${READ_CASE}`,
    refused: SAME_OR_STOPPED,
  },
  {
    attempt: "changes the length of messages with DataView.prototype.setUint32",
    script: `const { setUint32 } = DataView.prototype;
      DataView.prototype.setUint32 = function (at) {
        Reflect.apply(setUint32, this, [at, 0xffffffff]);
      };
      ${READ_CASE}`,
    refused: SAME_OR_STOPPED,
  },
  {
    attempt: "sends messages that are not UTF-8 with TextEncoder.prototype.encode",
    script: `TextEncoder.prototype.encode = () => new Uint8Array([0xff, 0xfe, 0xfd]); ${READ_CASE}`,
    refused: SAME_OR_STOPPED,
  },
  {
    attempt: "finds objects of the guest with Promise.prototype.then",
    script: `const found = new Set();
      const { then } = Promise.prototype;
      Promise.prototype.then = function (done, failed) {
        return Reflect.apply(then, this, [(value) => {
          for (const key of Object.keys(value ?? {})) if (/stdin|stdout|token|secret/.test(key)) found.add(key);
          return done?.(value);
        }, failed]);
      };
      await svc.cases.get("{case}");
      return [...found];`,
    refused: "gives []",
  },
  {
    attempt: "finds functions of the guest with Function.prototype.call, apply and bind",
    script: `const found = [];
      for (const name of ["call", "apply", "bind"]) {
        const original = Function.prototype[name];
        Function.prototype[name] = function (...values) {
          if (/stdin|stdout|exit/.test(this.name)) found.push(this.name);
          return Reflect.apply(original, this, values);
        };
      }
      await svc.cases.get("{case}");
      return found;`,
    refused: "gives []",
  },
  {
    attempt: "replaces arrays of the guest with Symbol.species and Symbol.iterator",
    script: `const taken = [];
      class Mine extends Uint8Array {
        constructor(...values) {
          super(...values);
          taken.push(this);
        }
      }
      Object.defineProperty(Uint8Array, Symbol.species, { get: () => Mine });
      Array.prototype[Symbol.iterator] = function* () {
        taken.push(this);
      };
      await svc.cases.get("{case}").catch(() => {});
      Deno.readTextFileSync("{secret}");`,
    refused: /^(PERMISSION_DENIED: The script failed: NotCapable: Requires read access|WORKFLOW_FAILED: )/,
  },
  {
    attempt: "reads functions of the guest from the frames of an error",
    script: `const found = [];
      Error.prepareStackTrace = (_, frames) => {
        for (const frame of frames) found.push(frame.getFunction?.(), frame.getThis?.());
        return "";
      };
      void new Error().stack;
      await svc.cases.get({ toString() { void new Error().stack; return "{case}"; } }).catch((error) => void error.stack);
      return found.filter((one) => one !== undefined && one !== null).length;`,
    refused: "gives 0",
  },
  {
    attempt: "gets the globals of the guest from a function of svc",
    script: `const host = svc.cases.get.constructor("return globalThis")();
      return [host === globalThis, await host.Deno.readTextFile("{secret}")];`,
    refused: `Requires read access to "{secret}"`,
  },
  {
    attempt: "reads its caller",
    script: `const values = { get caseId() { return arguments.callee.caller; } };
      return String(values.caseId);`,
    refused: "TypeError: 'caller', 'callee', and 'arguments' properties may not be accessed",
  },
  {
    attempt: "restores the original console from its parts",
    script: `const method = Object.getPrototypeOf(console).log ?? console.context?.().log;
      method?.("\\u0000\\u0000\\u0000\\u0000c\\u0000\\u0000\\u0000\\u0000");
      return typeof method === "function" ? "printed" : "missing";`,
    refused: /^(gives "|WORKFLOW_FAILED: )/,
  },
  {
    attempt: "restores the pipes from the classes of files and streams",
    script: `const seen = [];
      for (const take of [
        () => new Deno.FsFile(1),
        () => Deno.FsFile.prototype.writeSync.call({ rid: 1 }, new Uint8Array([1])),
        () => Deno.stdout.rid.toFixed(),
        () => Deno.stdin.readSync(new Uint8Array(1)),
        () => Deno.serveHttp({ rid: 1 }).nextRequest,
      ]) {
        try {
          seen.push(["done", String(take())]);
        } catch (error) {
          seen.push(error.name);
        }
      }
      return seen;`,
    refused: `gives ["TypeError","TypeError","TypeError","TypeError","TypeError"]`,
  },
  {
    attempt: "writes a message to Deno.stdout",
    script: `await Deno.stdout.write(new Uint8Array([0, 0, 0, 0, 99, 0, 0, 0, 0]));
      const writer = Deno.stdout.writable.getWriter();
      await writer.write(new TextEncoder().encode("\\x1b[2Jtext"));
      return "printed";`,
    refused: `gives "printed"`,
    printed: "\\u0000\\u0000\\u0000\\u0000c\\u0000\\u0000\\u0000\\u0000\n\\u001b[2Jtext",
  },
  {
    attempt: "prints terminal control characters",
    script: `log("\\x1b]0;title\\x07\\x9b2J\\u202egnp.exe\\u2028next");
      return "printed";`,
    refused: `gives "printed"`,
    printed: "\\u001b]0;title\\u0007\\u009b2J\\u202egnp.exe\\u2028next",
  },
  {
    attempt: "overwrites the name of its input on the terminal",
    script: `console.log("\\rin.ndjson:9: paid");
      return "printed";`,
    refused: `gives "printed"`,
    printed: "\\rin.ndjson:9: paid",
  },
];

const CALLS: readonly Attempt[] = [
  {
    attempt: "makes a call without a permission",
    script: `return await svc.cases.delete("{case}");`,
    refused: "PERMISSION_DENIED: The workflow may not call cases.delete.",
  },
  {
    attempt: "declares more operations than are granted",
    files: {
      "script.ts": `export default { name: "test", allow: ["*"], run: ({ svc }) => svc.cases.delete("{case}") };`,
    },
    script: "",
    refused: "PERMISSION_DENIED: The workflow may not call cases.delete.",
  },
  {
    attempt: "leaves the collection with dots in an identifier",
    script: `return await svc.cases.get("../../oauth2/token");`,
    refused: /^(NOT_FOUND|BAD_REQUEST|INVALID_ARGS|VALIDATION_FAIL): /,
  },
  {
    attempt: "leaves the collection with an identifier of dots",
    script: `return await svc.cases.get("..");`,
    refused: /^(NOT_FOUND|BAD_REQUEST|INVALID_ARGS|VALIDATION_FAIL): /,
  },
  {
    attempt: "leaves the collection with encodings of dots",
    script: `const seen = new Set();
      for (const id of [".", "\\ud800", "%2e%2e", ".%2e", "..\\\\x", "\\uff0e\\uff0e", "..\\t", "..;", "..\\0"]) {
        await svc.cases.get(id).then(() => seen.add(id), ({ code }) => seen.add(code));
      }
      return [...seen];`,
    refused: `gives ["INVALID_ARGS","NOT_FOUND"]`,
  },
  {
    attempt: "adds a query and a fragment to an identifier",
    script: `return await svc.cases.get("{case}?includeDeleted=true#x");`,
    refused: "NOT_FOUND: ",
  },
  {
    attempt: "names another host in an identifier",
    script: `return await svc.cases.get("//{web}/x");`,
    refused: /^(NOT_FOUND|BAD_REQUEST|INVALID_ARGS|VALIDATION_FAIL): /,
  },
  {
    attempt: "adds headers with line ends in an identifier",
    script: `return await svc.cases.get("{case}\\r\\nX-HTTP-Method-Override: DELETE");`,
    refused: /^(NOT_FOUND|BAD_REQUEST|INVALID_ARGS|VALIDATION_FAIL): /,
  },
  {
    attempt: "passes an object whose toJSON returns another value each time",
    script: `let times = 0;
      const id = { toJSON: () => times++ === 0 ? "{case}" : { caseId: "{case}", operation: "cases.delete" } };
      return (await svc.cases.get(id)).id;`,
    refused: /^(gives "CITY-PERMIT-WORK P-1"|INVALID_ARGS: )/,
  },
  {
    attempt: "passes options with getters, a proxy and a prototype",
    script: `const options = new Proxy(Object.create({ operation: "cases.delete", url: "http://{web}" }), {
        get: (target, name) => name === "signal" ? undefined : Reflect.get(target, name),
        ownKeys: () => ["__proto__", "baseUrl", "ifMatch"],
        getOwnPropertyDescriptor: () => ({ enumerable: true, configurable: true, value: "http://{web}" }),
      });
      return (await svc.cases.get("{case}", options)).id;`,
    refused: /^(gives "CITY-PERMIT-WORK P-1"|INVALID_ARGS: )/,
  },
  {
    attempt: "passes a server and a token in the options of a call",
    script: `const options = { baseUrl: "http://{web}", token: "mine", profile: "other", headers: { host: "{web}" } };
      return (await svc.cases.get("{case}", options)).id;`,
    refused: /^(gives "CITY-PERMIT-WORK P-1"|INVALID_ARGS: )/,
  },
  {
    attempt: "looks for secrets in errors of calls",
    script: `const error = await svc.cases.get("none").catch((caught) => caught);
      return [Object.keys(error), error.cause, Deno.inspect(error, { depth: 9, showHidden: true })
        .match(/Bearer|client_secret|127\\.0\\.0\\.1/g)];`,
    refused: /^gives \[\[.*\],null,null\]$/,
  },
];

/** All attempts to tamper with the guest. */
export const TAMPERING: readonly Attempt[] = [...PROTOTYPES, ...CALLS];
