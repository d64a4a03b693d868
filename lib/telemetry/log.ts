/** The log of services and workers: lines of text, or JSON objects. */
import { describeDropped } from "../../utils/async/output_queue.ts";

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

/**
 * Logs an unexpected error: its stack as text, and its name, code and calls in JSON. JSON omits the message, which may contain
 * case content.
 */
export function logError(log: Log, sentence: string, error: unknown, fields: LogFields = {}): void {
  const stack = error instanceof Error ? error.stack ?? error.message : String(error);
  log(`${sentence}: ${stack}`, { level: "error", message: `${sentence}.`, ...fields, ...describeError(error) });
}

function describeError(error: unknown): LogFields {
  if (!(error instanceof Error)) return { error: typeof error };
  return {
    error: error.constructor.name,
    code: "code" in error ? String(error.code) : undefined,
    calls: error.stack?.replace(error.message, "").match(/(?<=^ +)at .*/gm)?.join("\n"),
  };
}

/** Creates a log that writes each entry as one JSON object per line: time, level and message, then the other fields. */
export function createJsonLog(write: (line: string) => void): Log {
  return (text, fields) => write(formatEntry(text, fields));
}

/** Returns the entry in place of dropped entries. */
export function describeDroppedAsJson(count: number): string {
  return formatEntry(describeDropped(count), { level: "warning" });
}

function formatEntry(text: string, { level = "info", message = text, ...fields }: LogFields = {}): string {
  return JSON.stringify({ time: new Date().toISOString(), level, message, ...fields });
}
