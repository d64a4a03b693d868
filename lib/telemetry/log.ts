/** The log of services and workers: lines of text, or JSON objects. */

/** Formats of a log. */
export const LOG_FORMATS = ["text", "json"] as const;

/** Format of a log. */
export type LogFormat = (typeof LOG_FORMATS)[number];

/** Fields of a JSON entry. They contain no secrets, no request paths and no case content. */
export interface LogFields {
  /** Default: `info`. */
  readonly level?: "info" | "warning" | "error";
  /** Replaces the text in JSON, for example if the text contains the message of an error. */
  readonly message?: string;
  readonly [name: string]: string | number | undefined;
}

/** Writes an entry: a text, and fields that only JSON contains. */
export type Log = (text: string, fields?: LogFields) => void;

/** Creates a log that writes each entry as one JSON object per line: time, level and message, then the other fields. */
export function createJsonLog(write: (line: string) => void): Log {
  return (text, { level = "info", message = text, ...fields } = {}) => {
    write(JSON.stringify({ time: new Date().toISOString(), level, message, ...fields }));
  };
}
