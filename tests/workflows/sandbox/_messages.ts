/** Messages of a hostile guest: invalid frames, unexpected calls and results, and floods. */
import { MAX_LOG_CHARACTERS } from "../../../workflows/sandbox/protocol/messages.ts";
import type { Attempt } from "./_attempt.ts";

type Row = readonly [attempt: string, script: string, refused: string | RegExp, printed?: string];

const STOPPED = "WORKFLOW_FAILED: The workflow was stopped: it sent ";

const FRAMES: readonly Row[] = [
  [
    "that is plain text",
    `write(new TextEncoder().encode("hello, parent"));`,
    `${STOPPED}a message of 1751477356 bytes.`,
  ],
  [
    "of a kind that does not exist",
    `await start(); send(99, 0, "{}");`,
    `${STOPPED}a message of an unknown kind (99).`,
  ],
  [
    "of a kind that only the host sends",
    `await start(); send(replies.reply, 1, "{}\\n{}");`,
    `${STOPPED}a message of an unknown kind`,
  ],
  [
    "that is not UTF-8",
    `await start(); send(kinds.log, 0, new Uint8Array([0xc3, 0x28]));`,
    `${STOPPED}a message that is not UTF-8.`,
  ],
  [
    "that ends within a character",
    `await start(); send(kinds.result, 0, new Uint8Array([0x22, 0xf0, 0x9f, 0x98]));`,
    `${STOPPED}a message that is not UTF-8.`,
  ],
  [
    "with a length of four gigabytes",
    `await start(); send(kinds.log, 0, "x", 0xffffffff);`,
    `${STOPPED}a message of 4294967295 bytes.`,
  ],
  [
    "with a length of one byte above the limit",
    `await start(); send(kinds.log, 0, "x", MAX_MESSAGE_BYTES + 1);`,
    `${STOPPED}a message of 16777217 bytes.`,
  ],
  [
    "with a length that is too large, and exits",
    `await start(); send(kinds.result, 0, "1", 100); Deno.exit(0);`,
    "WORKFLOW_FAILED: The script ended its process (exit code 0) before it returned a result.",
  ],
  [
    "with a length that is too small",
    `await start(); send(kinds.log, 0, "x".repeat(100), 10);`,
    `${STOPPED}a message of`,
  ],
  [
    "byte by byte",
    `await start();
    for (const byte of frame(kinds.result, 0, '"late"')) {
      write(new Uint8Array([byte]));
      await new Promise((go) => setTimeout(go));
    }`,
    `gives "late"`,
  ],
  ["without text", `await start(); send(kinds.call, 1, "");`, `${STOPPED}an invalid call.`],
];

