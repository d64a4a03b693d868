/** `svc assignments perform --interactive`: its prompts and its requests. */
import assert from "node:assert/strict";
import { ExactNumber } from "../../../utils/exact_number.ts";
import type { JsonObject } from "../../../utils/json.ts";
import { clientEnvironment } from "../../harness/fake_service.ts";
import { CHECKOUT, type CommandResult, LimitedCommand, makeFolder, parseErrorRecord, svc } from "../../harness/svc.ts";
import { ASSIGNMENT, type FormService, PERFORMED, startFormService } from "./_form_service.ts";

const PERFORM = ["assignments", "perform", ASSIGNMENT, "--interactive", "--required-only"];
const ENTER = "\r";
const LEFT = "\x1b[D";
const UP = "\x1b[A";
const DOWN = "\x1b[B";
const CTRL_C = "\x03";
const CTRL_D = "\x04";

const LONG_AMOUNT = "0012345678901234567890.12";

/** The answers to the form's questions: each is typed when its question is there. */
const ANSWERS: [question: string, keys: string][] = [
  ["Applicant", " L." + ENTER],
  ["Count", "none" + ENTER],
  ["Enter a whole number.", "\x7f\x7f\x7f\x7f7" + ENTER],
  ["Amount", LONG_AMOUNT + ENTER],
  ["Urgent", LEFT + ENTER],
  ["Visit", "2026-02-30" + ENTER],
  ["Enter a date, e.g. 2026-01-31.", "\x7f\x7f28" + ENTER],
  ["Channel", DOWN + ENTER],
  ["City", ENTER],
];

const CONTENT = {
  Name: "Ada L.",
  Count: 7,
  Amount: new ExactNumber("12345678901234567890.12"),
  Urgent: true,
  Visit: "2026-02-28",
  Channel: "P",
};
const SUBMITTED = {
  path: `/dx-api/v2/assignments/${ASSIGNMENT}/actions/Enter`,
  tag: "tag-7",
  body: { content: CONTENT },
};

/** A question that never comes must not hold up all other tests. */
const piped = () =>
  ({ stdin: "piped", stdout: "piped", stderr: "piped", signal: AbortSignal.timeout(60_000) }) as const;

/** Runs a program and types each answer when its question has been written to a stream. */
async function converse(
  command: Deno.Command,
  answers: readonly (readonly [string, string])[],
  questions: "stdout" | "stderr",
): Promise<CommandResult> {
  const process = command.spawn();
  const writer = process.stdin.getWriter();
  const other = new Response(questions === "stderr" ? process.stdout : process.stderr).text();
  const waiting = [...answers];
  let seen = "";
  let unread = 0;
  for await (const text of process[questions].pipeThrough(new TextDecoderStream())) {
    seen += text;
    for (let next = waiting[0]; next !== undefined && seen.includes(next[0], unread); next = waiting[0]) {
      unread = seen.indexOf(next[0], unread) + next[0].length;
      waiting.shift();
      await writer.write(new TextEncoder().encode(next[1]));
    }
  }
  const { code } = await process.status;
  await writer.close().catch(() => {}); // The program has ended and reads no more input.
  assert.deepEqual(waiting.map(([question]) => question), [], `not asked, or not answered:\n${seen}`);
  return questions === "stderr"
    ? { code, stdout: await other, stderr: seen }
    : { code, stdout: seen, stderr: await other };
}

/** Performs with streams that pass for a terminal. */
async function perform(form: FormService, answers: readonly (readonly [string, string])[]): Promise<CommandResult> {
  await using folder = await makeFolder();
  const script = `${CHECKOUT}/tests/cli/prompts/_terminal.ts`;
  const command = new LimitedCommand(Deno.execPath(), {
    args: ["run", "--quiet", "--no-prompt", "--allow-all", script, ...PERFORM],
    env: { ...clientEnvironment(form.service), SVC_CONFIG_DIR: folder.path, NO_COLOR: "1" },
    ...piped(),
  });
  return await converse(command, answers, "stderr");
}

/** The error record, which follows the questions. */
function errorAfterQuestions({ stderr }: CommandResult): Record<string, unknown> {
  return JSON.parse(stderr.slice(stderr.indexOf('{\n  "error"'))).error;
}

Deno.test("--interactive selects the only action, prompts for each required field, and prints only the response to stdout", async () => {
  const form = startFormService();
  await using _service = form.service;
  const { code, stdout, stderr } = await perform(form, [...ANSWERS, ["Submit 'Enter it'?", ENTER]]);
  assert.equal(code, 0, stderr);
  assert.equal(stdout, JSON.stringify(PERFORMED, null, 2) + "\n");
  assert.deepEqual(form.submitted, [SUBMITTED]);
  assert.ok(stderr.includes("Channel: (empty) → Post\\u001b[2J"), "the summary shows labels, escaped");
  assert.equal(stderr.includes("\x1b[2J"), false);
  assert.equal(stderr.includes("Title") || stderr.includes("Note"), false, "neither list rows nor optional fields");
});

