/** The topics of `svc help <topic>`. */
import { type Format, FORMATS } from "../../lib/output/format.ts";
import { toKebab } from "../../lib/operation/operation.ts";
import type { Block } from "./layout.ts";

/** A page that explains a subject of several commands. */
export interface Topic {
  /** The subject, without a full stop. */
  readonly summary: string;
  /** Builds the page. */
  readonly build: () => Promise<readonly Block[]>;
}

/** The topics by camel-case name. */
export const topics: Readonly<Record<string, Topic>> = {
  exitCodes: { summary: "Exit codes, and what goes to stdout and stderr", build: buildExitCodes },
  environment: { summary: "Environment variables", build: buildEnvironment },
  formatting: { summary: "Output formats, and how to select fields", build: buildFormatting },
  handles: { summary: "Short IDs, and - for the last case", build: buildHandles },
  profiles: { summary: "Profiles, credentials and tokens", build: buildProfiles },
  workflows: { summary: "Scripts that make several calls", build: buildWorkflows },
};

async function buildExitCodes(): Promise<Block[]> {
  const { EXIT_CODES } = await import("../exit.ts");
  const rows = EXIT_CODES.map(({ exit, meaning, errors = [] }) =>
    [
      String(exit),
      errors.length === 0
        ? meaning
        : `${meaning} Error ${errors.length === 1 ? "code" : "codes"}: ${errors.join(", ")}.`,
    ] as const
  );
  return [
    { text: "The exit code of a command shows how it ended. In scripts, check it instead of the text of a message." },
    { heading: "Exit codes", rows: [...rows] },
    {
      heading: "Output",
      text:
        "Results go to stdout. Errors, warnings and progress go to stderr. An error is a JSON object with a code, a " +
        'message and often a hint: {"error":{"code":"NOT_FOUND","message":"…","hint":"…"}}. It is on one line unless ' +
        "stderr is a terminal.",
    },
    {
      heading: "Examples",
      commands: [
        `svc cases get 'CITY-PERMIT-WORK P-1' 2> error.json || echo "exit code $?"`,
        "svc cases get 'CITY-PERMIT-WORK P-1' --quiet --format compact > case.json",
      ],
    },
    seeAlso("help environment", "help formatting"),
  ];
}

async function buildEnvironment(): Promise<Block[]> {
  const { ENVIRONMENT_VARIABLES } = await import("../../lib/auth/environment.ts");
  return [
    {
      text: "svc reads these environment variables. An empty variable counts as unset. Flags override variables, " +
        "variables override the profile, and the profile overrides the settings of 'svc config'.",
    },
    { heading: "Environment variables", rows: Object.entries(ENVIRONMENT_VARIABLES) },
    {
      text:
        "Proxy variables may be written in lower case. An application definition may name further variables, with the " +
        "addresses and keys of model servers; only the embedded service reads them.",
    },
    {
      heading: "Examples",
      commands: ["SVC_NO_CACHE=true svc cases get 'CITY-PERMIT-WORK P-1'", "SVC_DEBUG=1 svc auth ping"],
    },
    seeAlso("help profiles", "auth diagnose --help"),
  ];
}

const FORMAT_DESCRIPTIONS: Readonly<Record<Format, string>> = {
  json: "JSON, indented by two spaces. The default.",
  compact: "JSON on one line.",
  yaml: "YAML.",
  table:
    "A table with a row for each object of a list. At a terminal, it fits the width, identifiers are never truncated, " +
    "and times are in local time. Columns that do not fit, or that are empty, repeated or the same in all rows, are " +
    "named on stderr. A result without columns to show, and a nested field that --fields names, are printed as JSON.",
  view: "A page for people, with labels and the next commands. Commands whose help says so, such as 'svc show', " +
    "use it at a terminal.",
};

function buildFormatting(): Promise<Block[]> {
  return Promise.resolve([
    { text: "--format sets the format of a result, and --fields selects its fields." },
    { heading: "Formats", rows: FORMATS.map((format) => [format, FORMAT_DESCRIPTIONS[format]] as const) },
    {
      heading: "Default",
      text:
        "At a terminal, SVC_FORMAT, the format of the profile, or 'svc config set format <format>' changes the default, in " +
        "this order. They never apply to a pipe or a file, so scripts get the same output everywhere.",
    },
    {
      heading: "Fields",
      text:
        "--fields takes names of fields, separated by commas, and prints them in this order, in every format. A name " +
        "selects a top-level field, or else a column of the result's only list. A path such as data.caseInfo.status or " +
        "data.caseInfo.stages[0].name selects a nested field, and data.pyID,data.Applicant selects two columns of the " +
        "list data. An unknown field is an error, but only a warning if the command has changed something.",
    },
    {
      heading: "Colors",
      text: "JSON and tables have colors at a terminal. Set NO_COLOR, or CLICOLOR=0, to turn them off, and " +
        "CLICOLOR_FORCE=1 to keep them in a pipe. Control characters in results are escaped in every format.",
    },
    {
      heading: "Pager",
      text:
        "At a terminal, a result that is longer than the screen is shown by the program that SVC_PAGER or PAGER names, " +
        "for example less. 'svc config set pager <command>' sets it, too. --no-pager prints it directly, and SVC_PAGER=cat " +
        "always does.",
    },
    {
      heading: "Examples",
      commands: [
        "svc cases get 'CITY-PERMIT-WORK P-1' --fields id,data.caseInfo.stageLabel",
        "svc data query D_Permits --fields pyID,Applicant --format table",
        "svc case-types list --format compact | jq .",
      ],
    },
    seeAlso("help exit-codes"),
  ]);
}