const ORDER: readonly Row[] = [
  [
    "with a declaration of wrong types",
    `send(kinds.ready, 0, '{"protocol":1,"name":7,"allow":"*"}');`,
    `${STOPPED}an invalid declaration.`,
  ],
  [
    "with a declaration of a million operations",
    `send(kinds.ready, 0, JSON.stringify({ protocol: 1, name: "x", allow: Array(1_000_000).fill("*") }));`,
    `${STOPPED}an invalid declaration.`,
  ],
  [
    "with a second declaration of more operations",
    `await start(); await start(["*"]);`,
    `${STOPPED}an invalid declaration.`,
  ],
  ["with a call before the run starts", `send(kinds.call, 1, get);`, `${STOPPED}an invalid call.`],
  ["with a result before the run starts", `send(kinds.result, 0, "1");`, `${STOPPED}an unexpected result.`],
  [
    "with a call whose number is not the next one",
    `await start(); send(kinds.call, 7, get);`,
    `${STOPPED}an invalid call.`,
  ],
  [
    "with a call whose number was used",
    `await start(); send(kinds.call, 1, get); await read(); send(kinds.call, 1, get);`,
    `${STOPPED}an invalid call.`,
  ],
  ["with a call of number 0", `await start(); send(kinds.call, 0, get);`, `${STOPPED}an invalid call.`],
  [
    "with a result while a call is open",
    `await start(); write(frame(kinds.call, 1, get), frame(kinds.result, 0, "1"));`,
    `${STOPPED}an unexpected result.`,
  ],
  [
    "with two results",
    `await start(); write(frame(kinds.result, 0, "1"), frame(kinds.result, 0, "2"));`,
    "gives 1",
  ],
  [
    "that cancels calls that were not made",
    `await start(); for (let i = 0; i < 100; i++) send(kinds.cancel, i, ""); send(kinds.result, 0, "1");`,
    "gives 1",
  ],
  [
    "that cancels without end",
    `await start(); const one = frame(kinds.cancel, 1, "");
    const many = new Uint8Array(one.length * 10_000).map((_, i) => one[i % one.length]);
    for (;;) write(many);`,
    `${STOPPED}cancellations of more than 67108864 characters.`,
  ],
  [
    "that it is stalled without a recorded result",
    `await start(); send(kinds.stalled, 7, "");`,
    `${STOPPED}an unexpected message that it is stalled.`,
  ],
  [
    "with a result that is not JSON",
    `await start(); send(kinds.result, 0, "{");`,
    `${STOPPED}a result that is not JSON.`,
  ],
  [
    "with an invalid error",
    `await start(); send(kinds.failure, 0, '{"code":"ROOT"}');`,
    `${STOPPED}an invalid error.`,
  ],
  [
    "with an error that contains terminal control characters",
    `await start(); send(kinds.failure, 0, JSON.stringify({ code: "TIMEOUT", message: "\\x1b[2J\\x9b2J\\u202etxt" }));`,
    "TIMEOUT: \\u001b[2J\\u009b2J\\u202etxt",
  ],
  [
    "on standard error that contains terminal control characters",
    `await start(); Deno.stderr.writeSync(new TextEncoder().encode("\\x1b[2J\\u009b2J\\u202etxt\\n")); Deno.exit(3);`,
    "(exit code 3) before it returned a result: \\u001b[2J\\u009b2J\\u202etxt.",
  ],
];

