/** The options of a client, where they enter: with one left aside that is misspelt, calls would be made as somebody else. */
import { SvcError } from "../errors.ts";
import { didYouMean } from "../similar.ts";
import type { ClientOptions } from "./client.ts";

/** Every option, with its type where nothing else looks at that. */
const TYPES = {
  profile: "string",
  baseUrl: undefined,
  clientId: undefined,
  clientSecret: undefined,
  apiRoot: undefined,
  tokenPath: undefined,
  timeoutSeconds: undefined,
  idempotencyKeys: undefined,
  noCache: "boolean",
  allowInsecureHttp: undefined,
  configDirectory: "string",
  warn: "function",
  onExchange: "function",
  onReply: "function",
  retries: undefined,
} as const satisfies Record<keyof ClientOptions, "string" | "boolean" | "function" | undefined>;

const MUST = { string: "a text", boolean: "true or false", function: "a function" } as const;

/** Refuses an option that there is not, or whose value is of another type, with `INVALID_ARGS`. */
export function checkClientOptions(options: ClientOptions): void {
  for (const [name, value] of Object.entries(options)) {
    if (!isOption(name)) {
      const question = didYouMean(name, Object.keys(TYPES), (option) => `'${option}'`);
      const hint = `${question}The options are ${Object.keys(TYPES).join(", ")}.`;
      throw new SvcError("INVALID_ARGS", `createClient has no option '${name}'.`, { hint });
    }
    const type = TYPES[name];
    if (type === undefined || value === undefined || typeof value === type) continue;
    throw new SvcError("INVALID_ARGS", `${name} must be ${MUST[type]}.`);
  }
}

function isOption(name: string): name is keyof typeof TYPES {
  return Object.hasOwn(TYPES, name);
}