Deno.test("--interactive prompts for one of several actions", async () => {
  const form = startFormService(["Reject", "Enter"]);
  await using _service = form.service;
  const answers = [["Which action?", DOWN + ENTER], ...ANSWERS, ["Submit 'Enter it'?", ENTER]] as const;
  assert.equal((await perform(form, answers)).code, 0);
  assert.deepEqual(form.submitted, [SUBMITTED]);
});

Deno.test("the actions are those of the named assignment, not of the first one of its case", async () => {
  const form = startFormService(["Enter"], [], { alone: false });
  await using _service = form.service;
  const { code, stderr } = await perform(form, [...ANSWERS, ["Submit 'Enter it'?", ENTER]]);
  assert.equal(code, 0, stderr);
  assert.deepEqual(form.submitted, [SUBMITTED]);
});

Deno.test("an invalid response is reported as without --interactive, and a valid one is printed unchanged", async () => {
  const performed = async (answer: string) => {
    const form = startFormService(["Enter"], [], { performed: answer });
    await using _service = form.service;
    return await perform(form, [...ANSWERS, ["Submit 'Enter it'?", ENTER]]);
  };
  const cut = await performed('{"id": "C-');
  const { code, hint } = errorAfterQuestions(cut);
  assert.deepEqual([cut.code, cut.stdout, code], [1, "", "INVALID_RESPONSE"]);
  assert.match(String(hint), /^The change may have been applied: check before you repeat it\./);
  const long = await performed('{"id": "C-1", "n": 12345678901234567890}');
  assert.equal(long.code, 0, long.stderr);
  assert.equal(long.stdout, '{\n  "id": "C-1",\n  "n": 12345678901234567890\n}\n');
});

Deno.test("a value of several lines can be edited on all lines, or left unchanged", async () => {
  const submittedFrom = async (applicant: string, keys: string) => {
    const form = startFormService(["Enter"], [], { applicant });
    await using _service = form.service;
    const rest = [...ANSWERS.slice(1), ["Submit 'Enter it'?", ENTER]] as const;
    const question = applicant.includes("\n")
      ? "Applicant (required) (several lines, press Enter twice to finish)"
      : "Applicant";
    const { code, stderr } = await perform(form, [[question, keys], ...rest]);
    assert.equal(code, 0, stderr);
    assert.equal(stderr.includes("\rL"), false);
    return form.submitted;
  };
  const submitted = (change: JsonObject) => {
    const { Name: _, ...unchanged } = CONTENT;
    return [{ ...SUBMITTED, body: { content: { ...unchanged, ...change } } }];
  };
  const edits = "." + ENTER + "M" + ENTER + ENTER;
  assert.deepEqual(await submittedFrom("Ada\r\nL", edits), submitted({ Name: "Ada\nL.\nM" }));
  assert.deepEqual(await submittedFrom("Ada\r\nL", ENTER + ENTER), submitted({}));
  assert.deepEqual(
    await submittedFrom("Ada\rL", "Bo" + ENTER),
    submitted({ Name: "Bo" }),
    "it would show as another one",
  );
});

const REFUSAL = [
  { message: "Error_Validation_Fail", localizedValue: "Validation failed." },
  { message: "Count is taken", localizedValue: "7 is taken", erroneousInputOutputFieldInPage: ".Count" },
  {
    message: "Unknown city",
    erroneousInputOutputFieldInPage: ".Contact",
    erroneousInputOutputIdentifier: ".City",
  },
];

Deno.test("a rejected field is prompted for again with the typed value, and other values are kept", async () => {
  const form = startFormService(["Enter"], [REFUSAL]);
  await using _service = form.service;
  const { code, stderr } = await perform(form, [
    ...ANSWERS,
    ["Submit 'Enter it'?", ENTER],
    ["'Enter it' was rejected", ""],
    ["Count: 7 is taken", ""],
    ["Count", "7" + ENTER],
    ["City: Unknown city", ""],
    ["City", "\x7flo" + ENTER],
    ["Count: (empty) → 77", ""],
    ["Submit 'Enter it'?", ENTER],
  ]);
  assert.equal(code, 0, stderr);
  assert.deepEqual(form.submitted, [SUBMITTED, {
    ...SUBMITTED,
    body: { content: { ...CONTENT, Count: 77, Contact: { City: "Osllo" } } },
  }]);
});

