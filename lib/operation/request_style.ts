/** A way to obtain entity tags: before each operation that may demand one, when the service demands one, or not at all. */
export type TagMode = "first" | "on-demand" | "never";

/** All ways to obtain entity tags. */
export const TAG_MODES = ["first", "on-demand", "never"] as const satisfies readonly TagMode[];

/** A way to send the key of a record to delete: a query parameter for each member, or one JSON text. */
export type RecordKeyForm = "separate" | "json";

/** All ways to send the key of a record. */
export const RECORD_KEY_FORMS = ["separate", "json"] as const satisfies readonly RecordKeyForm[];

/** Properties of the requests to a service that differ between services. */
export interface RequestStyle {
  /** How entity tags are obtained. */
  readonly tags: TagMode;
  /** How the key of a record to delete is sent. */
  readonly recordKeys: RecordKeyForm;
}

/** The style of services by default. */
export const DEFAULT_STYLE: RequestStyle = { tags: "on-demand", recordKeys: "separate" };
