/** The settings of calls that can be a flag, an environment variable and a member of a profile. */

/** A setting of calls. Its value is a number. */
export interface CallSetting {
  /** Flag, in camel case. */
  readonly flag: "timeout" | "retries" | "maxOutage";
  /** Environment variable. */
  readonly variable: "SVC_TIMEOUT" | "SVC_RETRIES" | "SVC_MAX_OUTAGE";
  /** Meaning, for the help. */
  readonly meaning: string;
  /** Default, for the help. */
  readonly default: string;
  /** Rule, as the end of the sentence "… must be". */
  readonly must: string;
  /** Reports whether a number follows the rule. */
  isValid(value: number): boolean;
}

/** One day. */
const MAX_SECONDS = 86_400;

const MAX_RETRIES = 100;

/** Seconds that one call may take by default. */
export const DEFAULT_TIMEOUT_SECONDS = 30;

/** Retries of a call in a workflow by default. Together they take about 4 seconds. */
export const DEFAULT_WORKFLOW_RETRIES = 5;

/** Seconds that a workflow waits by default for an unavailable service. */
export const DEFAULT_MAX_OUTAGE_SECONDS = 600;

/** The settings by the name of the member of a profile, which is that of the option of the library, too. */
export const CALL_SETTINGS = {
  timeoutSeconds: {
    flag: "timeout",
    variable: "SVC_TIMEOUT",
    meaning: "Timeout of a call, in seconds",
    default: String(DEFAULT_TIMEOUT_SECONDS),
    must: `a number of seconds above 0 and at most ${MAX_SECONDS}`,
    isValid: (seconds) => seconds > 0 && seconds <= MAX_SECONDS,
  },
  retries: {
    flag: "retries",
    variable: "SVC_RETRIES",
    meaning: "Retries of a failed call that is safe to repeat",
    default: `0; in workflows ${DEFAULT_WORKFLOW_RETRIES}`,
    must: `a whole number from 0 to ${MAX_RETRIES}`,
    isValid: (count) => Number.isInteger(count) && count >= 0 && count <= MAX_RETRIES,
  },
  maxOutageSeconds: {
    flag: "maxOutage",
    variable: "SVC_MAX_OUTAGE",
    meaning: "Seconds that a workflow waits for an unavailable service",
    default: String(DEFAULT_MAX_OUTAGE_SECONDS),
    must: `a number of seconds from 0 to ${MAX_SECONDS}`,
    isValid: (seconds) => seconds >= 0 && seconds <= MAX_SECONDS,
  },
} as const satisfies Record<string, CallSetting>;

/** Name of a setting of calls. */
export type CallSettingName = keyof typeof CALL_SETTINGS;

/** Parses the text of a flag or a variable. Returns NaN, which no rule allows, for anything but a decimal number. */
export function parseSetting(text: string): number {
  return /^\d+(?:\.\d+)?$/.test(text) ? Number(text) : NaN;
}

/** Returns the meaning of a setting with its default. */
export function describeSetting(name: CallSettingName): string {
  const { meaning, default: value } = CALL_SETTINGS[name];
  return `${meaning} (default: ${value})`;
}