Deno.test("issues are shown, and the fields that they name are prompted for, even if they are optional", async () => {
  const findings = [{ message: "Closed on Sundays" }, { message: "Wrong", erroneousInputOutputFieldInPage: ".Note" }];
  const form = startFormService(["Enter"], [findings, [{ message: "Closed on Mondays" }]]);
  await using _service = form.service;
  const result = await perform(form, [
    ...ANSWERS,
    ["Submit 'Enter it'?", ENTER],
    ["Closed on Sundays", ""],
    ["Note: Wrong", ""],
    ["Note", "Right" + ENTER],
    ["Submit 'Enter it'?", ENTER],
    ["Closed on Mondays", ""],
    ["Submit 'Enter it'?", UP + ENTER],
  ]);
  assert.equal(result.code, 130);
  assert.equal(errorAfterQuestions(result).code, "INTERRUPTED");
  assert.equal(form.submitted.length, 2);
});

Deno.test("a canceled prompt sends nothing", async () => {
  const dialogues = [
    [["Which action?", CTRL_C]],
    [["Which action?", CTRL_D]],
    [["Which action?", DOWN + ENTER], ["Applicant", CTRL_C]],
    [["Which action?", DOWN + ENTER], ["Applicant", CTRL_D]],
    [["Which action?", DOWN + ENTER], ...ANSWERS, ["Submit 'Enter it'?", CTRL_C]],
    [["Which action?", DOWN + ENTER], ...ANSWERS, ["Submit 'Enter it'?", UP + ENTER]],
  ] as const;
  const form = startFormService(["Reject", "Enter"]);
  await using _service = form.service;
  for (const dialogue of dialogues) {
    const result = await perform(form, dialogue);
    assert.equal(result.code, 130);
    assert.equal(result.stdout, "");
    assert.equal(errorAfterQuestions(result).code, "INTERRUPTED");
    assert.match(String(errorAfterQuestions(result).message), /Nothing was done\.$/);
  }
  assert.deepEqual(form.submitted, []);
});

Deno.test("a required field that has no prompt is an error before the first prompt", async () => {
  const form = startFormService(["Reject"]);
  await using _service = form.service;
  const result = await perform(form, []);
  assert.equal(result.code, 2);
  assert.equal(errorAfterQuestions(result).message, "'Reject it' requires Items, which prompts cannot fill in.");
});

Deno.test("an assignment without a permitted action is an error with a hint how to find one", async () => {
  const form = startFormService([]);
  await using _service = form.service;
  const result = await perform(form, []);
  assert.equal(result.code, 2);
  assert.equal(errorAfterQuestions(result).message, "The assignment has no action that you can perform.");
});

Deno.test("--interactive without a terminal is an error, and nothing is sent", async () => {
  const form = startFormService();
  await using service = form.service;
  await using folder = await makeFolder();
  const messages: [string[], string][] = [
    [[], "--interactive requires a terminal."],
    [["--action", "Enter", "--data", "{}"], "--interactive requires a terminal."],
  ];
  for (const [flags, message] of messages) {
    const result = await svc([...PERFORM, ...flags], {
      env: { ...clientEnvironment(service), SVC_CONFIG_DIR: folder.path },
    });
    assert.equal(result.code, 2);
    const error = parseErrorRecord(result);
    assert.deepEqual([error.code, error.message], ["INVALID_ARGS", message]);
  }
  assert.equal(service.calls, 0);
});

Deno.test("--interactive with --dry-run prints the request of the given flags, and asks and sends nothing", async () => {
  const form = startFormService();
  await using service = form.service;
  await using folder = await makeFolder();
  const env = { ...clientEnvironment(service), SVC_CONFIG_DIR: folder.path };
  const print = async (...line: string[]) => {
    const { code, stdout, stderr } = await svc([...line, "--interactive", "--dry-run"], { env });
    assert.deepEqual([code, stderr], [0, ""]);
    const [request, , , ...rest] = stdout.trimEnd().split("\n");
    return [request, JSON.parse(rest.slice(rest.indexOf("")).join("\n"))];
  };
  const [, , assignment = ""] = PERFORM;
  const path = `/dx-api/v2/assignments/${encodeURIComponent(assignment)}/actions`;
  assert.deepEqual(await print(...PERFORM.slice(0, 3)), [`PATCH ${path}/[PROMPTED]`, {}]);
  assert.deepEqual(await print(...PERFORM.slice(0, 3), "--action", "Enter", "--set", "Name=Ada"), [
    `PATCH ${path}/Enter`,
    { content: { Name: "Ada" } },
  ]);
  assert.deepEqual(await print("cases", "create"), ["POST /dx-api/v2/cases", { caseTypeID: "[PROMPTED]" }]);
  assert.deepEqual(await print("data", "create", "D"), ["POST /dx-api/v2/data/D", { data: {} }]);
  assert.deepEqual([service.calls, service.exchanges], [0, 0]);
});
