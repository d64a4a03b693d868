/** The flags that every command takes. */
import type { LocalFlag } from "./local.ts";

/** The output formats by name. */
export const FORMATS = ["json", "compact", "yaml", "table"] as const;

/** An output format. */
export type Format = (typeof FORMATS)[number];

/** The values of the global flags. */
export interface GlobalFlags {
  /** Format of the result. */
  readonly format: Format;
  /** Top-level fields to keep; undefined keeps all. */
  readonly fields?: readonly string[];
  /** Print the request instead of sending it. */
  readonly dryRun: boolean;
  /** No warnings and no progress. */
  readonly quiet: boolean;
  /** Summaries of requests and answers on stderr. */
  readonly verbose: boolean;
  /** No token cache. */
  readonly noCache: boolean;
  /** Name of the profile; undefined is the default. */
  readonly profile?: string;
}

/** Their descriptions, in the order of the help. */
export const globalFlags = {
  format: { help: `Output format: ${FORMATS.join(", ")}`, type: "string", placeholder: "format", default: "json" },
  fields: { help: "Top-level fields to keep, separated by commas", type: "list", placeholder: "names" },
  dryRun: { help: "Print the request without credentials, send nothing", type: "boolean" },
  quiet: { help: "No warnings and no progress on stderr", type: "boolean" },
  verbose: { help: "Requests and answers in short on stderr", type: "boolean" },
  noCache: { help: "Exchange a fresh token, leave the cache alone", type: "boolean" },
  profile: { help: "Profile to use", type: "string", placeholder: "name", default: "default" },
} as const satisfies Record<string, LocalFlag>;