const REQUESTS: readonly Row[] = [
  ["with a call that is not JSON", `await start(); send(kinds.call, 1, "{");`, `${STOPPED}an invalid call.`],
  [
    "with a call whose arguments are not an array",
    `await start(); send(kinds.call, 1, '{"operation":"cases.get","args":{"caseId":"{case}"}}');`,
    `${STOPPED}an invalid call.`,
  ],
  [
    "with a call whose files are invalid",
    `await start(); send(kinds.call, 1, '{"operation":"cases.get","args":[],"files":{"a":{"name":"a","type":"b","base64":"?"}}}');`,
    `${STOPPED}an invalid call.`,
  ],
  [
    "with a call that has too many files",
    `await start(); const file = { name: "a", type: "b", base64: "" };
    const files = Object.fromEntries(Array.from({ length: 100_000 }, (_, i) => ["f" + i, file]));
    send(kinds.call, 1, JSON.stringify({ operation: "cases.get", args: ["{case}", {}], files }));`,
    `${STOPPED}an invalid call.`,
  ],
  [
    "with a call whose timeout is negative",
    `await start(); send(kinds.call, 1, '{"operation":"cases.get","args":["{case}",{"timeoutSeconds":-1}]}');
    send(kinds.result, 0, JSON.stringify(await readErrorCode()));`,
    `gives "INVALID_ARGS"`,
  ],
  [
    "with a call whose timeout is a string",
    `await start(); send(kinds.call, 1, '{"operation":"cases.get","args":["{case}",{"timeoutSeconds":"long"}]}');
    send(kinds.result, 0, JSON.stringify(await readErrorCode()));`,
    `gives "INVALID_ARGS"`,
  ],
  [
    "with a sleep of a negative duration",
    `await start(); send(kinds.call, 1, '{"operation":"sleep","args":[-1]}');`,
    `${STOPPED}an invalid call.`,
  ],
  [
    "with too many sleeps",
    `await start(); for (let i = 1; i < 10_000; i++) send(kinds.call, i, '{"operation":"sleep","args":[1e9]}');`,
    `${STOPPED}more than 8192 open sleeps.`,
  ],
  [
    "with invalid random bytes",
    `await start(); send(kinds.random, 0, "not base64!");`,
    `${STOPPED}invalid random bytes.`,
  ],
  [
    "with random bytes before the run starts",
    `send(kinds.random, 0, "AAAA");`,
    `${STOPPED}invalid random bytes.`,
  ],
  [
    "with random bytes without end, which would fill the disk",
    `await start(); for (const block = frame(kinds.random, 0, "A".repeat(1_000_000));;) write(block);`,
    `${STOPPED}text and random bytes of more than 67108864 characters.`,
  ],
  [
    "with a log above the limit, which takes long to escape",
    `await start(); send(kinds.log, 0, "\\x01".repeat(16_000_000)); send(kinds.result, 0, "1");`,
    "gives 1",
    "\\u0001".repeat(MAX_LOG_CHARACTERS),
  ],
  [
    "with empty logs without end",
    `await start(); const nothing = frame(kinds.log, 0, "");
    const many = new Uint8Array(nothing.length * 10_000).map((_, i) => nothing[i % nothing.length]);
    for (;;) write(many);`,
    `${STOPPED}text and random bytes of more than 67108864 characters.`,
  ],
  ...[
    ["that was not granted", "cases.delete", "PERMISSION_DENIED"],
    ["that is a pattern", "*", "INVALID_ARGS"],
    ["that is the pattern of a group", "cases.*", "INVALID_ARGS"],
    ["in upper case", "Cases.Get", "INVALID_ARGS"],
    ["that ends with a NUL", "cases.get\\\\u0000", "INVALID_ARGS"],
    ["that ends with a space", "cases.get ", "INVALID_ARGS"],
    ["with its name in the library", "cases.getNext", "INVALID_ARGS"],
    ["named like a member of every object", "__proto__", "INVALID_ARGS"],
    ["named like a member of every function", "constructor", "INVALID_ARGS"],
    ["named like a member of every map", "has", "INVALID_ARGS"],
    ["without a name", "", "INVALID_ARGS"],
  ].map(([name, operation, code]): Row => [
    `with an operation ${name}`,
    `await start(); send(kinds.call, 1, '{"operation":"${operation}","args":["{case}"]}');
    send(kinds.result, 0, JSON.stringify(await readErrorCode()));`,
    `gives "${code}"`,
  ]),
  [
    "whose values set the prototype of objects",
    `await start(); send(kinds.call, 1, '{"operation":"cases.get","args":["{case}",{"__proto__":{"caseId":"{case}"},"constructor":{"prototype":{"a":1}}}],"files":{"__proto__":{"name":"a","type":"b","base64":""}}}');
    send(kinds.result, 0, JSON.stringify(await readErrorCode()));`,
    `gives "INVALID_ARGS"`,
  ],
  [
    "with deeply nested values",
    `await start(); send(kinds.call, 1, '{"operation":"cases.get","args":[' + "[".repeat(2e6) + "]".repeat(2e6) + "]}");`,
    `${STOPPED}a message with more than 1000 levels.`,
  ],
  [
    "with a deeply nested result",
    `await start(); send(kinds.result, 0, "[".repeat(5e6) + "]".repeat(5e6));`,
    `${STOPPED}a message with more than 1000 levels.`,
  ],
  [
    "with a megabyte in an identifier",
    `await start(); send(kinds.call, 1, JSON.stringify({ operation: "cases.get", args: ["x".repeat(1e6)] }));
    send(kinds.result, 0, JSON.stringify(await readErrorCode()));`,
    /^gives "(NOT_FOUND|HTTP_ERROR|BAD_REQUEST|NETWORK_ERROR|INVALID_ARGS)"/,
  ],
  [
    "with too many calls, and reads no result",
    `await start(); for (let i = 1; i < 5000; i++) send(kinds.call, i, get);`,
    `${STOPPED}more than 128 open calls.`,
  ],
];

/** All attempts with messages. */
export const MESSAGES: readonly Attempt[] = [...FRAMES, ...ORDER, ...REQUESTS].map((
  [attempt, script, refused, printed],
) => ({
  attempt: `sends a message ${attempt}`,
  script,
  refused,
  printed,
  isGuest: true,
}));
