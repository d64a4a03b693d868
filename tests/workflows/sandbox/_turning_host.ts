/** Attempts to turn the sandbox's own code against its parent: prototypes, callbacks, values that are not what they seem. */
import type { Attempt } from "./_attempt.ts";

/** Whether the call that was made honest still is, or became one that was not granted: nothing else may come of it. */
const SAME_OR_DENIED = /^(gives "CITY-PERMIT-WORK P-1"|PERMISSION_DENIED: The workflow may not call cases\.delete\.)/;

/** What the parent says of bytes that are no message of ours. */
const HONEST_OR_STOPPED = /^(gives "CITY-PERMIT-WORK P-1"|WORKFLOW_FAILED: The workflow was stopped: it sent )/;

const READ_CASE = `return (await svc.cases.get("{case}")).id;`;

const PROTOTYPES: readonly Attempt[] = [
  {
    attempt: "replaces JSON.stringify, so that the host asks for something else",
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
    attempt: "replaces JSON.parse, and with it what an answer says",
    script: `const { parse } = JSON;
      const texts = [];
      JSON.parse = (text) => (texts.push(text), parse(text));
      await svc.cases.get("{case}");
      return texts.filter((text) => /secret|token|input":(?!null)/i.test(text)).length;`,
    refused: "gives 0",
  },
  {
    attempt: "answers for every name on Object.prototype",
    script: `for (const name of ["operation", "kind", "id", "allow", "code"]) {
        Object.defineProperty(Object.prototype, name, { get: () => "cases.delete", set() {}, configurable: true });
      }
      ${READ_CASE}`,
    refused: /^(gives "(CITY-PERMIT-WORK P-1|cases\.delete)"|PERMISSION_DENIED: |WORKFLOW_FAILED: )/,
  },
  {
    attempt: "catches what the host writes by Uint8Array.prototype.set, and makes another message of it",
    script: `const { set } = Uint8Array.prototype;
      Uint8Array.prototype.set = function (from, at) {
        Reflect.apply(set, this, [from, at]);
        this[4] = 99;
      };
      ${READ_CASE}`,
    refused: HONEST_OR_STOPPED,
  },
  {
    attempt: "makes the length of a message a lie by DataView.prototype.setUint32",
    script: `const { setUint32 } = DataView.prototype;
      DataView.prototype.setUint32 = function (at) {
        Reflect.apply(setUint32, this, [at, 0xffffffff]);
      };
      ${READ_CASE}`,
    refused: HONEST_OR_STOPPED,
  },
  {
    attempt: "makes messages that are not UTF-8 by TextEncoder.prototype.encode",
    script: `TextEncoder.prototype.encode = () => new Uint8Array([0xff, 0xfe, 0xfd]); ${READ_CASE}`,
    refused: HONEST_OR_STOPPED,
  },
  {
    attempt: "looks for the host's objects behind Promise.prototype.then",
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
    attempt: "looks for the host's functions behind Function.prototype.call, apply and bind",
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
    attempt: "gives the host arrays of its own by Symbol.species and Symbol.iterator",
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
    attempt: "takes the host's functions from the frames of an error",
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
    attempt: "walks from a function of svc to the host's globals",
    script: `const host = svc.cases.get.constructor("return globalThis")();
      return [host === globalThis, await host.Deno.readTextFile("{secret}")];`,
    refused: `Requires read access to "{secret}"`,
  },
  {
    attempt: "asks who called it",
    script: `const values = { get caseId() { return arguments.callee.caller; } };
      return String(values.caseId);`,
    refused: "TypeError: 'caller', 'callee', and 'arguments' properties may not be accessed",
  },
  {
    attempt: "takes the real console back from its parts",
    script: `const method = Object.getPrototypeOf(console).log ?? console.context?.().log;
      method?.("\\u0000\\u0000\\u0000\\u0000c\\u0000\\u0000\\u0000\\u0000");
      return typeof method === "function" ? "printed to nobody" : "none";`,
    refused: /^(gives "|WORKFLOW_FAILED: )/,
  },
  {
    attempt: "takes the pipe back from the classes of files and streams",
    script: `const told = [];
      for (const take of [
        () => new Deno.FsFile(1),
        () => Deno.FsFile.prototype.writeSync.call({ rid: 1 }, new Uint8Array([1])),
        () => Deno.stdout.rid.toFixed(),
        () => Deno.stdin.readSync(new Uint8Array(1)),
        () => Deno.serveHttp({ rid: 1 }).nextRequest,
      ]) {
        try {
          told.push(["done", String(take())]);
        } catch (error) {
          told.push(error.name);
        }
      }
      return told;`,
    refused: `gives ["TypeError","TypeError","TypeError","TypeError","TypeError"]`,
  },
  {
    attempt: "writes a message to what it finds as standard output",
    script: `await Deno.stdout.write(new Uint8Array([0, 0, 0, 0, 99, 0, 0, 0, 0]));
      const writer = Deno.stdout.writable.getWriter();
      await writer.write(new TextEncoder().encode("\\x1b[2Jtext"));
      return "printed";`,
    refused: `gives "printed"`,
    printed: "\\u0000\\u0000\\u0000\\u0000c\\u0000\\u0000\\u0000\\u0000\n\\u001b[2Jtext",
  },
  {
    attempt: "drives the terminal that it prints on",
    script: `log("\\x1b]0;title\\x07\\x9b2J\\u202egnp.exe\\u2028next");
      return "printed";`,
    refused: `gives "printed"`,
    printed: "\\u001b]0;title\\u0007\\u009b2J\\u202egnp.exe\\u2028next",
  },
  {
    attempt: "writes over the name of its input on the terminal, and speaks for another",
    script: `console.log("\\rin.ndjson:9: paid");
      return "printed";`,
    refused: `gives "printed"`,
    printed: "\\rin.ndjson:9: paid",
  },
];

const CALLS: readonly Attempt[] = [
  {
    attempt: "calls what was not granted",
    script: `return await svc.cases.delete("{case}");`,
    refused: "PERMISSION_DENIED: The workflow may not call cases.delete.",
  },
  {
    attempt: "asks in its declaration for more than was granted",
    files: {
      "script.ts": `export default { name: "test", allow: ["*"], run: ({ svc }) => svc.cases.delete("{case}") };`,
    },
    script: "",
    refused: "PERMISSION_DENIED: The workflow may not call cases.delete.",
  },
  {
    attempt: "leaves the collection by dots in an identifier",
    script: `return await svc.cases.get("../../oauth2/token");`,
    refused: /^(NOT_FOUND|BAD_REQUEST|INVALID_ARGS|VALIDATION_FAIL): /,
  },
  {
    attempt: "leaves the collection by an identifier of dots alone",
    script: `return await svc.cases.get("..");`,
    refused: /^(NOT_FOUND|BAD_REQUEST|INVALID_ARGS|VALIDATION_FAIL): /,
  },
  {
    attempt: "leaves the collection by what may be read as dots",
    script: `const told = new Set();
      for (const id of [".", "\\ud800", "%2e%2e", ".%2e", "..\\\\x", "\\uff0e\\uff0e", "..\\t", "..;", "..\\0"]) {
        await svc.cases.get(id).then(() => told.add(id), ({ code }) => told.add(code));
      }
      return [...told];`,
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
    attempt: "puts line ends into an identifier, for headers of its own",
    script: `return await svc.cases.get("{case}\\r\\nX-HTTP-Method-Override: DELETE");`,
    refused: /^(NOT_FOUND|BAD_REQUEST|INVALID_ARGS|VALIDATION_FAIL): /,
  },
  {
    attempt: "gives an object whose toJSON is another value each time",
    script: `let times = 0;
      const id = { toJSON: () => times++ === 0 ? "{case}" : { caseId: "{case}", operation: "cases.delete" } };
      return (await svc.cases.get(id)).id;`,
    refused: /^(gives "CITY-PERMIT-WORK P-1"|INVALID_ARGS: )/,
  },
  {
    attempt: "gives options with getters, a proxy and a prototype",
    script: `const options = new Proxy(Object.create({ operation: "cases.delete", url: "http://{web}" }), {
        get: (target, name) => name === "signal" ? undefined : Reflect.get(target, name),
        ownKeys: () => ["__proto__", "baseUrl", "ifMatch"],
        getOwnPropertyDescriptor: () => ({ enumerable: true, configurable: true, value: "http://{web}" }),
      });
      return (await svc.cases.get("{case}", options)).id;`,
    refused: /^(gives "CITY-PERMIT-WORK P-1"|INVALID_ARGS: )/,
  },
  {
    attempt: "names the server and the token in the options of a call",
    script: `const options = { baseUrl: "http://{web}", token: "mine", profile: "other", headers: { host: "{web}" } };
      return (await svc.cases.get("{case}", options)).id;`,
    refused: /^(gives "CITY-PERMIT-WORK P-1"|INVALID_ARGS: )/,
  },
  {
    attempt: "looks for secrets in the errors of its calls",
    script: `const error = await svc.cases.get("none").catch((caught) => caught);
      return [Object.keys(error), error.cause, Deno.inspect(error, { depth: 9, showHidden: true })
        .match(/Bearer|client_secret|127\\.0\\.0\\.1/g)];`,
    refused: /^gives \[\[.*\],null,null\]$/,
  },
];

/** All of them. */
export const TURNING: readonly Attempt[] = [...PROTOTYPES, ...CALLS];