function buildHandles(): Promise<Block[]> {
  return Promise.resolve([
    {
      text:
        "A handle names a case or an assignment. It contains spaces, so quote it. A command that takes a handle as an " +
        "argument also accepts these shorter names:",
    },
    {
      heading: "Names",
      rows: [
        ["P-1", "The number of a case, in upper or lower case. Only one case may have this number."],
        ["-", "The last case that a command has read, created or changed with the same profile."],
        ["P-1 or -", "For an assignment: your open assignment in that case, if there is only one."],
        ["--cases P-1,P-2", "Flags that name cases also accept short IDs, with a service on this machine."],
      ],
    },
    {
      text:
        "The embedded service finds every number. With another service, svc finds the last case, those of your worklist, " +
        "and those in data views that list cases. Scripts should use full handles, which need no further request.",
    },
    {
      heading: "Attachments and participants",
      text: "P-1/2 is the second oldest attachment of P-1, and P-1/plan.pdf its attachment with that file name. " +
        "plan.pdf alone is an attachment of the last case. For a participant, you can pass the person's name.",
    },
    {
      heading: "Examples",
      commands: ["svc show p-1", "svc assignments perform - --action Register", "svc tags list P-1"],
    },
    seeAlso("show --help", "inbox --help"),
  ]);
}

async function buildProfiles(): Promise<Block[]> {
  const { PROFILE_MEMBERS } = await import("../../lib/auth/profiles.ts");
  const { findConfigDirectory, getConfigFile } = await import("../../lib/auth/profiles.ts");
  return [
    {
      text: "A profile names a service and the credentials of a client. 'svc profile add' adds one, and prompts for " +
        "its members at a terminal. 'svc service start' writes the profile of the embedded service. Commands use the profile that " +
        "--profile names, otherwise the one in SVC_PROFILE, otherwise the default that 'svc profile use' has set.",
    },
    {
      heading: "Configuration file",
      text: `Profiles are in ${getConfigFile(findConfigDirectory() ?? "~/.svc-cli")}.`,
    },
    {
      heading: "Members of a profile",
      rows: Object.entries(PROFILE_MEMBERS).map(([name, { meaning, must }]) =>
        [name, `${meaning}. It must be ${must}.`] as const
      ),
    },
    {
      heading: "Tokens",
      text:
        "The first call exchanges the client secret for a token and caches it in the configuration directory. 'svc auth " +
        "logout' deletes the token. --no-cache neither reads nor writes the cache.",
    },
    {
      heading: "Examples",
      commands: [
        "svc profile add test --base-url https://svc.example --client-id my-client --client-secret @secret.txt",
        "svc profile test test",
        "svc profile use test",
        "svc service add-client --operator decider@city --profile decider",
        "svc assignments get-next --profile decider",
      ],
    },
    seeAlso("help environment", "profile --help", "auth --help"),
  ];
}

async function buildWorkflows(): Promise<Block[]> {
  const { commands } = await import("../commands/workflow/mod.ts");
  return [
    {
      text:
        "A workflow is a TypeScript script that makes several calls. It runs in a sandbox without permissions and may " +
        "only call the operations that you grant. A journal records each step, so an interrupted run continues where " +
        "it stopped and does not repeat any change.",
    },
    {
      heading: "Commands",
      rows: Object.entries(commands).map(([name, { summary }]) => [toKebab(name), summary] as const),
    },
    {
      heading: "Examples",
      commands: [
        "svc workflow init flows",
        "svc workflow plan flows/intake.ts --each applications.csv --allow-declared",
        "svc workflow run flows/intake.ts --each applications.csv --allow-declared > results.ndjson",
        "svc workflow list --state failed",
      ],
    },
    seeAlso("workflow run --help", "workflow resume --help", "help exit-codes"),
  ];
}

function seeAlso(...lines: string[]): Block {
  return { heading: "See also", text: lines.map((line) => `svc ${line}`).join("\n") };
}
