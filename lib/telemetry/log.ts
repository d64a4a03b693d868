/** Logs of services and workers: lines for people, or JSON for programs. */

/** Formats of a log. */
export const LOG_FORMATS = ["text", "json"] as const;

/** Format of a log. */
export type LogFormat = (typeof LOG_FORMATS)[number];

/** Facts of an entry. They contain no secret, no path and no content of cases. */
export interface LogFacts {
  /** Default: `info`. */
  readonly level?: "info" | "warning" | "error";
  /** Replaces the text in JSON, for example if the text contains the message of an error. */
  readonly message?: string;
  readonly [name: string]: string | number | undefined;
}

/** Writes an entry: a text, and facts that only JSON shows. */
export type Log = (text: string, facts?: LogFacts) => void;

/** Creates a log that writes each entry as a line with a JSON object: its time, level and message, then its facts. */
export function createJsonLog(write: (line: string) => void): Log {
  return (text, { level = "info", message = text, ...facts } = {}) => {
    write(JSON.stringify({ time: new Date().toISOString(), level, message, ...facts }));
  };
}
